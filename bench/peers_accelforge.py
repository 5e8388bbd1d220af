"""One GEMM mapped by AccelForge; run by bench/peers.py in the peers' own environment.

The request is a JSON argument, every answer a JSON line: mapping is repeated and each repetition printed.

AccelForge enumerates partial mappings and prunes them without loss, so its answer is an optimum of its own space. DRAM
accesses cost energy and nothing else does, so energy counts traffic (in pages of 2048 bytes, which float32 holds
exactly); only *as documented*, SRAM and multiply-accumulates cost energy too. An output element takes an accumulator
and a result in a core's memory, as in cpplan's programs.
"""

from __future__ import annotations

import copy
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import accelforge
from accelforge.frontend.mapper.metrics import Metrics
from accelforge.mapper.FFM.main import map_workload_to_arch
from accelforge.model.main import evaluate_mapping
from accelforge.util.parallel import set_n_parallel_jobs

TILE = 32
PAGE = 2048
TRAFFIC = {"dram": 1 / (8 * PAGE), "sram_read": 0, "sram_write": 0, "mac": 0}
"""Energies per bit and per multiply-accumulate that make energy a count of pages."""
EXAMPLE = {"dram": 7.03e-12, "sram_read": 0.249e-12, "sram_write": 0.293e-12, "mac": 0.084e-12}
"""Joules per bit and per multiply-accumulate of AccelForge's own example examples/arches/tpu_v4i.yaml (its main memory,
its 4 MB local buffers, its MAC)."""
KEPT = {"dram_tensors": "keep: All", "l1_tensors": "keep: All"}
"""Everything goes through both memories."""
KEPT_IN_EXAMPLE = {"dram_tensors": "keep: ~Intermediates, may_keep: All", "l1_tensors": "keep: ~Dram, may_keep: All"}
"""The rules of AccelForge's examples (simple.yaml, tpu_v4i.yaml): what is in main memory may bypass the inner one."""
ALL_OPEN = {"unit": 1, "imperfect": False, "once": False, "split": True, "energy": TRAFFIC, "tensors": KEPT}
SETTINGS = {
    "same space": {**ALL_OPEN, "unit": TILE, "imperfect": True, "once": True, "pool": False},
    "no split": {**ALL_OPEN, "unit": TILE, "imperfect": True, "once": True, "split": False, "pool": False},
    "divisors": {**ALL_OPEN, "unit": TILE, "pool": False},
    "elements": {**ALL_OPEN, "pool": False},
    "elements, process pool": {**ALL_OPEN, "pool": True},
    "as documented": {**ALL_OPEN, "energy": EXAMPLE, "tensors": KEPT_IN_EXAMPLE, "pool": True},
}
"""``unit`` elements are one step of every loop; ``imperfect``: factors need not divide; ``once``: outputs are written
once, never read back as partial sums; ``split``: cores may share a reduction; ``energy``: what accesses and operations
cost; ``tensors``: what each memory holds; ``pool``: one process per processor, which is AccelForge's default (there is
no processor time then, as that of the other processes is not known). The last setting is a specification as its
examples have them, mapped as it does when it is told nothing."""

SPEC = """
workload:
  iteration_space_shape: {{m: 0 <= m < {m}, n: 0 <= n < {n}, k: 0 <= k < {k}}}
  bits_per_value: {{All: {bits}}}
  einsums:
  - name: Gemm
    tensor_accesses:
    - {{name: A, projection: [m, k]}}
    - {{name: B, projection: [k, n]}}
    - {{name: C, projection: [m, n], output: True}}
arch:
  nodes:
  - !Memory
    name: Dram
    size: inf
    leak_power: 0
    area: 0
    actions:
    - {{name: read, energy: {dram}, throughput: {dram_bits}}}
    - {{name: write, energy: {dram}, throughput: {dram_bits}}}
    tensors: {{{dram_tensors}}}
  - !Memory
    name: L1
    spatial:
    - {{name: X, fanout: {x}{bounds}}}
    - {{name: Y, fanout: {y}{bounds}}}
    size: {l1_bits}
    leak_power: 0
    area: 0
    bits_per_value: {{C: {output_bits}}}
    actions:
    - {{name: read, energy: {sram_read}, throughput: inf}}
    - {{name: write, energy: {sram_write}, throughput: inf}}
    tensors: {{{l1_tensors}{once}}}
  - !Compute
    name: Mac
    leak_power: 0
    area: 0
    actions:
    - {{name: compute, energy: {mac}, throughput: {macs}}}
"""


