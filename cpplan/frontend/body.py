"""The computed values of a kernel body as tile ops in SSA form; index and mask arithmetic that has become affine maps
is left out, except where computed data depends on it.

Op kinds without operands: ``constant`` (attribute value), ``index`` (an integer form as data) and ``mask`` (a
conjunction of forms >= 0, such as a causal mask). Forms are attributes: ``const``, ``lane0``, ``lane1``, ... and dims
and loops by name; for masks each is prefixed by the number of its form (``0.lane1``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cpplan.frontend.affine import Analysis
from cpplan.frontend.generic import Operation, Value
from cpplan.frontend.linear import Linear, Predicate
from cpplan.frontend.numbering import Numbering
from cpplan.frontend.walker_base import INTEGER_ELEMENTS
from cpplan.tile.program import Affine, Carry, Op

ELEMENTS = {
    "f64": "fp64", "f32": "fp32", "bf16": "bf16", "f16": "fp16", "f8E4M3FN": "fp8e4", "f8E5M2": "fp8e5",
    "f8E4M3FNUZ": "fp8e4", "f8E5M2FNUZ": "fp8e5", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
    "i1": "bool", "f8E4M3B11FNUZ": "fp8e4",
}  # fmt: skip
"""MLIR element type to dtype name."""

KINDS = {
    "arith.addf": "add", "arith.subf": "sub", "arith.mulf": "mul", "arith.divf": "div", "arith.negf": "neg",
    "arith.remf": "rem", "arith.maxnumf": "max", "arith.maximumf": "max", "arith.minnumf": "min",
    "arith.minimumf": "min", "arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul", "arith.divsi": "div",
    "arith.divui": "div", "arith.remsi": "rem", "arith.remui": "rem", "arith.maxsi": "max", "arith.maxui": "max",
    "arith.minsi": "min", "arith.minui": "min", "arith.andi": "and", "arith.ori": "or", "arith.xori": "xor",
    "arith.shli": "shl", "arith.shrsi": "shr", "arith.shrui": "shr", "arith.truncf": "cast", "arith.extf": "cast",
    "arith.sitofp": "cast", "arith.uitofp": "cast", "arith.fptosi": "cast", "arith.fptoui": "cast",
    "arith.extsi": "cast", "arith.extui": "cast", "arith.trunci": "cast", "tt.fp_to_fp": "cast",
    "arith.bitcast": "bitcast", "tt.bitcast": "bitcast", "arith.select": "where", "arith.cmpf": "cmp",
    "arith.cmpi": "cmp", "tt.precise_sqrt": "sqrt", "tt.precise_divf": "div", "math.absf": "abs", "math.absi": "abs",
    "tt.splat": "broadcast", "tt.broadcast": "broadcast", "tt.expand_dims": "reshape", "tt.reshape": "reshape",
    "tt.trans": "transpose", "tt.dot": "dot", "tt.clampf": "clamp",
}  # fmt: skip
"""MLIR operation to op kind; operations of the math dialect and others keep their own last name."""

COMBINERS = {
    "arith.addf": "sum", "arith.addi": "sum", "arith.maxnumf": "max", "arith.maximumf": "max", "arith.maxsi": "max",
    "arith.minnumf": "min", "arith.minimumf": "min", "arith.minsi": "min", "arith.mulf": "prod", "arith.andi": "and",
    "arith.ori": "or",
}  # fmt: skip

_ELSEWHERE = ("tt.load", "tt.descriptor_load", "arith.constant")
"""Operations that are no ops of the body: loads are accesses, and constants are emitted for each use."""

_FLOAT_PREDICATES = (
    "false",
    "eq",
    "gt",
    "ge",
    "lt",
    "le",
    "ne",
    "ord",
    "eq",
    "gt",
    "ge",
    "lt",
    "le",
    "ne",
    "uno",
    "true",
)
_INTEGER_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")


@dataclass
class Names:
    """Unique readable names: the variable in the user's source where Triton knows it, the kind otherwise."""

    taken: set[str] = field(default_factory=set)

    def new(self, wanted: str) -> str:
        """``wanted``, or ``wanted_2``, ``wanted_3``, ... when it is taken."""
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        return name


