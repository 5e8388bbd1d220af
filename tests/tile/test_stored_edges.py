"""Edges of matrices in block formats, against all elements of all blocks looked at one by one."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from cpplan.tile.family import stack
from cpplan.tile.program import Access, Affine, Bounds, Dim, Loop, Tensor, TileProgram
from cpplan.tile.stored_edges import why_not_at_edges

INDICES = {"m": 3, "n": 2, "k": 2}
"""Blocks of the grid, and trips of the loop."""
TILE = (64, 32)

forms = st.builds(
    lambda const, terms: Affine(const, tuple(sorted((name, f) for name, f in terms.items() if f))),
    st.sampled_from([-32, 0, 5, 32, 41, 96, 200]),
    st.dictionaries(st.sampled_from(sorted(INDICES)), st.sampled_from([16, 32, 64]), max_size=2),
)
limits = st.lists(forms, max_size=1).map(tuple)
bounds = st.builds(Bounds, limits, limits)


def program(access: Access, shape: tuple[int, int], dtype: str) -> TileProgram:
    dims = (Dim("m", INDICES["m"]), Dim("n", INDICES["n"]))
    loops = (Loop("k", INDICES["k"]),)
    return TileProgram("edges", dims, loops, (Tensor("x", dtype, shape, (shape[1], 1)),), (access,), (), (), ())


def at(form: Affine, where: dict[str, int]) -> int:
    return form.const + sum(factor * where[name] for name, factor in form.terms)


def replaced(access: Access, shape: tuple[int, int]) -> bool:
    """Whether some element of some tile does not take part."""
    for values in itertools.product(*(range(extent) for extent in INDICES.values())):
        where = dict(zip(INDICES, values, strict=True))
        for axis, extent in enumerate(shape):
            start = at(access.starts[axis], where)
            begins = [0, *(at(begin, where) for begin in access.bounds[axis].begins)]
            ends = [extent, *(at(end, where) for end in access.bounds[axis].ends)]
            if start < max(begins) or start + access.tile[axis] > min(ends):
                return True
    return False


@settings(max_examples=300, deadline=None)
@given(st.tuples(forms, forms), st.tuples(bounds, bounds), st.sampled_from([(64, 32), (96, 64), (320, 320), (50, 70)]))
def test_no_element_is_replaced_by_anything_but_zero(
    starts: tuple[Affine, Affine], limits: tuple[Bounds, Bounds], shape: tuple[int, int]
) -> None:
    access = Access("x", "x", "load", TILE, starts, "k", fill=1.0, bounds=limits)
    if replaced(access, shape):
        assert "puts 1.0 in place of elements" in why_not_at_edges(program(access, shape, "bfp8_b"), access)


def test_tiles_inside_of_the_tensor_are_stored() -> None:
    whole = Access("x", "x", "load", TILE, (Affine(0, (("m", 64),)), Affine(0, (("n", 32),))), "k", fill=1.0,
                   bounds=(Bounds((), (Affine(192),)), Bounds((), (Affine(64),))))  # fmt: skip
    assert not replaced(whole, (192, 64))
    assert why_not_at_edges(program(whole, (192, 64), "bfp8_b"), whole) == ""


def test_of_several_block_shapes_all_have_to_fail() -> None:
    def rows(tile: int) -> TileProgram:
        starts = (Affine(0, (("m", tile),)), Affine(0, (("n", 32),)))
        access = Access("x", "x", "load", (tile, 32), starts, "k", fill=1.0)
        return program(access, (96, 64), "bfp8_b")

    def reason(*tiles: int) -> str:
        stacked = stack([rows(tile) for tile in tiles]).stacked
        return why_not_at_edges(stacked, stacked.accesses[0])

    assert (reason(32), reason(32, 64)) == ("", "")
    assert "puts 1.0 in place" in reason(64)
    assert "puts 1.0 in place" in reason(64, 128)
