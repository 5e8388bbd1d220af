"""Elements that sampled programs of several files touch under Triton's interpreter, as JSON.

``python addresses.py SAMPLES '[[FILE, ARGUMENT, ...], ...]'`` prints one list of [parameter, program, offsets] per file
and launch. An autotuned call counts as one launch per configuration, in the order in which they are declared.
"""

import contextlib
import json
import os
import runpy
import sys
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import triton.language as tl
from frontend.interpreter_addresses import AddressLog
from triton.runtime import autotuner, driver, interpreter

from cpplan.frontend.stub_driver import StubDriver
from cpplan.frontend.torch_stub import DeviceMode, patch_cuda


class LaunchLog(AddressLog):
    """Keeps the entries of different launches apart."""

    def __init__(self, samples):
        super().__init__(samples)
        self.launches = []

    def launch(self, function, args, kwargs, grid):
        self.entries = []
        self.launches.append(self.entries)
        super().launch(function, args, kwargs, grid)

    def find_tensors(self, bound):
        return super().find_tensors({name: getattr(value, "base", value) for name, value in bound.items()})


def bfloat16_scalar(builder, value):
    """The interpreter has no constants of this type (values are held as the upper half of a float32)."""
    bits = np.array([value], dtype=np.float32).view(np.uint32) >> 16
    return interpreter.TensorHandle(bits.astype(np.uint16), tl.bfloat16)


def every_config(tuner, /, *args, **kwargs):
    for config in tuner.configs:
        values = {**kwargs, **config.all_kwargs()}
        if config.pre_hook is not None:
            config.pre_hook({**dict(zip(tuner.arg_names, args, strict=False)), **values})
        tuner.fn.run(*args, **values)


def main():
    log = LaunchLog(int(sys.argv[1]))
    log.install()
    interpreter.InterpreterBuilder.get_bf16 = bfloat16_scalar

    def run(function, /, *args, grid, warmup, **kwargs):
        log.launch(function, args, kwargs, grid)

    driver.set_active(StubDriver())
    interpreter.InterpretedFunction.run = run
    autotuner.Autotuner.run = every_config
    patch_cuda(setattr)
    found = []
    for argv in json.loads(sys.argv[2]):
        sys.argv, log.launches = argv, []
        with DeviceMode(fake=False), contextlib.redirect_stdout(sys.stderr):
            runpy.run_path(sys.argv[0], run_name="__main__")
        found.append(log.launches)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
