"""``cpplan run`` on launches that are unlike those of the examples: equal to Triton's interpreter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cpplan.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(example: str, *arguments: str) -> dict[str, Any]:
    options, _, sizes = " ".join(arguments).partition(" -- ")
    command = ["run", str(EXAMPLES / f"{example}.py"), *options.split(), "--json", "--", *sizes.split()]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize("device", ["wormhole", "blackhole"])
@pytest.mark.parametrize("sizes", ["1 3 3 100 32 2", "2 2 2 70 32 1"])
def test_decoding_with_as_many_key_heads_as_heads(device: str, sizes: str) -> None:
    """The block has 16 heads of which the mask leaves one: the next ones belong to other blocks."""
    assert run("flash_decode", f"--device {device} --cores 2x2@1,1 -- {sizes}")["equal"]


@pytest.mark.parametrize(
    ("example", "pinned", "sizes"),
    [
        ("matmul", "BLOCK_K=96", "--free BLOCK_M,BLOCK_N,BLOCK_K -- 70 33 300"),
        ("swiglu", "BLOCK_M=96", "--free BLOCK_M,BLOCK_N -- 97 70"),
    ],
)
def test_free_block_sizes_are_compared_though_triton_lowers_powers_of_two_only(
    example: str, pinned: str, sizes: str
) -> None:
    assert run(example, f"--device wormhole --cores 2x2@1,1 --pin {pinned} {sizes}")["equal"]
