"""Buffers and tensors lie where the vendor's runtime would put them: in order, aligned, apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from emulate.gemm_program import Gemm, gemm_program

from cpplan.emit_ttmetal.program import (
    CB_REGION,
    DRAM_ALIGNMENT,
    DRAM_BANKS,
    Arch,
    CircularBuffer,
    ComputeConfig,
    Core,
    Program,
    TensorAddress,
    noc_coordinates,
)
from cpplan.emulate import ProgramFault
from cpplan.emulate.layout import argument_word, buffer_addresses, tensor_addresses

ARCHS: list[Arch] = ["wormhole", "blackhole"]


def with_buffers(arch: Arch, *buffers: CircularBuffer) -> Program:
    return replace(gemm_program(Gemm(arch=arch)), buffers=buffers)


def buffer(index: int, page_bytes: int, cores: tuple[Core, ...], address: int | None = None) -> CircularBuffer:
    return CircularBuffer(index, f"b{index}", "bf16", page_bytes, 2, cores, address)


@pytest.mark.parametrize("arch", ARCHS)
def test_buffers_follow_each_other_on_the_cores_they_share(arch: Arch) -> None:
    left, right = ((0, 0),), ((1, 0),)
    program = with_buffers(arch, buffer(0, 1040, left), buffer(1, 2048, right), buffer(2, 2048, (*left, *right)))
    first, second, third = buffer_addresses(program)
    assert first == second == -(-CB_REGION[arch][0] // DRAM_ALIGNMENT[arch]) * DRAM_ALIGNMENT[arch]
    assert third == second + 2 * 2048  # the longer of the two below it, at one address on both cores
    assert all(address % DRAM_ALIGNMENT[arch] == 0 for address in (first, second, third))


@pytest.mark.parametrize("arch", ARCHS)
def test_a_given_address_is_kept_and_l1_has_an_end(arch: Arch) -> None:
    core = ((0, 0),)
    start, end = CB_REGION[arch]
    assert buffer_addresses(with_buffers(arch, buffer(0, 2048, core, end - 4096))) == (end - 4096,)
    for address in (start - 16, end - 4080):
        with pytest.raises(ProgramFault, match="outside the"):
            buffer_addresses(with_buffers(arch, buffer(0, 2048, core, address)))


@pytest.mark.parametrize("arch", ARCHS)
def test_tensors_are_apart_in_every_bank(arch: Arch) -> None:
    program = gemm_program(Gemm(arch=arch))
    addresses = tensor_addresses(program)
    spans = sorted(
        (addresses[t.name], addresses[t.name] + -(-t.pages // DRAM_BANKS[arch]) * t.page_bytes) for t in program.tensors
    )
    assert all(end < start for (_, end), (start, _) in pairwise(spans))
    assert argument_word(TensorAddress("B"), addresses) == addresses["B"]
    assert argument_word(-1, addresses) == 0xFFFFFFFF
    with pytest.raises(ProgramFault, match="address of X, which is not a tensor"):
        argument_word(TensorAddress("X"), addresses)


def test_noc_coordinates_skip_the_columns_without_workers() -> None:
    assert noc_coordinates("wormhole", [(0, 0), (7, 9)]) == {(0, 0): (18, 18), (7, 9): (25, 27)}
    assert noc_coordinates("blackhole", [(0, 0), (6, 9), (7, 0), (13, 9)]) == {
        (0, 0): (1, 2),
        (6, 9): (7, 11),
        (7, 0): (10, 2),
        (13, 9): (16, 11),
    }


@pytest.mark.parametrize("fp32, full, tiles", [(False, False, 8), (True, False, 4), (False, True, 16), (True, True, 8)])
def test_capacity_of_dst(fp32: bool, full: bool, tiles: int) -> None:
    assert ComputeConfig(fp32_dest_acc=fp32, dst_full_sync=full).dst_tiles == tiles
