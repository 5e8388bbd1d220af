"""Random inputs for a launch, and how far results may be from what the interpreter computes in single precision."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from cpplan.emit_ttmetal.elements import STORED, decoded, encoded
from cpplan.emit_ttmetal.launch import as_held
from cpplan.errors import InputError
from cpplan.frontend.interpreted import elements_of, tensor_arguments
from cpplan.frontend.launch import Launch
from cpplan.tile.program import Tensor, TileProgram

Array = npt.NDArray[Any]

PRECISION = {"bf16": 2.0**-8, "fp16": 2.0**-11, "fp32": 2.0**-11}
"""Spacing of numbers around 1 that the units keep: single precision passes through them with 10 bits of fraction."""

BLOCK_STEP = {"bfp8_b": 2.0**-6, "bfp4_b": 2.0**-2}
"""Spacing of the numbers in a block whose largest one is around 1: what differs a little may be rounded to either, and
the packer does not always take the nearest."""

ROUNDINGS = 4
"""Steps of that size which errors of a whole kernel may add up to, relative to the largest result."""

FURTHER_PRODUCT = 2
"""Steps more for each product of a product: at HiFi2 the last bit of one operand is dropped, always towards zero."""


def random_memory(launch: Launch, program: TileProgram, seed: int) -> dict[str, Array]:
    """Contents of all tensors: normally distributed numbers that their type can hold, zeros where the kernel writes and
    does not read.

    Tensors in block formats get numbers that their pages hold. Integers are those that the file gave, else zeros.
    Raises :class:`~cpplan.errors.InputError` for element types that programs do not have.
    """
    random = np.random.default_rng(seed)
    out: dict[str, Array] = {}
    for name, argument in tensor_arguments(launch).items():
        count = max([elements_of(argument)] + [_extent(t) for t in program.tensors if t.name == name])
        if argument.dtype not in STORED:
            raise InputError(f"{launch.source}: {name} has elements of {argument.dtype}, which programs do not move")
        if argument.dtype not in PRECISION:
            values = np.zeros(count, STORED[argument.dtype])
            if argument.values is not None:
                values[: argument.values.size] = argument.values.reshape(-1)
            out[name] = values
        elif program.is_written(name) and not any(access.tensor == name for access in program.loads()):
            out[name] = decoded(encoded(np.zeros(count), argument.dtype), argument.dtype)
        else:
            out[name] = decoded(encoded(random.standard_normal(count), argument.dtype), argument.dtype)
    return as_held(program, out)


def tolerance(program: TileProgram, tensor: Tensor, expected: Array) -> float:
    """Largest difference that counts as equal: some roundings of the coarsest type on the way, and one for each further
    update of an element of 16 bits, at the largest value. A result in a block format may be rounded to a neighbour."""
    roundings = ROUNDINGS + FURTHER_PRODUCT * max(0, chained_products(program) - 1)
    if tensor.dtype not in PRECISION and tensor.dtype not in BLOCK_STEP:
        return 0.0
    types = [program.tensor(access.tensor).dtype for access in program.accesses]
    types += [op.dtype for op in program.ops]
    coarsest = max((PRECISION[dtype] for dtype in types if dtype in PRECISION), default=PRECISION["bf16"])
    finite = np.abs(expected[np.isfinite(expected)])
    updating = PRECISION[tensor.dtype] * (updates(program, tensor) - 1) if tensor.dtype in ("bf16", "fp16") else 0.0
    step = BLOCK_STEP.get(tensor.dtype, 0.0)
    return float((roundings * coarsest + updating + step) * max(finite.max(initial=0.0), 2.0**-6))


def updates(program: TileProgram, tensor: Tensor) -> int:
    """How often blocks and trips come back to an element of ``tensor`` to update it, at least 1."""
    total = 1
    for access in program.accesses:
        if access.kind == "atomic" and access.tensor == tensor.name:
            total *= math.prod(dim.extent for dim in program.dims if dim.name not in access.indices)
            loops = map(program.loop, program.loop_path(access.loop))
            total *= math.prod(loop.trips for loop in loops if loop.name not in access.indices)
    return total


def chained_products(program: TileProgram) -> int:
    """Most ``dot`` ops on a way through the kernel on which each result is a factor of the next."""
    depth: dict[str, int] = {}
    carries = [carry for loop in program.loops for carry in loop.carries]
    source = {c.argument: c.initial for c in carries} | {c.result: c.yielded for c in carries}
    for op in program.ops:
        before = [depth.get(source.get(value, value), 0) for value in op.operands]
        if op.kind == "dot":  # a third operand is added to, not multiplied
            depth[op.name] = max([1 + max(before[:2]), *before[2:]])
        else:
            depth[op.name] = max(before, default=0)
    return max(depth.values(), default=0)


def largest_error(computed: Array, expected: Array) -> float:
    """Largest difference; infinite where only one of both is no number, or they are different infinities."""
    same = (computed == expected) | (np.isnan(computed) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        error = np.abs(np.where(same, 0.0, computed.astype(np.float64) - expected.astype(np.float64)))
    return float(np.where(np.isnan(error), np.inf, error).max(initial=0.0))


def _extent(tensor: Tensor) -> int:
    return 1 + sum((extent - 1) * step for extent, step in zip(tensor.shape, tensor.strides, strict=True))