@dataclass
class Body:
    """Builder of the op list: ``needed`` values get names; loads and carries are named by the caller first."""

    analysis: Analysis
    numbering: Numbering
    fold: bool
    names: Names = field(default_factory=Names)
    value_names: dict[Value, str] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)
    carries: dict[int, list[Carry]] = field(default_factory=dict)
    constants: list[Op] = field(default_factory=list)
    attached: dict[Operation, list[Op]] = field(default_factory=dict)  # ops that belong to a load or store

    def __post_init__(self) -> None:
        self.names.taken |= {dim.name for dim in self.numbering.dims} | set(self.numbering.loops.values())
        self._owner = {a: (r.op, i) for r in self.analysis.loops for i, a in enumerate(r.op.regions[0][0].arguments)}

    def attach(self, op: Operation, item: Op) -> None:
        """Emit ``item`` where the load or store ``op`` stands."""
        self.attached.setdefault(op, []).append(item)

    def name_of(self, value: Value) -> str:
        """SSA name of a value, made up at first sight."""
        if value not in self.value_names:
            fallback = _kind(value.op) if value.op is not None else "carry"
            self.value_names[value] = self.names.new(_label(value) or fallback)
        return self.value_names[value]

    def use(self, value: Value) -> str:
        """Name of an operand. Each use of a constant has its own op at block level: Triton shares equal constants, and
        whether two are equal may depend on the block shape."""
        other = None if value in self.value_names else self._stands_for(value)
        if other is not None:
            self.value_names[value] = self.use(other)
        op = value.op
        if op is None or op.name != "arith.constant":
            return self.name_of(value)
        name = self.names.new("constant")
        attributes = (("value", str(op.attributes.get("value"))),)
        self.constants.append(Op(name, "constant", (), value.type.shape, dtype_of(value), None, attributes))
        return name

    def needed_by(self, roots: Iterable[Value]) -> set[Value]:
        """All values that the roots are computed from; index expressions are leaves."""
        needed: set[Value] = set()
        pending = list(roots)
        while pending:
            value = pending.pop()
            if value not in needed:
                needed.add(value)
                pending.extend(self._inputs(value))
        return needed

    def _inputs(self, value: Value) -> list[Value]:
        if self.is_index(value):
            return []
        if value in self._owner:
            op, position = self._owner[value]
            return _carried(op, position - 1) if position else []  # the induction variable is an index of its own
        made = value.op
        return [] if made is None or made.name in ("tt.load", "tt.descriptor_load") else self._inputs_of(made, value)

    def _inputs_of(self, op: Operation, value: Value) -> list[Value]:
        if op.name == "scf.for":
            return _carried(op, value.index)
        other = self._stands_for(value)
        if other is not None:
            return [other]
        return [op.operands[0], *_yielded(op, value.index)] if op.name == "scf.if" else op.operands

    def is_index(self, value: Value) -> bool:
        """Whether a value is known without data: an integer form or an exact predicate."""
        known = self.analysis.values.get(value)
        if value.type.element not in (*INTEGER_ELEMENTS, "i1"):
            return False
        if isinstance(known, Predicate):
            return known.exact
        if not isinstance(known, Linear) or known.kinds() & {"data", "opaque", "carry", "lanes"}:
            return False
        return self.analysis.integers.is_exact(known, value.type.shape)

    def _stands_for(self, value: Value) -> Value | None:
        """The value that another one is just a name for: a decided select or branch, or a loop that never runs."""
        op = value.op
        if op is None:
            return None
        if op.name == "scf.if" and not self.is_index(value):
            verdict = self.analysis.conditions.get(op)
            return None if verdict is None else _yielded(op, value.index)[0 if verdict else 1]
        if op.name == "scf.for":
            record = next(r for r in self.analysis.loops if r.op is op)
            never = record.trips is not None and int(record.trips.max()) == 0
            return op.operands[3 + value.index] if never else None
        return self._folded_select(op)

    def _folded_select(self, op: Operation) -> Value | None:
        """A select whose condition is the same everywhere is its chosen operand."""
        if op.name != "arith.select" or not self.fold:
            return None
        verdict = self.analysis.integers.decide(self.analysis.values.get(op.operands[0]), op.results[0].type.shape)
        return None if verdict is None else op.operands[1 if verdict else 2]

    # -- emission ------------------------------------------------------------------------------------------------------

    def emit(self, needed: set[Value]) -> None:
        """Ops for the needed values in program order, constants first."""
        for block in self.analysis.function.regions[0]:
            self._emit_block(block.operations, needed, None)
        self.ops[:0] = self.constants

    def _emit_block(self, operations: list[Operation], needed: set[Value], loop: str | None) -> None:
        for op in operations:
            self.ops.extend(self.attached.get(op, ()))
            if op.name == "scf.for":
                self._emit_loop(op, needed, loop)
            elif op.name == "scf.if":
                self._emit_if(op, needed, loop)
            elif any(result in needed for result in op.results) and op.name not in _ELSEWHERE:
                self._emit_op(op, loop)

    def _emit_loop(self, op: Operation, needed: set[Value], loop: str | None) -> None:
        record = next(r for r in self.analysis.loops if r.op is op)
        body = op.regions[0][0]
        if record.trips is not None and int(record.trips.max()) == 0:  # never runs: what leaves is what entered
            return
        name = self.numbering.loops.get(record.index, loop)  # iterations of a persistent loop are blocks of their own
        for argument in body.arguments[:1]:
            if argument in needed:
                self.ops.append(self._index_op(argument, name, ""))
        self._emit_block(body.operations, needed, name)
        for position, argument in enumerate(body.arguments[1:]):
            result = op.results[position]
            if (argument in needed or result in needed) and not self.is_index(argument):
                initial, yielded = _carried(op, position)
                names = (self.use(initial), self.name_of(argument), self.use(yielded), self.name_of(result))
                carry = Carry(*names)
                self.carries.setdefault(record.index, []).append(carry)

    def _emit_if(self, op: Operation, needed: set[Value], loop: str | None) -> None:
        verdict = self.analysis.conditions.get(op)
        for position, region in enumerate(op.regions):
            if region and verdict is not (position == 1):
                self._emit_block(region[0].operations, needed, loop)
        for result in op.results:
            if verdict is None and result in needed and not self.is_index(result):
                operands = [op.operands[0], *_yielded(op, result.index)]
                self.ops.append(self._op(op, result, "where", operands, loop))

    def _emit_op(self, op: Operation, loop: str | None) -> None:
        for result in op.results:
            if self._folded_select(op) is not None:
                continue
            if self.is_index(result):
                self.ops.append(self._index_op(result, loop, source_of(op)))
            else:
                kind = _kind(op)
                self.ops.append(self._op(op, result, kind, op.operands[-1:] if kind == "neg" else op.operands, loop))

    def _op(self, op: Operation, result: Value, kind: str, operands: list[Value], loop: str | None) -> Op:
        return Op(
            name=self.name_of(result),
            kind=kind,
            operands=tuple(self.use(v) for v in operands),
            shape=result.type.shape,
            dtype=dtype_of(result),
            loop=loop,
            attributes=_attributes(op, kind, result),
            operand_shapes=tuple(v.type.shape for v in operands),
            operand_dtypes=tuple(dtype_of(v) for v in operands),
            source=source_of(op),
        )

    def _index_op(self, value: Value, loop: str | None, source: str) -> Op:
        known = self.analysis.values.get(value)
        if isinstance(known, Predicate):
            parts = [part for form in known.forms for part in self._parts(form)]
            kind, forms = "mask", [(f"{i}.", form) for i, form in enumerate(parts)]
        else:
            assert isinstance(known, Linear)
            kind, forms = "index", [("", known)]
        attributes = [pair for prefix, form in forms for pair in self._form_attributes(prefix, form)]
        return Op(
            self.name_of(value), kind, (), value.type.shape, dtype_of(value), loop, tuple(attributes), source=source
        )

    def _parts(self, form: Linear) -> list[Linear]:
        """Forms that are all ``>= 0`` where ``form`` is: itself, or if it is not affine those of its minima."""
        return [form] if self._affine(form) is not None else self.analysis.integers.parts(form)

    def _affine(self, form: Linear) -> Affine | None:
        """A form without its lanes."""
        return self.numbering.affine(form.keeping(lambda a: a.kind != "lane", const=True))

    def _form_attributes(self, prefix: str, form: Linear) -> list[tuple[str, int | str]]:
        """``const``, one entry per lane and one per dim or loop; ``opaque`` when the form is none of the box."""
        lanes = [(f"{prefix}lane{a.number}", c) for a, c in form.terms if a.kind == "lane"]
        affine = self._affine(form)
        if affine is None:
            return [(f"{prefix}opaque", 1), *lanes]
        return [(f"{prefix}const", affine.const), *lanes, *((f"{prefix}{name}", c) for name, c in affine.terms)]


