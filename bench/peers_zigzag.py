"""One GEMM mapped by ZigZag; run by bench/peers.py in the peers' own environment.

The request is a JSON argument, every answer a JSON line: mapping is repeated and each repetition printed.

A multiplier of the array is a core; it multiplies two hardware tiles per ZigZag cycle, so a ZigZag cycle is as many
cycles as that takes. Searches are the shipped ones with their default effort: three spatial mappings, temporal loops by
LOMA. DRAM accesses cost energy and nothing else does, so energy counts traffic in pages of 2048 bytes.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from zigzag.mapping.temporal_mapping import TemporalMappingType
from zigzag.stages.evaluation.cost_model_evaluation import CostModelStage
from zigzag.stages.main import MainStage
from zigzag.stages.mapping.spatial_mapping_generation import SpatialMappingGeneratorStage
from zigzag.stages.mapping.temporal_mapping_generator_stage import TemporalMappingGeneratorStage
from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage
from zigzag.stages.parser.workload_parser import WorkloadParserStage
from zigzag.stages.results.reduce_stages import MinimalEnergyStage, MinimalLatencyStage
from zigzag.stages.workload_iterator import WorkloadStage

TILE = 32
PAGE_BITS = 8 * 2048
OPERANDS = ("I1", "I2", "O")
WIDE = 1000 * PAGE_BITS
"""Bits per cycle of ports that shall not count."""


def port(name: str, kind: str, width: int, *flows: str) -> dict[str, Any]:
    """A memory port in ZigZag's words."""
    return {"name": name, "type": kind, "bandwidth_min": 1, "bandwidth_max": width, "allocation": list(flows)}


def memory(size: int, cost: float, served: list[str], ports: list[dict[str, Any]]) -> dict[str, Any]:
    """A memory in ZigZag's words."""
    return {
        "size": size, "r_cost": cost, "w_cost": cost, "area": 0.0, "latency": 1, "operands": list(OPERANDS),
        "ports": ports, "served_dimensions": served,
    }  # fmt: skip


def accelerator(machine: dict[str, Any]) -> dict[str, Any]:
    """The machine in ZigZag's words."""
    width = 8 * machine["dram_bytes_per_cycle"] * machine["cycles_per_tile_mac"]
    inner = [port(f"r_port_{i}", "read", WIDE, f"{o}, tl") for i, o in enumerate(OPERANDS)]
    inner += [port(f"w_port_{i}", "write", WIDE, f"{o}, fh") for i, o in enumerate(OPERANDS)]
    inner += [port("r_port_3", "read", WIDE, "O, th"), port("w_port_3", "write", WIDE, "O, fl")]
    flows = [f"{o}, {way}" for o in OPERANDS for way in ("fh", "tl")] + ["O, fl", "O, th"]
    outer = [port("rw_port_0", "read_write", width, *flows)]
    return {
        "name": "grid",
        "memories": {
            "l1": memory(8 * machine["sram_bytes"], 0.0, [], inner),
            "dram": memory(2**50, width / PAGE_BITS, ["D1", "D2"], outer),
        },
        "operational_array": {
            "input_precision": [16, 16], "unit_energy": 0.0, "unit_area": 0.0, "dimensions": ["D1", "D2"],
            "sizes": machine["cores"],
        },
    }  # fmt: skip


def workload(shape: tuple[int, int, int]) -> list[dict[str, Any]]:
    """The GEMM in hardware tiles; a partial output has a 32-bit accumulator besides its 16 bits."""
    m, n, k = (-(-extent // TILE) for extent in shape)
    precision = {"I": PAGE_BITS, "W": PAGE_BITS, "O": 3 * PAGE_BITS, "O_final": PAGE_BITS}
    return [
        {
            "id": 0, "name": "gemm", "operator_type": "Gemm", "equation": "O[b][k]+=I[b][c]*W[c][k]",
            "loop_dims": ["B", "K", "C"], "loop_sizes": [m, n, k], "operand_precision": precision,
            "operand_source": {"I": 0, "W": 0},
        }
    ]  # fmt: skip


def answers(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One answer per repetition; the whole run is timed, reading three small files included."""
    logging.disable(logging.CRITICAL)
    machine = request["machine"]
    mapping = [{"name": "default", "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}]
    parts = {"accelerator": accelerator(machine), "workload": workload(tuple(request["shape"])), "mapping": mapping}
    best = MinimalLatencyStage if request["objective"] == "latency" else MinimalEnergyStage
    for _ in range(request["repeats"] + 1):
        with tempfile.TemporaryDirectory() as folder:
            files = {name: str(Path(folder) / f"{name}.yaml") for name in parts}
            for name, content in parts.items():
                Path(files[name]).write_text(yaml.safe_dump(content, sort_keys=False))
            wall, processor = time.perf_counter(), time.process_time()
            stages = [
                WorkloadParserStage, AcceleratorParserStage, WorkloadStage, best, SpatialMappingGeneratorStage, best,
                TemporalMappingGeneratorStage, CostModelStage,
            ]  # fmt: skip
            found = MainStage(
                list_of_callables=stages, **files, dump_folder=folder, loma_lpf_limit=6, nb_mappings_generated=3,
                loma_show_progress_bar=False, enable_mix_spatial_mapping_generation=False,
                access_same_data_considered_as_no_access=True, temporal_mapping_type=TemporalMappingType.UNEVEN,
            ).run()[0][0]  # fmt: skip
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
        yield {
            "wall": wall,
            "processor": processor,
            "latency_cycles": float(found.latency_total2 * machine["cycles_per_tile_mac"]),
            "dram_bytes": float(found.energy_total) * PAGE_BITS / 8,
            "mapping": [f"spatial {found.spatial_mapping}", f"temporal {found.temporal_mapping}"],
            "version": version("zigzag-dse"),
        }


if __name__ == "__main__":
    for answer in answers(json.loads(sys.argv[1])):
        print(json.dumps(answer), flush=True)
