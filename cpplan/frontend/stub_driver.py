"""A Triton driver for machines without a GPU: it answers questions and never runs anything."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cpplan.frontend.imaginary_gpu import current_gpu

PROPERTIES = {
    "max_shared_mem": 232448,
    "max_num_regs": 65536,
    "warpSize": 32,
    "sm_clock_rate": 1,
    "mem_clock_rate": 1,
    "mem_bus_width": 1,
}


class StubUtils:
    """The part of a driver that host code reaches for device properties."""

    def get_device_properties(self, device: int = 0) -> dict[str, int]:
        """Properties of the imaginary device."""
        return {**PROPERTIES, "multiprocessor_count": current_gpu().multiprocessors}


class StubDriver:
    """Stands in for Triton's active driver."""

    utils = StubUtils()

    def get_current_target(self) -> Any:
        """The target kernels are lowered for."""
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", current_gpu().capability, 32)

    def get_current_device(self) -> int:
        """Index of the imaginary device."""
        return 0

    def get_current_stream(self, device: int = 0) -> int:
        """A stream handle nobody uses."""
        return 0

    def set_current_device(self, device: int) -> None:
        """There is one device only."""

    def get_device_capability(self, *_: Any) -> tuple[int, int]:
        """Compute capability of the target."""
        return divmod(current_gpu().capability, 10)

    def get_active_torch_device(self) -> Any:
        """The torch device that user code sees."""
        import torch

        return torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        """torch.cuda, patched while a file is captured."""
        import torch

        return torch.cuda

    def get_benchmarker(self) -> Callable[..., Any]:
        """A benchmarker that calls the function once and reports one millisecond."""
        return run_once

    def map_python_to_cpp_type(self, kind: str) -> str:
        """No launcher is ever compiled; the type passes through."""
        return kind

    def clear_cache(self, cache: Any) -> None:
        """No cache exists."""

    def get_empty_cache_for_benchmark(self) -> Any:
        """A stand-in for the L2-flushing buffer."""
        import torch

        return torch.empty(1)

    @staticmethod
    def is_active() -> bool:
        """Always usable."""
        return True


def run_once(function: Callable[[], Any], *_: Any, quantiles: Sequence[float] | None = None, **__: Any) -> Any:
    """Replacement of ``triton.testing.do_bench``: one call, a made-up time of 1 ms."""
    function()
    return [1.0] * len(quantiles) if quantiles else 1.0


class _Library:
    """A vendor library that host code opens for its baseline: any function of it can be called and does nothing."""

    def __init__(self, *_: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None


@contextlib.contextmanager
def without_profiles() -> Iterator[None]:
    """The profiler that stands still writes no file: its viewer shows an empty tree instead of looking for one."""
    viewer = types.ModuleType("triton.profiler.viewer")
    vars(viewer).update(parse=lambda *_, **__: (None, None), print_tree=lambda *_, **__: None)
    previous = sys.modules.get(viewer.__name__)
    sys.modules[viewer.__name__] = viewer
    try:
        yield
    finally:
        del sys.modules[viewer.__name__]
        if previous is not None:
            sys.modules[viewer.__name__] = previous


def patch_libraries(patch: Callable[[Any, str, Any], None]) -> None:
    """Stand-ins for cuBLAS and Triton's profiler, which need a driver as soon as they are opened."""
    with contextlib.suppress(ImportError, AttributeError):
        from triton._C.libtriton import nvidia

        patch(nvidia.cublas, "CublasLt", _Library)
    with contextlib.suppress(ImportError):
        import triton.profiler

        for name in ("start", "activate", "deactivate", "finalize"):
            patch(triton.profiler, name, lambda *_, **__: 0)
        patch(triton.profiler, "scope", lambda *_, **__: contextlib.nullcontext())