def _label(value: Value) -> str:
    """The user's variable; results of a loop are called like the variables that the loop carries."""
    if value.op is not None and value.op.name == "scf.for":
        return value.op.regions[0][0].arguments[1 + value.index].label
    return value.label


def _yielded(op: Operation, position: int) -> list[Value]:
    """What each branch of an ``scf.if`` hands on as its result number ``position``."""
    return [region[0].operations[-1].operands[position] for region in op.regions if region]


def _carried(op: Operation, position: int) -> list[Value]:
    """[initial, yielded] of carried value ``position``."""
    return [op.operands[3 + position], op.regions[0][0].operations[-1].operands[position]]


def _kind(op: Operation) -> str:
    if op.name in ("tt.reduce", "tt.scan"):
        inner = [o.name for o in op.regions[0][0].operations[:-1]]
        combiner = COMBINERS.get(inner[0], "generic") if len(inner) == 1 else "generic"
        return f"{op.name.removeprefix('tt.')}_{combiner}"
    if op.name == "arith.constant":
        return "constant"
    if op.name == "arith.subf" and _is_zero(op.operands[0]):
        return "neg"  # before Triton 3.8 that is how -x arrives
    return KINDS.get(op.name, op.name.partition(".")[2])


def _is_zero(value: Value) -> bool:
    return value.op is not None and value.op.name == "arith.constant" and value.op.attributes.get("value") == 0


