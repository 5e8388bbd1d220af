"""Elements that all programs of some launches touch at block sizes that are no powers of two, as JSON.

``python any_block_addresses.py '[[{"BLOCK": 96}, FILE, ARGUMENT, ...], ...]'`` prints one list per file and launch of
[parameter, program, offsets]. Triton lowers powers of two only; its interpreter works with any size once its checks
are taken out. An autotuned call counts as one launch, with its first configuration.
"""

import contextlib
import json
import os
import runpy
import sys
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))

import inspect
import math
import textwrap

from examples.addresses import LaunchLog, bfloat16_scalar
from triton.language import core, semantic
from triton.runtime import autotuner, driver, interpreter

from cpplan.frontend.stub_driver import StubDriver
from cpplan.frontend.torch_stub import DeviceMode, patch_cuda


def allow_any_size():
    text, check = textwrap.dedent(inspect.getsource(semantic.TritonSemantic.arange)), "(range & (range - 1)) != 0"
    assert check in text
    names = dict(vars(semantic))
    exec(text.replace(check, "False"), names)
    semantic.TritonSemantic.arange = names["arange"]
    core.validate_block_shape = lambda shape: math.prod(shape)


def main():
    log = LaunchLog(100_000)  # all programs
    log.install()
    allow_any_size()
    interpreter.InterpreterBuilder.get_bf16 = bfloat16_scalar
    overrides = {}

    def run(function, /, *args, grid, warmup, **kwargs):
        given = dict(zip(function.arg_names, args, strict=False)) | kwargs
        log.launch(function, (), given | {n: v for n, v in overrides.items() if n in function.arg_names}, grid)

    def first_config(tuner, /, *args, **kwargs):
        values = {**kwargs, **tuner.configs[0].all_kwargs(), **overrides}
        if tuner.configs[0].pre_hook is not None:
            tuner.configs[0].pre_hook({**dict(zip(tuner.arg_names, args, strict=False)), **values})
        return tuner.fn.run(*args, **{n: v for n, v in values.items() if n in tuner.arg_names or n in kwargs})

    driver.set_active(StubDriver())
    interpreter.InterpretedFunction.run = run
    autotuner.Autotuner.run = first_config
    patch_cuda(setattr)
    found = []
    for chosen, *argv in json.loads(sys.argv[1]):
        overrides.clear()
        overrides.update(chosen)
        sys.argv, log.launches = argv, []
        with DeviceMode(fake=False), contextlib.redirect_stdout(sys.stderr):
            runpy.run_path(argv[0], run_name="__main__")
        found.append(log.launches)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
