"""Where the host puts things: circular buffers in L1 and tensors in DRAM, by the vendor runtime's rules."""

from __future__ import annotations

from collections.abc import Mapping

from cpplan.emit_ttmetal.program import CB_REGION, DRAM_ALIGNMENT, DRAM_BANKS, Core, Program, RuntimeArg, TensorAddress
from cpplan.emulate.faults import ProgramFault

FIRST_DRAM_BYTE = 1 << 20
DRAM_GAP = 1 << 16
"""Unowned bytes between tensors, so that a read past a tensor's end is found."""


def align(value: int, to: int) -> int:
    return -(-value // to) * to


def buffer_addresses(program: Program) -> tuple[int, ...]:
    """L1 offset of each buffer: its own address, or the first free one that all its cores share, in order of listing.

    Raises ProgramFault when L1 of a core overflows.
    """
    start, end = CB_REGION[program.arch]
    free: dict[Core, int] = {}
    addresses = []
    for buffer in program.buffers:
        address = buffer.address
        if address is None:
            lowest = max((free.get(core, start) for core in buffer.cores), default=start)
            address = align(lowest, DRAM_ALIGNMENT[program.arch])
        if address < start or address + buffer.size > end:
            raise ProgramFault(
                f"buffer {buffer.index} ({buffer.name}): bytes {address}..{address + buffer.size} are outside the "
                f"{end - start} bytes of L1 that buffers may take; make blocks smaller or buffers shallower"
            )
        addresses.append(address)
        for core in buffer.cores:
            free[core] = max(free.get(core, start), address + buffer.size)
    return tuple(addresses)


def tensor_addresses(program: Program) -> dict[str, int]:
    """Base address of each tensor, the same in every bank."""
    alignment, banks = DRAM_ALIGNMENT[program.arch], DRAM_BANKS[program.arch]
    addresses, free = {}, FIRST_DRAM_BYTE
    for tensor in program.tensors:
        addresses[tensor.name] = free
        rows = -(-tensor.pages // banks)
        free = align(free + rows * align(tensor.page_bytes, alignment) + DRAM_GAP, alignment)
    if free >= 1 << 32:
        raise ProgramFault("the tensors take more than 4 GiB per DRAM bank")
    return addresses


def argument_word(argument: RuntimeArg, addresses: Mapping[str, int]) -> int:
    """A run-time argument as the 32-bit word that the kernel reads."""
    if not isinstance(argument, TensorAddress):
        return argument & 0xFFFFFFFF
    if argument.tensor not in addresses:
        raise ProgramFault(f"a run-time argument asks for the address of {argument.tensor}, which is not a tensor")
    return addresses[argument.tensor]