def _attributes(op: Operation, kind: str, result: Value) -> tuple[tuple[str, int | str], ...]:
    if kind == "dot":
        return (("k", op.operands[0].type.shape[-1]),)
    if kind == "constant":
        return (("value", str(op.attributes.get("value"))),)
    if kind == "cmp":
        names = _FLOAT_PREDICATES if op.name == "arith.cmpf" else _INTEGER_PREDICATES
        return (("predicate", names[op.integer("predicate")]),)
    if kind == "transpose":
        return (("order", ",".join(map(str, op.integers("order")))),)
    if kind.startswith(("reduce", "scan")):
        reverse = (("reverse", 1),) if op.attributes.get("reverse") is True else ()
        return (("axis", op.integer("axis")), *reverse, *((("result", result.index),) if len(op.results) > 1 else ()))
    if op.name == "tt.expand_dims":
        return (("axis", op.integer("axis")),)
    symbol = op.attributes.get("symbol")
    return (("symbol", symbol),) if isinstance(symbol, str) and symbol else ()


def dtype_of(value: Value) -> str:
    """dtype name of a value's elements; pointers and exotic types keep their MLIR spelling."""
    return ELEMENTS.get(value.type.element, value.type.element)


def source_of(op: Operation) -> str:
    """``file.py:line`` of an operation, empty when unknown."""
    return f"{op.location.file}:{op.location.line}" if op.location.line else ""