def text_of(shape: tuple[int, int, int], machine: dict[str, Any], setting: dict[str, Any]) -> str:
    """The specification; times are in cycles."""
    unit = setting["unit"]
    bits = 16 * unit * unit
    m, n, k = (-(-extent // unit) for extent in shape)
    return SPEC.format(
        m=m, n=n, k=k, bits=bits, output_bits=bits + 32 * unit * unit, **setting["energy"], **setting["tensors"],
        dram_bits=8 * machine["dram_bytes_per_cycle"], x=machine["cores"][0], y=machine["cores"][1],
        l1_bits=8 * machine["sram_bytes"], macs=(TILE / unit) ** 3 / machine["cycles_per_tile_mac"],
        bounds=', loop_bounds: [{expression: k, operator: "==", value: 1}]' if not setting["split"] else "",
        once=", no_refetch_from_above: C" if setting["once"] else "",
    )  # fmt: skip


def steps(mapping: Any) -> list[str]:
    """The mapping in words, outermost first."""
    out = []
    for node in mapping.nodes:
        kind = type(node).__name__
        if kind == "Storage":
            out.append(f"{node.component} holds {' '.join(node.tensors)}")
        elif kind == "Temporal":
            out.append(f"loop {node.rank_variable}, tile {node.tile_shape}")
        elif kind == "Spatial":
            out.append(f"cores along {node.name} take {node.rank_variable}, tile {node.tile_shape}")
    return out


def dram_bytes(spec: Any, row: Any, setting: dict[str, Any]) -> float:
    """What a mapping moves: its energy, or where other things cost energy too, the accesses that the model counts."""
    if setting["energy"] is TRAFFIC:
        return float(row["Total<SEP>energy"]) * PAGE
    evaluated = copy.deepcopy(spec)
    evaluated.model.metrics = Metrics.ACTIONS
    evaluated.mapping = row["Total<SEP>mapping"](_for_model=True)
    counts = evaluate_mapping(evaluated).data
    accesses = re.compile(r"<SEP>action<SEP>Dram<SEP>.*<SEP>(read|write)$")
    return sum(float(counts[name].iloc[0]) for name in counts.columns if accesses.search(name)) / 8


def answers(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One answer per repetition; building the specification is not timed."""
    latency = request["objective"] == "latency"
    setting = SETTINGS[request["setting"]]
    if not setting["pool"]:
        set_n_parallel_jobs(1)
    for _ in range(request["repeats"] + 1):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "spec.yaml"
            path.write_text(text_of(tuple(request["shape"]), request["machine"], setting))
            spec = accelforge.Spec.from_yaml(str(path))
        spec.mapper.metrics = Metrics.LATENCY | Metrics.ENERGY if latency else Metrics.ENERGY
        spec.mapper.explore_imperfect_spatial_loops = setting["imperfect"]
        spec.mapper.explore_imperfect_temporal_loops = setting["imperfect"]
        wall, processor = time.perf_counter(), time.process_time()
        found = map_workload_to_arch(spec, print_progress=False, eval_in_detail=False).data
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        ranked = found.sort_values(["Total<SEP>latency", "Total<SEP>energy"] if latency else ["Total<SEP>energy"])
        first = ranked.iloc[0]
        yield {
            "wall": wall,
            "processor": None if setting["pool"] else processor,
            "latency_cycles": float(first["Total<SEP>latency"]) if latency else None,
            "dram_bytes": dram_bytes(spec, first, setting),
            "optima": len(found),
            "mapping": steps(first["Total<SEP>mapping"]()),
            "version": version("accelforge"),
        }


if __name__ == "__main__":
    for answer in answers(json.loads(sys.argv[1])):
        print(json.dumps(answer), flush=True)
