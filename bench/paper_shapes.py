"""The shapes of the TileLoom paper's evaluation, per kernel family and device, as command lines of the example files.

Batched GEMM has no table in the paper; its shapes are tt-metal issue 35396 (64x6 heads) and two of the size that
attention scores and projections have.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
DATA = Path(__file__).parent / "data"

GEMM = [(m, n, k) for m, n, k in itertools.product((256, 2048, 16384), repeat=3) if m >= n]
ATTENTION = {
    "wormhole": [(1, 16384), (2, 8192), (4, 4096), (8, 2048), (16, 1024)],
    "blackhole": [(1, 15360), (2, 7680), (4, 3840), (8, 1920), (16, 960), (20, 768)],
}
"""(batch, length); head dims 64 and 128."""
DECODE = {
    "wormhole": [(8, n, d) for n in (1024, 2048, 4096) for d in (64, 128)]
    + [(b, n, 64) for b in (16, 24) for n in (1024, 2048, 4096)],
    "blackhole": [(10, n, 128) for n in (1024, 2048, 4096)]
    + [(10, 4096, 64)]
    + [(b, n, 64) for b in (20, 30) for n in (1024, 2048, 4096)],
}
"""(batch, cache length, head dim); 32 query heads, one key/value head."""
MAMBA = {
    "wormhole": [(1024, 32, 128, g, 128) for g in (4, 8)]
    + [(2048, 64, 128, g, c) for g in (4, 8) for c in (128, 256)]
    + [(4096, 64, 128, g, c) for g in (2, 4) for c in (128, 256)],
    "blackhole": [(1536, 32, 160, g, 192) for g in (4, 8)]
    + [(1920, 32, 128, g, 192) for g in (4, 8)]
    + [(3072, 64, 160, 8, c) for c in (192, 384)]
    + [(3840, 64, 128, g, c) for g in (4, 8) for c in (192, 384)]
    + [(5760, 64, 128, g, c) for g in (2, 4) for c in (192, 384)]
    + [(6144, 64, 160, g, c) for g in (2, 4) for c in (192, 384)],
}
"""(length, heads, head dim, groups, chunk); batch 2, state dim 128."""
BATCHED = [(384, 256, 64, 256), (16, 1024, 1024, 128), (32, 512, 512, 512)]
"""(batch, M, N, K)."""

FAMILIES = ("GEMM", "FlashAttention", "flash decode", "Mamba chunk state", "Mamba chunk scan", "batched GEMM")


@dataclass(frozen=True)
class Case:
    """One launch: the problem of ``path`` run with ``argv`` whose kernel is ``kernel`` with constants ``having``."""

    family: str
    shape: str
    path: Path
    argv: tuple[str, ...]
    kernel: str
    having: tuple[tuple[str, str], ...] = ()


def cases(device: str, families: tuple[str, ...] = FAMILIES) -> Iterator[Case]:
    """All launches on ``device`` ("wormhole" or "blackhole")."""
    for family in families:
        yield from _family(family, device)


def _family(family: str, device: str) -> Iterator[Case]:
    if family == "GEMM":
        for m, n, k in GEMM:
            yield Case(family, f"{m}x{n}x{k}", EXAMPLES / "matmul.py", _words(m, n, k), "matmul_kernel")
    elif family == "FlashAttention":
        for (b, n), d in itertools.product(ATTENTION[device], (64, 128)):
            argv = _words(b, 1, 1, n, d)
            having = (("CAUSAL", "False"),)
            yield Case(family, f"B{b}-L{n}-D{d}", EXAMPLES / "attention.py", argv, "attention_kernel", having)
    elif family == "flash decode":
        for b, n, d in DECODE[device]:
            argv = _words(b, 32, 1, n, d, 8)
            yield Case(family, f"B{b}-L{n}-D{d}", EXAMPLES / "flash_decode.py", argv, "decode_part_kernel")
    elif family == "batched GEMM":
        for b, m, n, k in BATCHED:
            yield Case(family, f"{b}x{m}x{n}x{k}", EXAMPLES / "batched_matmul.py", _words(b, m, n, k), "bmm_kernel")
    else:
        which = family.removeprefix("Mamba chunk ")
        for n, h, p, g, c in MAMBA[device]:
            argv = (which, *_words(2, n, h, p, g, 128, c))
            yield Case(family, f"L{n}-N{h}-H{p}-G{g}-C{c}", DATA / "paper_mamba.py", argv, f"chunk_{which}_kernel")


def _words(*numbers: int) -> tuple[str, ...]:
    return tuple(map(str, numbers))
