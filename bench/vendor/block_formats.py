"""Numbers as the vendor's host library stores them in block formats; runs in the environment of vendor_setup.sh.

    python block_formats.py NUMBERS.npy STORED.npz

NUMBERS is a matrix of float32 whose sides are multiples of 32; STORED has what comes back of it, by format.
"""

import sys

import numpy as np
import torch
import ttnn

FORMATS = {"bfp8_b": ttnn.bfloat8_b, "bfp4_b": ttnn.bfloat4_b}


def main(numbers: str, stored: str) -> None:
    matrix = torch.from_numpy(np.load(numbers))
    tiles = {name: ttnn.from_torch(matrix, dtype=dtype, layout=ttnn.TILE_LAYOUT) for name, dtype in FORMATS.items()}
    np.savez(stored, **{name: ttnn.to_torch(tensor).float().numpy() for name, tensor in tiles.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
