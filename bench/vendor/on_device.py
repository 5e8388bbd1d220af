"""Hands an emitted program to the vendor's runtime; runs in the environment that vendor_setup.sh makes.

    python on_device.py PROGRAM [--damage NAME] [--gemm]

PROGRAM is a folder that ``cpplan emit`` wrote. The last line printed in braces is JSON: ``grid`` of the device and
``accepted``; with ``--gemm`` the correlation with float32; after a refusal the runtime's complaint in ``error``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import ttnn


def uneven_buffer(host: ModuleType) -> None:
    """A circular buffer that ends inside a page."""
    original = ttnn.CBDescriptor

    def longer(**fields: Any) -> Any:
        return original(**{**fields, "total_size": fields["total_size"] + 64})

    host.ttnn = Changed(CBDescriptor=longer)


def outside(host: ModuleType) -> None:
    """A program on a core that the grid does not have."""
    (x, y), last = host.GRID
    host.GRID = ((x + 200, y), (last[0] + 200, last[1]))
    for name, per_core in host.ARGUMENTS.items():
        host.ARGUMENTS[name] = {(x + 200, y): arguments for (x, y), arguments in per_core.items()}
    host.words = lambda device, arguments: [0 for _ in arguments]


def too_large(host: ModuleType) -> None:
    """Circular buffers larger than a core's memory."""
    host.BUFFERS = [(index, kind, size, pages * 1024) for index, kind, size, pages in host.BUFFERS]


def twice(host: ModuleType) -> None:
    """One buffer index for two circular buffers."""
    host.BUFFERS = [*host.BUFFERS, host.BUFFERS[0]]


def unknown_call(host: ModuleType) -> None:
    """A kernel that calls what the vendor's headers do not have."""
    folder = host.KERNELS.parent / "damaged"
    folder.mkdir(exist_ok=True)
    for kernel in host.KERNELS.glob("*.cpp"):
        (folder / kernel.name).write_text(kernel.read_text().replace("cb_push_back(", "cb_push_behind("))
    host.KERNELS = folder


DAMAGE = {f.__name__.replace("_", "-"): f for f in (uneven_buffer, outside, too_large, twice, unknown_call)}


class Changed:
    """ttnn with some names replaced."""

    def __init__(self, **names: Any) -> None:
        self.__dict__.update(names)

    def __getattr__(self, name: str) -> Any:
        return getattr(ttnn, name)


def loaded(folder: Path) -> ModuleType:
    """The host script as a module."""
    spec = importlib.util.spec_from_file_location("emitted_host", folder / "host.py")
    if spec is None or spec.loader is None:
        sys.exit(f"{folder} has no host.py: name a folder that `cpplan emit` wrote")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs(host: ModuleType) -> dict[str, torch.Tensor]:
    """Random tensors of the shapes and element types that the program was planned for."""
    generator = torch.Generator().manual_seed(0)
    kinds = {layout.tensor: layout.format for layout in host.LAYOUTS}
    return {
        name: values(kinds[name], 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)), generator)
        for name, (shape, strides) in host.TENSORS.items()
    }


def values(kind: str, count: int, generator: torch.Generator) -> torch.Tensor:
    floats = {"bf16": torch.bfloat16, "fp32": torch.float32, "bfp8_b": torch.bfloat16, "bfp4_b": torch.bfloat16}
    if kind in floats:
        return torch.randn(count, generator=generator).to(floats[kind])
    integers = {"int32": torch.int32, "uint32": torch.uint32, "uint16": torch.uint16, "uint8": torch.uint8}
    return torch.ones(count, dtype=integers[kind])


def correlation(
    host: ModuleType, tensors: dict[str, torch.Tensor], written: dict[str, torch.Tensor]
) -> dict[str, float]:
    """How near C is to A @ B of float32: Pearson's correlation and the largest error over the largest result."""
    left, right = (n for n in host.TENSORS if n not in host.WRITTEN)
    (result,) = host.WRITTEN
    a, b = (torch.as_strided(tensors[n], *host.TENSORS[n]).double() for n in (left, right))
    got = torch.as_strided(written[result], *host.TENSORS[result]).double()
    want = a @ b
    pcc = torch.corrcoef(torch.stack([got.flatten(), want.flatten()]))[0, 1].item()
    return {"pcc": pcc, "largest_error": ((got - want).abs().max() / want.abs().max()).item()}


def complaint(error: BaseException) -> str:
    """The runtime's message without its stack."""
    lines = str(error).split("backtrace")[0].splitlines()
    chosen = [line for line in lines if "error:" in line] or [line for line in lines if line.strip()]
    return " / ".join(line.strip() for line in chosen)[:600]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("--damage", choices=DAMAGE)
    parser.add_argument("--gemm", action="store_true")
    options = parser.parse_args()
    host = loaded(options.program)
    if options.damage:
        DAMAGE[options.damage](host)
    device = ttnn.open_device(device_id=0)
    # A program that the cache takes for a known one is not checked again.
    device.disable_and_clear_program_cache()
    size = device.compute_with_storage_grid_size()
    row: dict[str, Any] = {"grid": f"{size.x}x{size.y}"}
    tensors = inputs(host)
    try:
        written = host.run(device, tensors)
        row["accepted"] = True
        if options.gemm:
            row |= correlation(host, tensors, written)
    except Exception as error:  # whatever the runtime raises is the finding
        row |= {"accepted": False, "error": complaint(error)}
    print(json.dumps(row), flush=True)
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
