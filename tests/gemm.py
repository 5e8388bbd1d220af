"""GEMM and attention tile programs written by hand, for tests that need no frontend."""

from __future__ import annotations

from cpplan.tile.program import Access, Affine, Buffer, Carry, Dim, Loop, Op, Tensor, TileProgram


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
