"""The role of every carried value of a loop: a running sum, maximum or minimum, or a sum that online softmax rescales.

The body is followed op by op in terms of the values that the loop carries (:mod:`cpplan.tile.carry_rules`); an inner
loop is summed up by the roles of what it carries itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from cpplan.tile.arith import Int
from cpplan.tile.carried import FREE, NOTHING, Exponent, Form, Part, Sum, carried, long_axes, reference
from cpplan.tile.carry_rules import Rules
from cpplan.tile.program import Carry, Loop, TileProgram


@dataclass(frozen=True)
class Rescale:
    """A scaled sum is multiplied by ``base ** (number * factors * (old - new))`` when ``peak`` goes from old to new.

    ``axes`` are those of the state along which the axes of the peak lie (of more than one element). ``guard`` is the
    finite value that stands for a peak of minus infinity in the exponent, None where there is no guard.
    """

    peak: Carry
    base: str
    number: Fraction
    factors: tuple[str, ...]
    axes: tuple[int, ...]
    guard: float | None = None


@dataclass(frozen=True)
class Role:
    """``kind`` is "sum", "max", "min" or "scaled sum"; ``added`` is the exponent of what a sum adds up."""

    kind: str
    added: Exponent = NOTHING
    rescale: Rescale | None = None


class Roles:
    """Forms of all values that ``loop`` makes, and the roles of what it carries."""

    def __init__(self, program: TileProgram, loop: Loop) -> None:
        self.loop = loop
        self.within = [item for item in program.loops if loop.name in program.loop_path(item.name)]
        self.ops = {item.name: [op for op in program.ops if op.loop == item.name] for item in self.within}
        self.made = {op.name: op for level in self.ops.values() for op in level}
        self.left_by = {carry.result: item for item in self.within if item is not loop for carry in item.carries}
        self.types = value_types(program)
        loads = {access.value for access in program.accesses if access.loop in self.ops}
        arguments = {carry.argument for item in self.within for carry in item.carries}
        inside = loads | arguments | self.made.keys() | self.left_by.keys()
        self.rules = Rules({op.name: op for op in program.ops}, inside)
        self.forms = {carry.argument: self._carried(carry) for carry in loop.carries}
        self._follow(loop)

    def role(self, carry: Carry, loop: Loop | None = None) -> Role | None:
        """The role of a carried value, None when it has none."""
        form = self.value(carry.yielded)
        if form.extreme and form.extreme.carry == carry.argument and form.extreme.kind:
            return Role(form.extreme.kind)
        if form.sum is None or form.sum.carry != carry.argument:
            return None
        if not form.sum.gain.terms:
            return Role("sum", form.sum.added or NOTHING)
        return self._scaled_sum(form.sum, loop or self.loop)

    def value(self, name: str) -> Form:
        """The form of a value; those that the loop does not make are free."""
        if name not in self.forms:
            if name in self.made:
                op = self.made[name]
                self.forms[name] = self.rules.form(op, [self.value(operand) for operand in op.operands])
            elif name in self.left_by:
                self._sum_up(self.left_by[name])
        return self.forms.get(name, FREE)

    def _carried(self, carry: Carry) -> Form:
        return carried(carry.argument, self._shape(carry))

    def _shape(self, carry: Carry) -> tuple[Int, ...]:
        return self.types[carry.argument][0]

    def _follow(self, loop: Loop) -> None:
        for op in self.ops[loop.name]:
            self.value(op.name)

    def _scaled_sum(self, total: Sum, loop: Loop) -> Role | None:
        """A running sum in units of ``exp(peak)``: what is there and what is added are both taken to the new peak."""
        for peak in loop.carries:
            role, log = self.role_of_peak(peak), self.value(peak.yielded).log
            old = next((item for item in total.gain.terms if item[0][0] == peak.argument), None)
            if role != "max" or log is None or old is None:
                continue
            (_, axes, factors), number = old
            for new, guard in self._names_of(log, peak):
                after = frozenset({((new, axes, factors), -number)})
                matches = total.gain.terms == {old} | after and total.added == Exponent(after, total.gain.base)
                if matches and number > 0:
                    return Role("scaled sum", rescale=Rescale(peak, total.gain.base, number, factors, axes, guard))
        return None

    def role_of_peak(self, carry: Carry) -> str | None:
        """ "max" or "min" for a running extreme."""
        extreme = self.value(carry.yielded).extreme
        return extreme.kind if extreme and extreme.carry == carry.argument and extreme.kind else None

    def _names_of(self, log: Part, peak: Carry) -> Iterator[tuple[str, float | None]]:
        """The references that stand for the new peak."""
        for (name, _, _), _ in log.exponent.terms:
            if log == reference(name, self._shape(peak)):
                yield name, None
                yield from ((safe, fill) for safe, (of, fill) in self.rules.guarded.items() if of == name)

    # -- inner loops ---------------------------------------------------------------------------------------------------

    def _sum_up(self, inner: Loop) -> None:
        """Forms of the results of an inner loop. What it carries is free unless something carried enters it."""
        bound = {carry.argument for carry in inner.carries if not self.value(carry.initial).is_free}
        while True:
            self._forget(inner)
            for carry in inner.carries:
                self.forms[carry.argument] = self._carried(carry) if carry.argument in bound else FREE
            self._follow(inner)
            entered = {carry.argument for carry in inner.carries if not self.value(carry.yielded).is_free} | bound
            if entered == bound:
                break
            bound = entered
        for carry in inner.carries:
            self.forms[carry.result] = self._result(carry, inner) if carry.argument in bound else FREE

    def _forget(self, loop: Loop) -> None:
        for name in self._made_by(loop):
            self.forms.pop(name, None)

    def _made_by(self, loop: Loop) -> set[str]:
        """Values that a loop makes in each trip, and those that it carries and leaves."""
        parents = {item.name: item.parent for item in self.within}
        names: set[str] = set()
        for item in self.within:
            around: str | None = item.name
            while around is not None and around != loop.name:
                around = parents.get(around)
            if around is not None:
                names |= {op.name for op in self.ops[item.name]}
                names |= {name for carry in item.carries for name in (carry.argument, carry.result)}
        return names

    def _result(self, carry: Carry, inner: Loop) -> Form:
        role, start = self.role(carry, inner), self.value(carry.initial)
        if role is None:
            return Form()
        if role.rescale is not None:
            return self._rescaled_result(start, role.rescale)
        if role.kind == "sum":
            if self._made_by(inner) & {name for (name, _, _), _ in role.added.terms}:
                return Form()
            is_zero = self.rules.constant(carry.initial) == 0
            fits = is_zero or (start.weight is not None and start.weight.exponent == role.added)
            total = start.sum.plus(role.added) if start.sum else None
            return Form(weight=Part(role.added) if fits else None, sum=total)
        extreme = start.extreme.joined(start.extreme, role.kind) if start.extreme else None
        return Form(reference(carry.result, self._shape(carry)), extreme=extreme) if extreme else Form()

    def _rescaled_result(self, start: Form, rescale: Rescale) -> Form:
        """``start * exp(old - new)`` plus terms at the new peak."""
        before = self.value(rescale.peak.initial).log
        if rescale.guard is not None or before is None or not before.exact or start.sum is None:
            return Form()
        places = dict(zip(long_axes(self._shape(rescale.peak)), rescale.axes, strict=True))
        old = before.exponent.moved(places.get)
        after = frozenset({((rescale.peak.result, rescale.axes, rescale.factors), -rescale.number)})
        new = Exponent(after, rescale.base)
        gain = old.times(rescale.number, rescale.factors).raised(rescale.base).plus(new) if old else None
        moved = start.sum.times(gain) if gain else None
        return Form(sum=moved.plus(new) if moved else None)


def value_types(program: TileProgram) -> dict[str, tuple[tuple[Int, ...], str]]:
    """Shape and dtype of every value that an op makes or reads, and of what loops carry."""
    found: dict[str, tuple[tuple[Int, ...], str]] = {}
    for op in program.ops:
        found[op.name] = (op.shape, op.dtype)
        for name, shape, dtype in zip(op.operands, op.operand_shapes, op.operand_dtypes, strict=False):
            found.setdefault(name, (shape, dtype))
    for loop in reversed(program.loops):  # inner loops first: what they leave may be what an outer loop carries
        for carry in loop.carries:
            names = (carry.argument, carry.yielded, carry.result, carry.initial)
            known = [found[name] for name in names if name in found]
            for name in names if known else ():
                found.setdefault(name, known[0])
    return found
