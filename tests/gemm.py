"""GEMM and attention tile programs written by hand, for tests that need no frontend."""

from __future__ import annotations

from dataclasses import replace

from cpplan.tile.family import stack
from cpplan.tile.program import Access, Affine, Buffer, Carry, Dim, Loop, Op, Problem, Tensor, TileProgram


def _along(index: str, step: int) -> Affine:
    return Affine(0, ((index, step),))


def gemm(m: int, n: int, k: int, block: tuple[int, int, int], dtype: str = "bf16") -> TileProgram:
    """C[m,n] = A[m,k] B[k,n] at block shape (BM, BN, BK), accumulated in fp32."""
    bm, bn, bk = block
    dims = (Dim("m", -(-m // bm)), Dim("n", -(-n // bn)))
    loops = (Loop("k", -(-k // bk), carries=(Carry("zero", "acc", "sum", "total"),)),)
    tensors = (
        Tensor("a", dtype, (m, k), (k, 1)),
        Tensor("b", dtype, (k, n), (n, 1)),
        Tensor("c", dtype, (m, n), (n, 1)),
    )
    accesses = (
        Access("a", "a", "load", (bm, bk), (_along("m", bm), _along("k", bk)), "k", value="av"),
        Access("b", "b", "load", (bk, bn), (_along("k", bk), _along("n", bn)), "k", value="bv"),
        Access("c", "c", "store", (bm, bn), (_along("m", bm), _along("n", bn)), value="cv"),
    )
    shapes = ((bm, bk), (bk, bn), (bm, bn))
    ops = (
        Op("sum", "dot", ("av", "bv", "acc"), (bm, bn), "fp32", "k", (("k", bk),), shapes, (dtype, dtype, "fp32")),
        Op("cv", "cast", ("total",), (bm, bn), dtype, None, (), ((bm, bn),), ("fp32",)),
    )
    return TileProgram(
        "gemm", dims, loops, tensors, accesses, ops, (Buffer("acc", (bm, bn), "fp32", "k"),),
        (("BM", bm), ("BN", bn), ("BK", bk)),
    )  # fmt: skip


def batched_gemm(batch: tuple[int, ...], m: int, n: int, k: int, block: tuple[int, int, int]) -> TileProgram:
    """C[b,m,n] = A[b,m,k] B[b,k,n] with one parallel dim per batch dim."""
    inner = gemm(m, n, k, block)
    names = tuple(f"b{i}" for i in range(len(batch)))
    outer = tuple(_along(name, 1) for name in names)
    accesses = tuple(replace(a, tile=(1,) * len(batch) + a.tile, starts=outer + a.starts) for a in inner.accesses)
    tensors = tuple(replace(t, shape=batch + t.shape, strides=(1,) * len(batch) + t.strides) for t in inner.tensors)
    dims = tuple(Dim(name, extent) for name, extent in zip(names, batch, strict=True)) + inner.dims
    return replace(inner, name="batched_gemm", dims=dims, tensors=tensors, accesses=accesses)


def blocks_for(m: int, n: int, k: int, largest: int = 256) -> list[tuple[int, int, int]]:
    """Power-of-two block shapes that do not exceed the padded problem."""

    def sizes(extent: int, top: int) -> list[int]:
        return [s for s in (32, 64, 128, 256) if s <= top and s < 2 * extent] or [32]

    return [(bm, bn, bk) for bm in sizes(m, largest) for bn in sizes(n, largest) for bk in sizes(k, 128)]


def gemm_problem(m: int, n: int, k: int, dtype: str = "bf16", largest: int = 256) -> Problem:
    """GEMM with every block shape of :func:`blocks_for` as a candidate."""
    family = stack([gemm(m, n, k, block, dtype) for block in blocks_for(m, n, k, largest)])
    return Problem(f"gemm {m}x{n}x{k}", (family,), (), "", "")


def attention(rows: int, keys: int, head: int, block: tuple[int, int]) -> TileProgram:
    """One parallel dim over query blocks, a loop over key blocks that loads K and V."""
    bm, bn = block
    tensors = tuple(Tensor(n, "bf16", (rows, head), (head, 1)) for n in ("q", "k", "v", "o"))
    accesses = (
        Access("q", "q", "load", (bm, head), (_along("i", bm), Affine()), value="qv"),
        Access("k", "k", "load", (bn, head), (_along("j", bn), Affine()), "j", value="kv"),
        Access("v", "v", "load", (bn, head), (_along("j", bn), Affine()), "j", value="vv"),
        Access("o", "o", "store", (bm, head), (_along("i", bm), Affine()), value="ov"),
    )
    return TileProgram("attention", (Dim("i", -(-rows // bm)),), (Loop("j", -(-keys // bn)),), tensors, accesses)
