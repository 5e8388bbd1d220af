"""TileLoom's published rules give its published candidate counts."""

from __future__ import annotations

from collections import Counter

import pytest
from gemm import attention, gemm

from cpplan.device.spec import load_device
from cpplan.enumerate.tileloom import candidates


@pytest.mark.parametrize("block", [(128, 128, 64), (256, 256, 64), (64, 128, 32)])
def test_gemm_on_the_8x8_mesh_has_64_candidates_16_per_mapping(block: tuple[int, int, int]) -> None:
    found = list(candidates(gemm(2048, 2048, 2048, block), load_device("wormhole")))
    assert len(found) == len(set(found)) == 64
    assert sorted(Counter(c.buckets for c in found).values()) == [16, 16, 16, 16]


def test_gemm_on_the_triple_ring_has_48_candidates_over_six_mappings() -> None:
    found = list(candidates(gemm(2048, 2048, 2048, (128, 128, 64)), load_device("triple_ring")))
    assert len(found) == len(set(found)) == 48
    assert len({c.buckets for c in found}) == 6


def test_attention_on_the_8x8_mesh_has_the_16_candidates_that_follow_from_the_rules() -> None:
    assert len(list(candidates(attention(4096, 4096, 128, (128, 128)), load_device("wormhole")))) == 16
