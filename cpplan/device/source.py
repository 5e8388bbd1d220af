"""From a spec's name to its parsed df operation: finding the file, parsing it, applying it to its base.

Reading a spec never executes code: the text goes through xDSL's parser and becomes operations with plain attributes.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Location

from cpplan.device.df import DeviceOp, context
from cpplan.device.operation import DfOp, block_of
from cpplan.device.syntax import DfParser
from cpplan.errors import SpecError

FOLDERS = (Path(__file__).parents[1] / "hwspecs", Path(__file__).parents[2] / "hwspecs")
"""Where shipped specs are: inside the installed package, or at the top level of a checkout."""

MAX_BYTES = 1 << 20
"""Larger files are refused unread: a spec is a page of text, so a larger file is something else."""

CLOSED = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*')
"""A complete string, or a comment."""


class LocatedSpecError(SpecError):
    """A SpecError that knows its place in the file, the lint rule it breaks and what would help."""

    def __init__(self, place: Location, message: str, rule: str = "structure", hint: str = "") -> None:
        super().__init__(f"{place}: {message}" + (f" ({hint})" if hint else ""))
        self.place, self.message, self.rule, self.hint = place, message, rule, hint


@dataclass(frozen=True)
class Spec:
    """One device as operations, its base applied. ``places`` tells where an operation ('') or a field stands."""

    path: Path
    device: DeviceOp
    places: dict[tuple[Operation, str], Location]

    def place(self, op: DfOp, field: str = "") -> Location:
        """Where ``field`` of ``op`` stands, or the operation when the field is absent."""
        fallback = Location(str(self.path), 1, 1)
        return self.places.get((op, field)) or self.places.get((op, ""), fallback)

    def fail(self, op: DfOp, field: str, message: str, rule: str = "structure", hint: str = "") -> NoReturn:
        """Raise a SpecError that points at ``field`` of ``op``."""
        raise LocatedSpecError(self.place(op, field), message, rule, hint)


def shipped() -> dict[str, Path]:
    """Name -> file of every spec that comes with cpplan."""
    folder = next((f for f in FOLDERS if f.is_dir()), None)
    return {path.stem: path for path in sorted(folder.glob("*.mlir"))} if folder else {}


def find(name_or_path: str, beside: Path | None = None) -> Path:
    """The file of a spec given by name (beside another spec, then among the shipped ones) or by path."""
    if name_or_path.endswith(".mlir"):
        path = Path(name_or_path) if beside is None else beside / name_or_path
        if path.is_file():
            return path
        raise SpecError(f"no hardware spec at {path}")
    if beside is not None and (beside / f"{name_or_path}.mlir").is_file():
        return beside / f"{name_or_path}.mlir"
    known = shipped()
    if name_or_path in known:
        return known[name_or_path]
    near = difflib.get_close_matches(name_or_path, known, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"shipped are {', '.join(known)}."
    raise SpecError(f"no device '{name_or_path}': {hint} A spec of your own is given by its path, NAME.mlir")


def load(name_or_path: str) -> Spec:
    """Parse, apply to the base, verify. Raises SpecError with file, line and column."""
    spec = _resolve(find(name_or_path), ())
    _verify(spec)
    return spec


def _resolve(path: Path, chain: tuple[Path, ...]) -> Spec:
    spec = _parse(path)
    if spec.device.base is None:
        return spec
    seen = (*chain, path.resolve())
    try:
        base_path = find(spec.device.base.data, path.parent)
    except SpecError as error:
        spec.fail(spec.device, "", f"base of {spec.device.label}: {error}")
    if base_path.resolve() in seen:
        spec.fail(spec.device, "", f"{spec.device.label} is its own base, by way of {base_path.name}")
    base = _resolve(base_path, seen)
    places = base.places | spec.places
    _override(base.device, spec.device, places)
    base.device.properties["sym_name"] = StringAttr(name_of(spec))
    places[base.device, ""] = spec.place(spec.device)
    return Spec(path, base.device, places)


def _parse(path: Path) -> Spec:
    start = Location(str(path), 1, 1)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise LocatedSpecError(start, f"larger than {MAX_BYTES} bytes: not a hardware spec")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LocatedSpecError(start, f"cannot be read as text: {error}") from error
    _refuse_open_strings(text, str(path))
    try:
        parser = DfParser(context(), text, str(path))
        module = parser.parse_module()
    except ParseError as error:
        raise LocatedSpecError(error.span.get_location(), error.msg, "syntax") from error
    except (ValueError, VerifyException) as error:
        raise LocatedSpecError(start, str(error), "syntax") from error
    except RecursionError as error:
        raise LocatedSpecError(start, "nested too deeply", "syntax") from error
    found = [op for op in module.ops if isinstance(op, DeviceOp)]
    if len(found) != 1 or len(list(module.ops)) != 1:
        raise LocatedSpecError(start, f"expected exactly one df.device and nothing beside it, found {len(found)}")
    return Spec(path, found[0], parser.places)


def _refuse_open_strings(text: str, name: str) -> None:
    """Point at a string that does not end on its line; xDSL's lexer takes exponential time over one."""
    rest = CLOSED.sub(lambda match: " " * len(match[0]), text)
    if '"' in rest:
        before = rest[: rest.index('"')]
        place = Location(name, before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise LocatedSpecError(place, "this string is not closed", "syntax")


def name_of(spec: Spec) -> str:
    """The device's name; a spec without one is called after its file."""
    return spec.device.sym_name.data if spec.device.sym_name else spec.path.stem


def _override(base: DfOp, change: DfOp, places: dict[tuple[Operation, str], Location]) -> None:
    """Apply ``change`` to ``base`` in place: fields replace fields, contained operations match by kind and name."""
    cites = base.sources()
    for field, value in change.fields().items():
        base.properties[field] = value
        cites.pop(field, None)
        places[base, field] = places[change, field]
    cites |= change.sources()
    if cites:
        base.properties["cites"] = DictionaryAttr({field: StringAttr(cite) for field, cite in cites.items()})
    known = {(child.name, child.sym_name): child for child in base.children()}
    for child in list(change.children()):
        counterpart = known.get((child.name, child.sym_name))
        if counterpart is not None:
            _override(counterpart, child, places)
            continue
        block_of(change).detach_op(child)
        block_of(base).add_op(child)


def _verify(spec: Spec) -> None:
    """Run the dialect's verifier on each operation, so that a failure names the operation it is about."""
    for op in spec.device.walk():
        if not isinstance(op, DfOp):
            raise LocatedSpecError(Location(str(spec.path), 1, 1), f"a df.device cannot hold {op.name}")
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            spec.fail(op, "", f"{op.label}: {error}")
