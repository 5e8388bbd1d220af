"""A few programs of one recorded launch under Triton's interpreter: which elements of its arguments they touch.

Every argument gets memory of its own, so that an address belongs to one argument; integers are zero where the capture
has no values. What the interpreter lacks but does not matter for addresses is filled in: functions of the device
library, inline assembly, some types. To be run in a process that is then thrown away, since nothing is put back.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import triton.language as tl
from numpy.typing import NDArray
from triton.runtime import interpreter
from triton.runtime.jit import JITFunction, TensorWrapper

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "frontend"))

from interpreter_addresses import AddressLog  # type: ignore[import-not-found]  # of the tests

del os.environ["TRITON_INTERPRET"]  # set by that module; here kernels are interpreted one by one

Program = tuple[int, ...]
Touched = tuple[str, Program, NDArray[np.int64]]
"""Parameter, program, elements of one load or store."""


class Log(AddressLog):  # type: ignore[misc]
    """Addresses as arrays; descriptors and views with another type stand for their tensor."""

    def find_tensors(self, bound: dict[str, Any]) -> dict[str, tuple[int, int, range]]:
        """Address of the first element, bytes per element, and the memory around it, of every tensor argument."""
        tensors = {name: getattr(value, "base", value) for name, value in bound.items()}
        return {
            name: (value.data_ptr(), value.element_size(), _memory(value))
            for name, value in tensors.items()
            if hasattr(value, "data_ptr")
        }

    def note(self, pointers: Any, mask: Any) -> None:
        """Record the elements of lanes that take part."""
        lanes = np.broadcast_to(np.asarray(mask.data).astype(bool), np.shape(pointers.data))
        addresses = np.asarray(pointers.data).astype(np.int64)[lanes]
        for name, (first, size, memory) in self.tensors.items():
            if addresses.size and int(addresses[0]) in memory:
                self.entries.append((name, self.program, np.unique((addresses - first) // size)))


def _memory(tensor: Any) -> range:
    storage = tensor.untyped_storage()
    return range(storage.data_ptr(), storage.data_ptr() + storage.nbytes())


def touched(function: Any, given: dict[str, Any], grid: tuple[int, int, int], samples: int) -> list[Touched]:
    """What ``samples`` programs, spread over the grid, touch when ``function`` is launched with these arguments."""
    _complete()
    log = Log(samples)
    log.install()
    log.launch(_interpreted(function), (), {name: _with_memory(value) for name, value in given.items()}, grid)
    return list(log.entries)


def _with_memory(value: Any) -> Any:
    """The argument with real memory that it shares with no other."""
    if isinstance(value, tuple):
        return tuple(map(_with_memory, value))
    if isinstance(value, TensorWrapper):
        return TensorWrapper(_with_memory(value.base), value.dtype)
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        return dataclasses.replace(value, base=_with_memory(value.base))
    if not hasattr(value, "untyped_storage"):
        return value
    source = value.untyped_storage()
    memory = torch.zeros(source.nbytes(), dtype=torch.uint8)
    if source.device.type == "cpu" and not isinstance(value, torch._subclasses.FakeTensor):
        memory.untyped_storage().copy_(source)
    offset = value.storage_offset() if hasattr(value, "storage_offset") else getattr(value, "offset", 0)
    flat = torch.empty(0, dtype=value.dtype)  # a kernel is given no more of it than its address
    return flat.set_(memory.untyped_storage(), offset, (source.nbytes() // flat.element_size() - offset,), (1,))


def _interpreted(function: Any) -> Any:
    """The function as the interpreter takes it, with names that its module imported from the language."""
    names = function.fn.__globals__
    names.setdefault("tl", tl)  # the interpreter looks for the language by this name
    for name, value in list(names.items()):
        if inspect.isfunction(value) and "libdevice" in value.__module__:
            names[name] = _stand_in(name)
        elif tl.core.is_builtin(value) and inspect.isfunction(value):
            names[name] = _bound(value)
    return interpreter.InterpretedFunction(function.fn)


def _bound(builtin: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the language outside of its module, where the interpreter does not look for it."""
    semantic = interpreter.interpreter_semantic
    return lambda *args, **kwargs: builtin(*args, **{**kwargs, "_semantic": semantic})


