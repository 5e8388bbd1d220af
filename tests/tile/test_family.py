"""Stacking programs of one skeleton and slicing candidates out again."""

import math
from dataclasses import replace

import numpy as np
import pytest

from cpplan.errors import InternalError
from cpplan.tile.family import candidate_program, families_of, map_leaves, skeleton, stack
from cpplan.tile.program import Access, Affine, Bounds, Dim, Loop, Tensor, TileProgram


def copy_program(block: int, masked: bool = False) -> TileProgram:
    start = Affine(0, (("i", block),))
    return TileProgram(
        name="copy",
        dims=(Dim("i", 1024 // block),),
        loops=(Loop("j", 2, None, None),),
        tensors=(Tensor("x", "bf16", (1024,), (1,)),),
        accesses=(Access("x", "x", "load", (block,), (start,), "j", (masked,), "v"),),
        block=(("B", block),),
    )


def test_stacked_leaves_are_arrays_and_candidates_are_the_originals() -> None:
    programs = [copy_program(32), copy_program(64), copy_program(96, masked=True)]
    family = stack(programs)
    assert family.blocks == ((("B", 32),), (("B", 64),), (("B", 96),))
    assert family.stacked.dims[0].extent.tolist() == [32, 16, 10]  # type: ignore[attr-defined]
    assert family.stacked.dims[0].extent.dtype == np.int64  # type: ignore[attr-defined]
    assert family.stacked.accesses[0].masked[0].tolist() == [False, False, True]  # type: ignore[attr-defined]
    assert [candidate_program(family, i) for i in range(3)] == programs
    assert type(candidate_program(family, 2).accesses[0].masked[0]) is bool


def test_skeleton_forgets_integers_only() -> None:
    program = copy_program(32)
    assert skeleton(program) == skeleton(copy_program(64, masked=True))
    assert skeleton(program) != skeleton(replace(program, loops=()))
    assert skeleton(program) != skeleton(replace(program, name="other"))
    assert skeleton(program) != skeleton(replace(program, loops=(Loop("j", 2, None, 7),)))


def test_bounds_are_stacked_and_fills_are_part_of_the_skeleton() -> None:
    def masked(block: int, fill: float) -> TileProgram:
        program = copy_program(block)
        bounds = (Bounds(ends=(Affine(1000, (("i", block),)),)),)
        return replace(program, accesses=(replace(program.accesses[0], bounds=bounds, fill=fill),))

    stacked = stack([masked(32, -math.inf), masked(64, -math.inf)]).stacked.accesses[0]
    assert stacked.fill == -math.inf
    assert stacked.bounds[0].ends[0].terms[0][1].tolist() == [32, 64]  # type: ignore[attr-defined]
    assert skeleton(masked(32, math.nan)) == skeleton(masked(64, math.nan)) != skeleton(masked(32, 0.0))


def test_programs_are_grouped_in_order_of_appearance() -> None:
    short = replace(copy_program(128), loops=(), accesses=())
    families = families_of([copy_program(32), short, copy_program(64)])
    assert [len(family.blocks) for family in families] == [2, 1]


def test_different_skeletons_do_not_stack() -> None:
    with pytest.raises(InternalError, match="one skeleton"):
        stack([copy_program(32), replace(copy_program(32), name="other")])


def test_leaf_map_keeps_text_and_none() -> None:
    doubled = map_leaves(copy_program(32), lambda leaf: 2 * leaf)
    assert (doubled.block, doubled.loops[0].parent, doubled.dims[0]) == ((("B", 64),), None, Dim("i", 64))
