"""What the vendor's software is shown: programs of ``cpplan emit``, and programs damaged on purpose."""

from __future__ import annotations

from dataclasses import dataclass

MULTICAST = ("--pin", "a_ptr.broadcast=row", "--pin", "b_ptr.broadcast=column")
GEMM = "bench/data/plain_gemm.py"
FREE = ("--free", "BLOCK_M,BLOCK_N,BLOCK_K")


@dataclass(frozen=True)
class Case:
    """The best plan of a launch. Level 3 is handed over, 5 executed and compared; ``damage`` as in on_device.py."""

    level: int
    name: str
    device: str
    file: str
    sizes: str
    options: tuple[str, ...] = ()
    damage: str | None = None

    def emit(self) -> tuple[str, ...]:
        """Arguments of ``cpplan emit``, without ``--out``."""
        return ("emit", self.file, "--device", self.device, *self.options, "--", *self.sizes.split())


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
    Case(5, "gemm 2x2", "blackhole", GEMM, "64 64 64", SQUARE),
    Case(5, "gemm 2x2, three blocks of K, ragged", "blackhole", GEMM, "100 90 70", TWO_BLOCKS),
    Case(5, "gemm 4x4", "blackhole", GEMM, "128 128 128", LARGER),
)
CASES = (*HANDED_OVER, *REFUSED, *EXECUTED)
