"""Matrix multiplication with a bias and GELU, C = gelu(A @ B + bias), in Helion, which leaves block sizes open.

Run it on a GPU with ``python helion_matmul.py [M N K]``; Helion then tunes the block sizes there.
"""

import sys

import helion
import helion.language as hl
import torch


@helion.kernel(static_shapes=True)
def matmul_bias_gelu(a, b, bias):
    m, k = a.size()
    _, n = b.size()
    c = torch.empty([m, n], dtype=a.dtype, device=a.device)
    for tile_m, tile_n in hl.tile([m, n]):
        acc = hl.zeros([tile_m, tile_n], dtype=torch.float32)
        for tile_k in hl.tile(k):
            acc = torch.addmm(acc, a[tile_m, tile_k], b[tile_k, tile_n])
        c[tile_m, tile_n] = torch.nn.functional.gelu(acc + bias[tile_n]).to(a.dtype)
    return c


def main(m=4096, n=4096, k=4096):
    a = torch.randn((m, k), device="cuda", dtype=torch.bfloat16)
    b = torch.randn((k, n), device="cuda", dtype=torch.bfloat16)
    bias = torch.randn(n, device="cuda", dtype=torch.bfloat16)
    c = matmul_bias_gelu(a, b, bias)
    print(f"({m} x {k}) @ ({k} x {n}) -> {tuple(c.shape)} {c.dtype}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
