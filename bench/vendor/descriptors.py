"""Hands emitted programs to ``ttnn.generic_op`` on a device without hardware; runs in the environment that
vendor_setup.sh makes.

    python descriptors.py < FOLDERS

Every line of the input is a folder that ``cpplan emit`` wrote. Each gets one line of JSON in answer, as by
on_device.py: ``accepted``, and after a refusal the runtime's complaint in ``error``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import ttnn
from on_device import complaint, inputs, loaded


def verdict(device: Any, folder: Path) -> dict[str, Any]:
    """What the runtime says of the program in ``folder``."""
    try:
        host = loaded(folder)
        host.run(device, inputs(host))
    except Exception as error:  # whatever the runtime raises is the finding
        return {"accepted": False, "error": complaint(error)}
    return {"accepted": True}


def main() -> None:
    device = ttnn.open_device(device_id=0)
    # A program that the cache takes for a known one is not checked again.
    device.disable_and_clear_program_cache()
    for line in sys.stdin:
        print(json.dumps(verdict(device, Path(line.strip()))), flush=True)
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
