"""Run a kernel file under Triton's interpreter and print which elements the sampled programs touch, as JSON.

``python interpreter_addresses.py SAMPLES FILE ARGUMENT...`` prints [[parameter, program, offsets], ...]: one entry per
load or store and two per atomic, which reads and writes, with the element offsets of its unmasked lanes. It runs in its
own process, because the interpreter is chosen when ``@triton.jit`` is executed.
"""

import contextlib
import json
import os
import runpy
import sys

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
from triton.runtime import autotuner, driver, interpreter

from cpplan.frontend.stub_driver import StubDriver
from cpplan.frontend.torch_stub import DeviceMode, patch_cuda


def count_loops_with_any_numpy():
    """Triton 3.6 reads a loop bound with int() of an array of one element, which NumPy refuses since 2.4."""
    patch = interpreter._patch_lang_tensor

    def patched(tensor, scope):
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda bound: int(bound.handle.data.squeeze()))

    interpreter._patch_lang_tensor = patched


class AddressLog:
    """Replaces the interpreter's loads, stores and atomics by ones that note addresses first."""

    def __init__(self, samples):
        self.samples, self.entries = samples, []
        self.tensors, self.extents, self.wanted, self.program = {}, (), [], None

    def launch(self, function, args, kwargs, grid):
        bound = dict(zip(function.arg_names, args, strict=False)) | kwargs
        self.extents = (*(grid(bound) if callable(grid) else grid), 1, 1)[:3]
        self.tensors = self.find_tensors(bound)
        chosen = np.unique(np.linspace(0, np.prod(self.extents) - 1, self.samples).astype(int))
        self.wanted = [tuple(int(c) for c in np.unravel_index(i, self.extents)) for i in chosen]
        grid = (len(self.wanted), 1, 1)  # no other program runs: addresses do not depend on what others compute
        executor = interpreter.GridExecutor(function.rewrite(), function.arg_names, grid, function.pre_run_hooks)
        executor(*args, **kwargs)

    def find_tensors(self, bound):
        """(first address, bytes per element, bytes) of every tensor argument."""
        found = {name: value for name, value in bound.items() if hasattr(value, "data_ptr")}
        return {n: (t.data_ptr(), t.element_size(), t.untyped_storage().nbytes()) for n, t in found.items()}

    def note(self, pointers, mask):
        lanes = np.broadcast_to(np.asarray(mask.data).astype(bool), np.shape(pointers.data))
        addresses = np.asarray(pointers.data).astype(np.int64)[lanes]
        for name, (start, size, length) in self.tensors.items():
            if addresses.size and start <= addresses[0] < start + length:
                self.entries.append([name, self.program, np.unique((addresses - start) // size).tolist()])

    def install(self):
        count_loops_with_any_numpy()
        builder = interpreter.interpreter_builder
        set_extents, enter = builder.set_grid_dim, builder.set_grid_idx
        load, store, atomic = builder.create_masked_load, builder.create_masked_store, builder.create_atomic_rmw

        def set_program(index, *_):
            self.program = self.wanted[index]
            enter(*self.program)

        def noting(position, original, times=1):
            def call(*args, **options):
                mask = args[position + 1 if original is load else position + 2]
                if isinstance(mask.data, np.ndarray):  # descriptors bring a plain array
                    # Triton 3.9 may combine masks to integers, and then refuses them.
                    mask.data = mask.data.astype(bool)
                for _ in range(times):
                    self.note(args[position], mask)
                return original(*args, **options)

            return call

        builder.set_grid_dim = lambda *_: set_extents(*self.extents)
        builder.set_grid_idx = set_program
        builder.create_masked_load, builder.create_masked_store = noting(0, load), noting(0, store)
        builder.create_atomic_rmw = noting(1, atomic, times=2)


def main():
    log = AddressLog(int(sys.argv[1]))
    log.install()

    def run(function, /, *args, grid, warmup, **kwargs):
        log.launch(function, args, kwargs, grid)

    def first_config(tuner, /, *args, **kwargs):
        return tuner.fn.run(*args, **{**kwargs, **tuner.configs[0].all_kwargs()})

    driver.set_active(StubDriver())
    interpreter.InterpretedFunction.run = run
    autotuner.Autotuner.run = first_config
    patch_cuda(setattr)
    sys.argv = sys.argv[2:]
    with DeviceMode(fake=False), contextlib.redirect_stdout(sys.stderr):
        runpy.run_path(sys.argv[0], run_name="__main__")
    print(json.dumps(log.entries))


if __name__ == "__main__":
    main()