def _stand_in(name: str) -> Callable[..., Any]:
    """A function of the device library: a test fails, anything else gives its first argument."""
    if name.startswith(("is", "finite", "signbit")):
        return lambda x, *_, **__: x != x
    return lambda x, *_, **__: x


class _TypedLoops(interpreter.ASTTransformer):  # type: ignore[misc]  # triton has no types
    """Variables of loops are tensors, as kernels may call methods of theirs."""

    def visit_For(self, node: ast.For) -> ast.For:
        """Assign the variable to itself, which gives it a type, unless the loop is unrolled."""
        if isinstance(node.target, ast.Name) and "static_range" not in ast.unparse(node.iter):
            name = node.target.id
            node.body.insert(0, ast.Assign([ast.Name(name, ast.Store())], ast.Name(name, ast.Load()), lineno=0))
        self.generic_visit(node)
        return node


class _Results:
    """Results of inline assembly."""

    def __init__(self, handles: list[Any]) -> None:
        self.handles = handles

    def get_result(self, position: int) -> Any:
        return self.handles[position]


def _inline_assembly(builder: Any, text: str, constraints: str, values: list[Any], kinds: list[Any], *_: Any) -> Any:
    shape = values[0].data.shape
    zeros = ((np.zeros(shape, dtype=interpreter._get_np_dtype(kind)), kind.scalar) for kind in kinds)
    return _Results([interpreter.TensorHandle(data, kind) for data, kind in zeros])


def _bfloat16(builder: Any, value: float) -> Any:
    """A constant of this type is held as the upper half of a float32."""
    bits = np.array([value], dtype=np.float32).view(np.uint32) >> 16
    return interpreter.TensorHandle(bits.astype(np.uint16), tl.bfloat16)


def _converted(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Scalar arguments are tensors, floating-point ones too."""

    def with_floats(argument: Any) -> Any:
        if not isinstance(argument, float):
            return convert(argument)
        return tl.tensor(interpreter.TensorHandle(np.array([argument], dtype=np.float32), tl.float32), tl.float32)

    return with_floats


def _atomic(original: Callable[..., Any]) -> Callable[..., Any]:
    """Atomic operations on types that the interpreter has none for leave memory as it is."""

    def attempted(operation: Any, pointers: Any, value: Any, *rest: Any) -> Any:
        try:
            return original(operation, pointers, value, *rest)
        except ValueError:
            return value

    return attempted


def _complete() -> None:
    """What the interpreter lacks, and kernels that call each other."""
    for module in list(sys.modules.values()):
        if (
            module is not None
            and module.__name__.startswith("triton.language.extra")
            and "libdevice" in module.__name__
        ):
            for name, value in list(vars(module).items()):
                if inspect.isfunction(value) and value.__module__ == module.__name__:
                    setattr(module, name, _stand_in(name))
    for name in ("gdc_wait", "gdc_launch_dependents"):
        setattr(tl.extra.cuda, name, lambda **_: None)  # order between kernels
    tl.dtype.value = property(lambda kind: kind)  # as of a constexpr
    builder = interpreter.interpreter_builder
    builder.create_atomic_rmw = _atomic(builder.create_atomic_rmw)
    interpreter.InterpreterBuilder.get_bf16 = _bfloat16
    interpreter.InterpreterBuilder.create_inline_asm = _inline_assembly
    interpreter.FunctionRewriter.ast_transformer = _TypedLoops()
    interpreter._implicit_cvt = _converted(interpreter._implicit_cvt)
    JITFunction.__call__ = lambda function, *args, **kwargs: _interpreted(function)(*args, **kwargs)
