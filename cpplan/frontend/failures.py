"""What goes wrong in the user's file before anything is planned, as one message that names the line."""

from __future__ import annotations

import ast
import contextlib
import os
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence

from cpplan.errors import CpplanError, InputError


def check_source(path: str) -> None:
    """Raise :class:`InputError` unless ``path`` is a readable Python file that parses."""
    try:
        with open(path, encoding="utf-8") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(file.read(), path, "exec", dont_inherit=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text; give a Python file") from error
    except SyntaxError as error:
        place = path if error.lineno is None else f"{path}:{error.lineno}"
        raise InputError(f"{place}: is not valid Python: {error.msg}") from error
    except ValueError as error:
        raise InputError(f"{path}: is not valid Python: {error}") from error


def ways_to_launch(path: str) -> str:
    """What to do about a file that launches nothing, with what stands in it by name."""
    with open(path, encoding="utf-8") as file:
        functions = [node for node in ast.parse(file.read()).body if isinstance(node, ast.FunctionDef)]
    kernels = [one.name for one in functions if any("triton.jit" in ast.unparse(d) for d in one.decorator_list)]
    hosts = [one.name for one in functions if one.name not in kernels]
    return (
        f"Launch one when the file runs as a script, name a function that launches one with --entry{_some(hosts)}, "
        f"or give --kernel{_some(kernels)} with --arg, --constexpr and --grid"
    )


def _some(names: Sequence[str]) -> str:
    shown = [*names[:5], *(["..."] if len(names) > 5 else [])]
    return f" ({', '.join(shown)})" if names else ""


@contextlib.contextmanager
def errors_of(path: str, advice: Callable[[Exception], str] = lambda _: "") -> Iterator[None]:
    """Turn whatever the user's file raises into one :class:`InputError`; ``advice`` may add how to go on."""
    try:
        yield
    except CpplanError:
        raise
    except SystemExit as error:
        if error.code not in (None, 0):
            raise InputError(f"{_place(path, error)}: {_how_ended(error)}") from error
    except Exception as error:
        raise InputError(f"{_place(path, error)}: {_what_failed(error)}{advice(error)}") from error


def _how_ended(error: SystemExit) -> str:
    if not isinstance(error.code, int):
        return f"the file ended itself: {error.code}"
    advice = "; arguments for the file go after --" if error.code == 2 else ""  # what argparse exits with
    return f"the file ended itself with exit code {error.code}{advice}"


def _what_failed(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"imports {error.name!r}, which is not installed; install it and try again"
    kind, message = type(error).__name__, next(iter(str(error).splitlines()), "")
    if isinstance(error, ImportError) and message.startswith("attempted relative import"):
        return "a relative import works inside a package only; give a script that imports the package and launches"
    return f"the file failed: {kind}: {message}" if message else f"the file failed: {kind}"


def _place(path: str, error: BaseException) -> str:
    """Last line inside the user's file that led to ``error``."""
    wanted = os.path.abspath(path)
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if os.path.abspath(f.filename) == wanted]
    return f"{path}:{lines[-1]}" if lines else path
