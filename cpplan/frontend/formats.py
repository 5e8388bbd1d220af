"""Tensors in block formats: what the user says of them, and whether the kernel lets them be stored so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cpplan.errors import InputError, KernelError
from cpplan.tile.layout import BLOCK_FORMATS
from cpplan.tile.stored import block_formats, why_not_stored

if TYPE_CHECKING:
    from cpplan.frontend.launch import Launch
    from cpplan.tile.program import Problem, TileProgram


def parse_formats(texts: Iterable[str]) -> dict[str, str]:
    """``a_ptr=bfp8_b`` per tensor. Raises :class:`InputError` for another format, or two of one tensor."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, format_ = text.partition("=")
        if not (name and equals and format_):
            raise InputError(f"--format {text}: write TENSOR=FORMAT, such as a_ptr=bfp8_b")
        if format_ not in BLOCK_FORMATS:
            raise InputError(
                f"--format {text}: {format_} is no block format: {' and '.join(BLOCK_FORMATS)} are. Other element "
                "types are those that the file gives its tensors"
            )
        if found.setdefault(name, format_) != format_:
            raise InputError(f"--format {text}: {name} is to be {found[name]} as well: a tensor has one format")
    return found


def with_formats(groups: Sequence[list[Launch]], formats: Mapping[str, str]) -> list[list[Launch]]:
    """Launches that store in ``formats`` what they have of these tensors, also when they are replayed.

    Raises :class:`InputError` for a name that is a tensor of no launch.
    """
    from cpplan.frontend.interpreted import tensor_arguments

    tensors = {name for group in groups for launch in group for name in tensor_arguments(launch)}
    for name, format_ in formats.items():
        if name not in tensors and groups:
            there = ", ".join(dict.fromkeys(n for group in groups for n in tensor_arguments(group[0]))) or "none"
            kernels = ", ".join(dict.fromkeys(group[0].kernel for group in groups))
            raise InputError(f"--format {name}={format_}: {kernels} has no tensor of that name; there is {there}")
    return [[_storing(launch, formats) for launch in group] for group in groups]


def _storing(launch: Launch, formats: Mapping[str, str]) -> Launch:
    from cpplan.frontend.interpreted import tensor_arguments

    own = tuple((name, formats[name]) for name in tensor_arguments(launch) if name in formats)
    again = launch.replay
    if not own or again is None:
        return replace(launch, formats=own)

    def replay(overrides: Mapping[str, Any]) -> Launch:
        return _storing(again(overrides), formats)

    return replace(launch, formats=own, replay=replay)


def unstorable(launch: Launch, program: TileProgram) -> KernelError | None:
    """Why a tensor of ``launch`` cannot have its block format in ``program``, which is plain or stacked."""
    from cpplan.frontend.interpreted import tensor_arguments

    arguments, formats = tensor_arguments(launch), block_formats(program)
    for tensor in (tensor for tensor in program.tensors if tensor.name in formats):
        own = arguments[tensor.name]
        reason = why_not_stored(program, tensor, own.dtype)
        for name, other in arguments.items():
            shared = other.storage == own.storage >= 0 and formats.get(name) != tensor.dtype
            if shared and any(program.is_written(one) for one in (name, tensor.name)):
                reason = reason or f"{name} is the same memory, is written, and has another format: give both the same"
        if reason:
            return KernelError(
                f"{launch.source}: {tensor.name} of {launch.kernel} cannot be stored as {tensor.dtype}: {reason}"
            )
    return None


def check_accessed(problems: Sequence[Problem], formats: Mapping[str, str]) -> None:
    """Raises :class:`InputError` for a tensor that none of the kernels reads or writes."""
    moved = {tensor.name for problem in problems for family in problem.families for tensor in family.stacked.tensors}
    for name, format_ in formats.items():
        if problems and name not in moved:
            kernels = ", ".join(problem.name for problem in problems)
            raise InputError(f"--format {name}={format_}: {kernels} neither reads nor writes {name}")


def storage_text(name: str, value: object, formats: Iterable[tuple[str, str]]) -> str:
    """An argument for people: ``bf16[64,64] as bfp8_b``; of a tuple each member that is stored so."""
    own = dict(formats)
    if name in own:
        return f"{value} as {own[name]}"
    members = [f"{n} as {format_}" for n, format_ in own.items() if n.startswith(f"{name}.")]
    return ", ".join([str(value), *members])
