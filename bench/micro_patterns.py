"""Predicted cycles or GB/s of measured NoC and DRAM patterns, from the model's own terms.

What a plan pays differs from a stand-alone measurement in two points, and only these are added here. A lone multicast
ends with the acknowledgements of all its receivers (``END_BARRIER``, fitted on the fit rows), which a stream of blocks
never waits for. Traces were recorded with a profiler whose marker makes every read cost 124 cycles to issue
(``TRACED_ISSUE``: the median gap between two reads of one core in the same traces). Core-to-core copies are no transfer
of a plan on these devices, so their figures (``CORE_TO_CORE``, fitted on the fit rows) stand here and test the form of
the formula.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from random import Random

import numpy as np
from gemm_prediction import with_fidelity
from measurements import Row
from vendor_templates import gemm

from cpplan.cost.streams import TileSize, packets, resources, streams, transfer_cycles
from cpplan.cost.units import level_work
from cpplan.device.device import Device, Transfer
from cpplan.device.spec import load_device
from cpplan.plan.plan import Delivery
from cpplan.plan.routes import physical, route

END_BARRIER = {"wormhole": 520, "blackhole": 720}
TRACED_ISSUE = 124
CORE_TO_CORE = {
    ("wormhole", "noc_l1_read"): Transfer(180, Fraction(25), Fraction("28.4")),
    ("wormhole", "noc_l1_write"): Transfer(210, Fraction(20), Fraction("30.8")),
    ("blackhole", "noc_l1_read"): Transfer(210, Fraction(35), Fraction("61.5")),
    ("blackhole", "noc_l1_write"): Transfer(200, Fraction("22.5"), Fraction("62")),
}
"""Between cores of one row or column."""
TURN = {
    ("wormhole", "noc_l1_read"): 100, ("wormhole", "noc_l1_write"): 90,
    ("blackhole", "noc_l1_read"): 150, ("blackhole", "noc_l1_write"): 140,
}  # fmt: skip
"""Further latency when row and column differ, for two longer ways instead of one."""
PLACEMENTS = 25
"""Random placements that a random-placement bandwidth is the median of."""


@lru_cache(maxsize=8)
def device_of(name: str) -> Device:
    """A shipped device."""
    return load_device(name)


def busiest(device: Device, active: tuple[int, ...], store: bool, pages: int, page_bytes: int, noc: int) -> int:
    """Cycles of one private stream per core, all cores together: the busiest resource."""
    layout = resources(device)
    way = Delivery((1,) * len(active), "private", noc, "first")
    found = streams(device, layout, active, store, TileSize(1, page_bytes), np.array([pages], dtype=np.int64), (way,))
    return int(found.fill[0, 0].max())


def core_to_core(row: Row) -> float | None:
    """One core reads from or writes to the L1 of one other core."""
    if not {"one_from_one", "one_to_one"} & dict(row.params).keys():
        return None
    transfer = CORE_TO_CORE[row.chip, row.kernel]
    turn = TURN[row.chip, row.kernel] if row["axis"] == "diff" else 0
    return int(transfer_cycles(transfer, row.number("transactions"), row.number("bytes_each"))) + turn


def interleaved(row: Row) -> float | None:
    """One core and all banks."""
    if "one_core_all_banks" not in dict(row.params):
        return None
    return _alone(row, device_of(row.chip))


def one_bank(row: Row) -> float | None:
    """One core and one bank: no plan moves data like this, DRAM being interleaved."""
    if "one_core_one_bank" not in dict(row.params):
        return None
    device = device_of(row.chip)
    one = tuple(ends[:1] for ends in device.dram.endpoints)
    return _alone(row, replace(device, dram=replace(device.dram, banks=1, endpoints=one), fingerprint="one bank"))


def _alone(row: Row, device: Device) -> int:
    store = row.kernel == "noc_dram_write"
    return busiest(device, (1, 1), store, row.number("transactions"), row.number("bytes_each"), int(store))


def all_cores(row: Row) -> float | None:
    """Every core reads or writes all banks; how many cores ran is not published, the full array is assumed."""
    if "all_cores_all_banks" not in dict(row.params):
        return None
    device = device_of({"wormhole": "wormhole", "blackhole": "blackhole_13x10"}[row.chip])
    active = tuple(d.extent for d in device.dims)
    store = row.kernel == "noc_dram_write"
    return busiest(device, active, store, row.number("transactions"), row.number("bytes_each"), int(store))


def multicast(row: Row) -> float | None:
    """One sender outside its rectangle, linked multicasts."""
    return None if row["loopback"] == "1" else looped(row)


def looped(row: Row) -> float | None:
    """One sender inside its rectangle that also sends to itself, linked multicasts."""
    if row["linked"] != "1" or row["senders"]:
        return None
    multicast = device_of(row.chip).multicast
    assert multicast is not None
    count, size = packets(multicast.transfer, row.number("bytes_each"))
    sent = transfer_cycles(
        replace(multicast.transfer, latency=END_BARRIER[row.chip]), row.number("transactions") * count, size,
        row.number("dests"),
    )  # fmt: skip
    return int(sent)


def bandwidth(row: Row) -> float | None:
    """GB/s of many cores that each read or write 1 MiB of one bank, on an 8x10 Wormhole.

    Writes on dynamic virtual channels fall to a third where many meet at one bank; the model knows static ones only.
    """
    if row["vc"] != "static" and row.kernel == "dram_write":
        return None
    device, noc, store = device_of("wormhole_8x10"), row.number("noc"), row.kernel == "dram_write"
    cores, channels = row.number("tensix"), row.number("channels")
    if row["placement"] == "carefully_chosen" or channels == 1:
        cycles = _one_each(device, noc, store, cores, channels, None)
    else:
        runs = [_one_each(device, noc, store, cores, channels, Random(seed)) for seed in range(PLACEMENTS)]
        cycles = statistics.median(runs)
    return float(cores * 2**20 / cycles * device.clock_mhz / 1000)


def _one_each(device: Device, noc: int, store: bool, cores: int, channels: int, random: Random | None) -> float:
    """Cycles until every core has moved 1 MiB; without ``random`` the cores sit where no link is shared."""
    memory = device.dram
    rates = (
        (memory.bank_write_rate, memory.port_write_rate) if store else (memory.bank_read_rate, memory.port_read_rate)
    )
    each = cores // channels * 2**20
    slowest = each / min(rates)
    if random is not None:
        network = device.nocs[noc]
        everywhere = [(x, y) for x in range(device.dims[0].extent) for y in range(device.dims[1].extent)]
        load: dict[int, int] = {}
        for number, core in enumerate(random.sample(everywhere, cores)):
            bank, here = memory.endpoints[noc][number % channels], physical(device, core)
            for link in route(network, here, bank) if store else route(network, bank, here):
                load[link] = load.get(link, 0) + 2**20
        slowest = max(slowest, max(load.values()) / network.link_rate)
    return float(slowest)


def traced(row: Row) -> float | None:
    """DRAM to sharded L1, recorded with the profiler: rows x columns of cores read their shards page by page."""
    rows, columns = (int(part) for part in row["case"].split("_")[2].split("x"))
    device = device_of("wormhole")
    read = replace(device.dram.read, issue=Fraction(TRACED_ISSUE))
    device = replace(device, dram=replace(device.dram, read=read), fingerprint="traced")
    return busiest(device, (columns, rows), False, row.number("reads") // (rows * columns), row.number("bytes_each"), 0)


def one_core_matmul(row: Row) -> float | None:
    """Matmul blocks of one core out of its own L1: unit times only."""
    device = with_fidelity(device_of(row.chip), row.dtype, row.fidelity)
    m, k, n, blocks = (row.number(key) for key in ("M", "K", "N", "num_blocks"))
    work = level_work(gemm(m, n, k * blocks, (m, n, k), row.dtype), device)
    return int(work["k"].cycles()) * blocks


PATTERNS: dict[str, dict[str, Callable[[Row], float | None]]] = {
    "noc_l1_read": {"core to core": core_to_core},
    "noc_l1_write": {"core to core": core_to_core},
    "noc_dram_read": {"interleaved": interleaved, "one bank": one_bank, "all cores": all_cores},
    "noc_dram_write": {"interleaved": interleaved, "one bank": one_bank, "all cores": all_cores},
    "noc_multicast": {"linked": multicast, "linked, loopback": looped},
    "dram_read": {"many cores": bandwidth},
    "dram_write": {"many cores": bandwidth},
    "noc_trace_dram_to_sharded": {"traced": traced},
    "matmul_block_single_core": {"one core": one_core_matmul},
}
"""Kernel of a row -> predictors by pattern; a row belongs to the first one that predicts it."""

OUTSIDE = {
    "one bank": "plans read interleaved data only",
    "all cores": "the number of cores is not published",
    "linked, loopback": "plans do not send to the sender",
    "traced": "recorded with a profiler that changes the timing",
    "one core": "regression goldens of a test, number of repeats inferred",
}
"""Patterns reported without a goal, and why."""


def predict(row: Row) -> tuple[str, float] | None:
    """(pattern, predicted value in the row's unit), None for rows of patterns that the model does not have."""
    for pattern, predictor in PATTERNS.get(row.kernel, {}).items():
        value = predictor(row)
        if value is not None:
            return pattern, value
    return None
