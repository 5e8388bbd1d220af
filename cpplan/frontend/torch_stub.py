"""Makes torch answer user files as if a GPU were present, while every tensor lives on the CPU or owns no memory."""

from __future__ import annotations

import contextlib
import dis
import functools
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from cpplan.frontend.imaginary_gpu import current_gpu

Patch = Callable[[Any, str, Any], None]

_ALWAYS_TRUE = {torch.allclose, torch.equal}
_FAKE_VALUES: dict[Any, Any] = {
    torch.Tensor.item: 0,
    torch.Tensor.__bool__: True,
    torch.Tensor.__int__: 0,
    torch.Tensor.__index__: 0,
    torch.Tensor.__float__: 0.0,
}
_WHOLE_READS = {torch.Tensor.tolist, torch.Tensor.numpy, torch.Tensor.__array__}
_PRETENDS = ContextVar("pretends", default=True)
_GET_IS_CUDA = torch.Tensor.is_cuda.__get__
_GET_DEVICE = torch.Tensor.device.__get__


class DeviceMode(TorchFunctionMode):  # type: ignore[misc]  # torch is optional
    """Every torch call of the user's file passes here: cuda devices become the CPU, tensors claim to be on cuda:0.

    With ``fake`` tensors a read of a value is answered 0 or True and counted in ``value_reads``: host code may then
    take a branch that it would not take on real data.
    """

    def __init__(self, fake: bool, true_asserts: bool = True) -> None:
        super().__init__()
        self.fake = fake
        self.true_asserts = true_asserts
        self.value_reads = 0

    def __torch_function__(self, func: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if func is torch.device:
            return func(*args, **kwargs)
        if func is torch.Tensor.cuda:
            return args[0]
        if func in (_GET_IS_CUDA, _GET_DEVICE) and not _is_torch(sys._getframe(1)):
            return True if func == _GET_IS_CUDA else torch.device("cuda", 0)
        if func in _ALWAYS_TRUE and self.true_asserts:
            return True
        if self.fake and func in _FAKE_VALUES:
            self.value_reads += 1
            return _FAKE_VALUES[func]
        if self.fake and func in _WHOLE_READS:
            self.value_reads += 1
            return _of_zeros(func, *args, **kwargs)
        if type(kwargs.get("device")) is int:  # an index means a GPU
            kwargs["device"] = torch.device("cpu")
        if "device" in kwargs:
            kwargs["device"] = _on_cpu(kwargs["device"])
        kwargs.pop("pin_memory", None)
        return func(*(_on_cpu(arg) for arg in args), **kwargs)


def _of_zeros(read: Callable[..., Any], tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
    """What a read of all values answers for a tensor that has none."""
    from torch._subclasses.fake_tensor import unset_fake_temporarily

    with unset_fake_temporarily():
        return read(torch.zeros(tensor.shape, dtype=tensor.dtype), *args, **kwargs)


def _on_cpu(argument: Any) -> Any:
    """A cuda device becomes the CPU; anything else, torch's own meta device included, stays."""
    is_cuda = isinstance(argument, (str, torch.device)) and str(argument).startswith("cuda")
    return torch.device("cpu") if is_cuda else argument


def _inside(mode: DeviceMode, run: Callable[..., Any]) -> Callable[..., Any]:
    """A mode's handler runs outside the mode, and ``backward`` passes it; the user's own backward functions do not."""

    def run_inside(*args: Any, **kwargs: Any) -> Any:
        with mode:
            return run(*args, **kwargs)

    return run_inside


def _claimed_device(real: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``FakeTensor.device`` is a Python property that passes no mode, and torch's C++ core asks it too: only an
    attribute ``.device`` read in code outside torch is told cuda:0."""

    def device(tensor: Any) -> Any:
        caller = sys._getframe(1)
        asked = _PRETENDS.get() and not _is_torch(caller) and _reads_device(caller.f_code, caller.f_lasti)
        return torch.device("cuda", 0) if asked else real(tensor)

    return device


@contextlib.contextmanager
def real_torch() -> Iterator[None]:
    """Torch as a compiler inside the user's file expects it: no imaginary GPU, and no tensors but its own are fake."""
    from torch._subclasses.fake_tensor import unset_fake_temporarily
    from torch.overrides import _get_current_function_mode, _pop_mode_temporarily

    token = _PRETENDS.set(False)
    pretending = isinstance(_get_current_function_mode(), DeviceMode)
    try:
        with _pop_mode_temporarily() if pretending else contextlib.nullcontext(), unset_fake_temporarily():
            yield
    finally:
        _PRETENDS.reset(token)


def _is_torch(frame: types.FrameType) -> bool:
    """Whether a frame runs code of torch itself, which must be told the truth."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "torch"


@functools.cache
def _reads_device(code: types.CodeType, position: int) -> bool:
    """Whether the instruction at ``position`` is the read of an attribute or method called ``device``. Where that has
    been repeated, Python 3.12 gives a position inside the instruction: the end of its inline cache."""
    *_, current = (item for item in dis.get_instructions(code) if item.offset <= position)
    return current.opname.startswith("LOAD_") and current.argval == "device"


class _Nothing:
    """Stream, event, device guard: accepts anything, does nothing."""

    cuda_stream = idx = index = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> _Nothing:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def __getattr__(self, name: str) -> Callable[..., float]:
        return lambda *_, **__: 1.0


class _Event(_Nothing):
    """A timer by whose account everything takes an hour: loops that repeat until enough time has passed end at once."""

    def elapsed_time(self, *_: Any) -> float:
        return 3.6e6


class _Generator:
    """A random generator of the imaginary GPU: seeds are arguments of kernels, their values do not matter."""

    def initial_seed(self) -> int:
        return 0

    def get_state(self) -> Any:
        return torch.zeros(16, dtype=torch.uint8)

    def set_state(self, _: Any) -> None:
        return None


def patch_cuda(patch: Patch) -> None:
    """Replace the names of ``torch.cuda`` that ordinary host code calls."""
    capability = divmod(current_gpu().capability, 10)
    properties = types.SimpleNamespace(
        multi_processor_count=current_gpu().multiprocessors, name="stub", major=capability[0], minor=capability[1],
        total_memory=80 << 30, warp_size=32, shared_memory_per_block_optin=232448, L2_cache_size=50 << 20,
        max_threads_per_multi_processor=2048, regs_per_multiprocessor=65536, gcnArchName="",
    )  # fmt: skip
    answers: dict[str, Any] = {
        "is_available": True, "device_count": 1, "current_device": 0, "get_device_capability": capability,
        "get_device_properties": properties, "get_device_name": "stub", "is_bf16_supported": True,
        "is_current_stream_capturing": False, "memory_allocated": 0, "max_memory_allocated": 0,
        "mem_get_info": (80 << 30, 80 << 30), "_exchange_device": 0, "_maybe_exchange_device": 0,
    }  # fmt: skip
    ignored = ("synchronize", "set_device", "empty_cache", "manual_seed", "manual_seed_all", "set_stream", "_lazy_init",
               "reset_peak_memory_stats", "set_rng_state")  # fmt: skip
    for name, answer in answers.items():
        patch(torch.cuda, name, lambda *_, _answer=answer, **__: _answer)
    for name in ignored:
        patch(torch.cuda, name, lambda *_, **__: None)
    for name in ("device", "device_of", "Stream", "stream", "_DeviceGuard"):
        patch(torch.cuda, name, _Nothing)
    patch(torch.cuda, "Event", _Event)
    patch(torch.cuda, "default_generators", (_Generator(),))
    patch(torch._C, "_cuda_getCurrentRawStream", lambda *_: 0)
    for name in ("current_stream", "default_stream"):
        patch(torch.cuda, name, lambda *_, **__: _Nothing())


def _swap_forgotten(swap: Callable[[Any, Any], None], mode: Any) -> Callable[[Any, Any], None]:
    """``Module.to`` exchanges the parameters of a module, which torch refuses for tensors that a weak reference knows;
    the mode's own memory of which tensor stands for which is such a reference."""

    def forget_and_swap(first: Any, second: Any) -> None:
        memo = mode.fake_tensor_converter.meta_converter.tensor_memo
        for key in [key for key, tensor in memo.items() if tensor is first or tensor is second]:
            del memo[key]
        swap(first, second)

    return forget_and_swap


@contextlib.contextmanager
def pretend_cuda(patch: Patch, fake: bool) -> Iterator[DeviceMode]:
    """Patches, device rewriting and (with ``fake``) tensors without memory, for the duration of the context."""
    patch_cuda(patch)
    patch(torch.testing, "assert_close", lambda *_, **__: None)  # nothing has been computed
    patch(torch, "compile", lambda f=None, *_, **__: f if f is not None else (lambda g: g))
    mode = DeviceMode(fake)
    if hasattr(torch.autograd, "_engine_run_backward"):
        patch(torch.autograd, "_engine_run_backward", _inside(mode, torch.autograd._engine_run_backward))
    with contextlib.ExitStack() as stack:
        if fake:
            from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

            patch(FakeTensor, "device", property(_claimed_device(vars(FakeTensor)["device"].fget)))
            stack.enter_context(warnings.catch_warnings())
            # a file may ask for an address, as for the alignment of it; it is 0 then
            warnings.filterwarnings("ignore", message="Accessing the data pointer of FakeTensor")
            memoryless = stack.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
            patch(torch.utils, "swap_tensors", _swap_forgotten(torch.utils.swap_tensors, memoryless))
        stack.enter_context(mode)
        yield mode
