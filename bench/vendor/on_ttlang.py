"""Executes an emitted operation in TT-Lang's simulator: `tt-lang-sim on_ttlang.py --trace FILE OPERATION FOLDER`.

FOLDER holds ``call.json`` (the function, and name and type of its tensors) and the tensors as ``NAME.npy``; they are
written back after the call, and ``buffers.json`` with the dataflow buffers that the simulator made on a node: tensor,
shape in tiles, blocks.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
import ttl
import ttnn


def main(operation: Path, folder: Path) -> None:
    call = json.loads((folder / "call.json").read_text())
    spec = importlib.util.spec_from_file_location("operation", operation)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    device = ttnn.open_device(device_id=0)
    tensors = {
        name: ttnn.from_torch(
            torch.from_numpy(np.load(folder / f"{name}.npy")),
            dtype=getattr(ttnn, kind),
            layout=ttnn.TILE_LAYOUT,
            device=device,
            memory_config=ttnn.DRAM_MEMORY_CONFIG,
        )
        for name, kind in call["tensors"]
    }
    names = {id(tensor): name for name, tensor in tensors.items()}
    made: list[Any] = []
    original = ttl.make_dataflow_buffer_like

    def recorded(like: Any, shape: tuple[int, ...], block_count: int = 2) -> Any:
        buffer = original(like, shape=shape, block_count=block_count)
        made.append([names[id(like)], list(buffer.shape), buffer.block_count])
        return buffer

    ttl.make_dataflow_buffer_like = recorded
    getattr(module, call["function"])(*tensors.values())
    for name, tensor in tensors.items():
        np.save(folder / f"{name}.npy", ttnn.to_torch(tensor).float().numpy())
    (folder / "buffers.json").write_text(json.dumps(made))


main(*map(Path, sys.argv[1:]))
