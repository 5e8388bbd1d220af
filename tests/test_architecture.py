"""What may import what, and what the package shows to the outside."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cpplan

PACKAGE = Path(cpplan.__file__).parent
HEAVY = ("ortools", "torch", "triton", "xdsl", "z3")


def imported_roots(path: Path) -> Iterator[str]:
    """First component of every module that a file imports anywhere, including inside functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def files_importing(library: str) -> set[str]:
    """Files of the package that import a library, relative to the package."""
    sources = PACKAGE.rglob("*.py")
    return {path.relative_to(PACKAGE).as_posix() for path in sources if library in imported_roots(path)}


def modules_after(statement: str) -> set[str]:
    """Top-level modules loaded in a fresh interpreter after running one statement."""
    script = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_only_the_encoding_knows_the_solver() -> None:
    outside = {name for name in files_importing("ortools") if not name.startswith("encode/")}
    assert not outside


@pytest.mark.parametrize("statement", ["import cpplan", "import cpplan.cli"])
def test_importing_stays_light(statement: str) -> None:
    assert not modules_after(statement).intersection(HEAVY)


def test_public_names_are_complete_and_sorted() -> None:
    assert list(cpplan.__all__) == sorted(cpplan.__all__)
    assert all(hasattr(cpplan, name) for name in cpplan.__all__)
    visible = {name for name in vars(cpplan) if not name.startswith("_")}
    submodules = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert visible - submodules <= set(cpplan.__all__)


def test_errors_for_users_share_one_base() -> None:
    from cpplan import errors

    defined = {item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, Exception)}
    assert all(issubclass(item, errors.CpplanError) for item in defined)
