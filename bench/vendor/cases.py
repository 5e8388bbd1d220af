"""What the vendor's software is shown: programs of ``cpplan emit``, and programs damaged on purpose."""

from __future__ import annotations

from dataclasses import dataclass

MULTICAST = ("--pin", "a_ptr.broadcast=row", "--pin", "b_ptr.broadcast=column")
GEMM = "bench/data/plain_gemm.py"
FREE = ("--free", "BLOCK_M,BLOCK_N,BLOCK_K")
BFP8 = ("--format", "a_ptr=bfp8_b", "--format", "b_ptr=bfp8_b")


@dataclass(frozen=True)
class Case:
    """The best plan of a launch: at level 3 handed over, at 4 executed as a TT-Lang operation, at 5 executed as it is.

    ``damage`` as in on_device.py, at level 4 as in damaged_schedules.py.
    """

    level: int
    name: str
    device: str
    file: str
    sizes: str
    options: tuple[str, ...] = ()
    damage: str | None = None

    def emit(self) -> tuple[str, ...]:
        """Arguments of ``cpplan emit``, without ``--out``."""
        target = ("--target", "ttlang") if self.level == 4 else ()
        return ("emit", self.file, "--device", self.device, *target, *self.options, "--", *self.sizes.split())


KERNELS = (
    ("gemm, even", "examples/matmul.py", "512 512 256", ()),
    ("gemm, ragged", "examples/matmul.py", "500 300 200", ()),
    ("gemm, multicast", GEMM, "512 512 256", (*FREE, "--cores", "4x4", *MULTICAST)),
    ("softmax", "examples/softmax.py", "33 100", ()),
    ("swiglu", "examples/swiglu.py", "33 100", ()),
    ("attention, causal", "examples/attention.py", "1 4 2 128 64", ("--launch", "attention_kernel")),
    ("attention", "examples/attention.py", "1 4 2 150 32", ("--launch", "attention_kernel_2")),
    ("flash decode, parts", "examples/flash_decode.py", "2 8 2 512 64 2", ("--launch", "decode_part_kernel")),
    ("flash decode, combine", "examples/flash_decode.py", "2 8 2 512 64 2", ("--launch", "decode_combine_kernel")),
    ("gemm, bfp8, ragged", "examples/matmul.py", "500 300 200", BFP8),
    ("gemm, bfp8 and its result", "examples/matmul.py", "512 512 256", (*BFP8, "--format", "c_ptr=bfp8_b")),
)
DEVICES = ("wormhole", "blackhole", "blackhole_13x10")
DAMAGES = ("uneven-buffer", "outside", "too-large", "twice", "unknown-call")

HANDED_OVER = tuple(
    Case(3, name, device, file, sizes, options) for device in DEVICES for name, file, sizes, options in KERNELS
)
REFUSED = tuple(
    Case(3, "gemm, multicast", device, GEMM, "512 512 256", KERNELS[2][3], damage)
    for device in DEVICES[:2]  # one of each chip
    for damage in DAMAGES
)
SQUARE = (*FREE, "--cores", "2x2", *MULTICAST)
LARGER = (*FREE, "--cores", "4x4", *MULTICAST)
TWO_BLOCKS = (*SQUARE, "--pin", "BLOCK_K=32")
EXECUTED = (
    Case(5, "gemm 2x2", "wormhole", GEMM, "64 64 64", SQUARE),
    Case(5, "gemm 2x2, two blocks of K, ragged", "wormhole", GEMM, "60 50 64", TWO_BLOCKS),
    Case(5, "gemm 2x2, eight pages of A", "wormhole", GEMM, "64 64 128", SQUARE),
    Case(5, "gemm 2x2, pages in all banks", "wormhole", GEMM, "128 128 128", TWO_BLOCKS),
    Case(5, "gemm 4x4", "wormhole", GEMM, "128 128 128", LARGER),
    Case(5, "gemm 2x2", "blackhole", GEMM, "64 64 64", SQUARE),
    Case(5, "gemm 2x2, three blocks of K, ragged", "blackhole", GEMM, "100 90 70", TWO_BLOCKS),
    Case(5, "gemm 4x4", "blackhole", GEMM, "128 128 128", LARGER),
)

WHOLE = ("--pin", "combine=none")
CAUSAL, FULL = ("--launch", "attention_kernel"), ("--launch", "attention_kernel_2")
IN_STEPS = tuple(
    word for pin in ("BLOCK_K=64", "a_ptr.level=k", "b_ptr.level=k", "*.depth=2") for word in ("--pin", pin)
)
IN_TT_LANG = (
    Case(4, "gemm, multicast", "blackhole", GEMM, "512 512 256", LARGER),
    Case(4, "gemm, multicast, in steps of K", "blackhole", GEMM, "512 512 512", (*LARGER, *IN_STEPS)),
    Case(4, "gemm, multicast, in steps of K", "wormhole", GEMM, "512 512 512", (*LARGER, *IN_STEPS)),
    Case(4, "gemm", "wormhole", GEMM, "1024 1024 1024", (*FREE, *WHOLE)),
    Case(4, "gemm, ragged", "wormhole", GEMM, "1000 900 500", (*FREE, *WHOLE)),
    Case(4, "gemm, leaky relu", "blackhole", "examples/matmul.py", "512 512 256", WHOLE),
    Case(4, "gemm, leaky relu, ragged", "blackhole", "examples/matmul.py", "500 300 200", ("--cores", "5x3", *WHOLE)),
    Case(4, "attention", "wormhole", "examples/attention.py", "1 8 2 512 64", (*FULL, *WHOLE)),
    Case(4, "attention, ragged", "blackhole", "examples/attention.py", "1 4 2 150 32", (*FULL, *WHOLE)),
    Case(4, "attention, causal", "wormhole", "examples/attention.py", "1 8 2 512 64", (*CAUSAL, *WHOLE)),
    Case(4, "attention, causal, ragged", "blackhole", "examples/attention.py", "1 4 2 300 64",
         (*CAUSAL, *WHOLE, "--cores", "4x3")),
    Case(4, "gemm, shared K, ragged", "blackhole", GEMM, "300 200 500",
         ("--cores", "4x4", "--pin", "k.cores=3", "--pin", "combine=tree")),
    Case(4, "attention, shared keys", "blackhole", "examples/attention.py", "1 4 2 256 64",
         (*FULL, "--cores", "4x4", "--pin", "start.cores=4", "--pin", "combine=tree")),
    Case(4, "flash decode, parts", "wormhole", "examples/flash_decode.py", "2 8 2 512 64 2",
         ("--launch", "decode_part_kernel", "--pin", "combine=tree")),
)  # fmt: skip
NOTICED = tuple(
    Case(4, "gemm, multicast, in steps of K", "blackhole", GEMM, "512 512 512", (*LARGER, *IN_STEPS), damage)
    for damage in (
        "narrow-multicast", "missing-push", "wrong-tile", "wrong-block", "shallow-buffer", "no-multicast",
    )
)  # fmt: skip
CASES = (*HANDED_OVER, *REFUSED, *IN_TT_LANG, *NOTICED, *EXECUTED)
