"""One recorded launch executed by Triton's interpreter, on memory that the caller gives: what a program must compute.

The interpreter replaces parts of Triton for good, so it runs in a forked process that is then gone. numpy has no
bfloat16, so it is float32 everywhere here: in tensors, and where a kernel names it.
"""

from __future__ import annotations

import ast
import inspect
import math
import multiprocessing
import traceback
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cpplan.errors import InputError
from cpplan.frontend.launch import Argument, DescriptorArgument, Launch, TensorArgument

Memory = Mapping[str, npt.NDArray[Any]]
"""Per tensor parameter its elements in memory order; those of bf16 as float32."""

TORCH_TYPES = {
    "fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "float32", "int64": "int64", "int32": "int32",
    "int16": "int16", "int8": "int8", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "bool": "bool",
    "fp8e4": "float8_e4m3fn", "fp8e5": "float8_e5m2",
}  # fmt: skip


def interpret(launch: Launch, memory: Memory) -> dict[str, npt.NDArray[Any]]:
    """The memory of all tensors after the launch.

    Raises :class:`~cpplan.errors.InputError` when the interpreter cannot run the kernel.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(sender, launch, memory))
    process.start()
    sender.close()
    try:
        result = receiver.recv()
    except EOFError:
        result = "the process ended without a result"
    process.join()
    if isinstance(result, str):
        raise InputError(f"{launch.source}: Triton's interpreter cannot run {launch.kernel}: {result}")
    return dict(result)


def tensor_arguments(launch: Launch) -> dict[str, TensorArgument]:
    """Tensors by parameter; members of tuples are called ``parameter.index``, descriptors stand for their tensor."""
    found: dict[str, TensorArgument] = {}

    def add(name: str, value: Argument) -> None:
        if isinstance(value, TensorArgument):
            found[name] = value
        elif isinstance(value, DescriptorArgument):
            found[name] = value.base
        elif isinstance(value, tuple):
            for index, member in enumerate(value):
                add(f"{name}.{index}", member)

    for name, value in launch.arguments.items():
        add(name, value)
    return found


def elements_of(tensor: TensorArgument) -> int:
    """Elements between the first and the last of a tensor, both included."""
    if 0 in tensor.shape:
        return 0
    return 1 + sum((extent - 1) * step for extent, step in zip(tensor.shape, tensor.strides, strict=True))


# -- in the forked process ---------------------------------------------------------------------------------------------


def _child(sender: Any, launch: Launch, memory: Memory) -> None:
    try:
        sender.send(_run(launch, memory))
    except BaseException as error:  # whatever it is, the parent says it
        last = traceback.format_exception_only(error)[-1].strip().splitlines()
        sender.send(last[0] if last else type(error).__name__)
    finally:
        sender.close()


def _run(launch: Launch, memory: Memory) -> dict[str, npt.NDArray[Any]]:
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # they were given when the launch was recorded
    _complete()
    flat = {name: torch.from_numpy(np.array(data)) for name, data in memory.items()}
    types = {name: getattr(torch, TORCH_TYPES[tensor.dtype]) for name, tensor in tensor_arguments(launch).items()}
    given = {name: _argument(name, value, flat, types) for name, value in launch.arguments.items()}
    with np.errstate(all="ignore"):  # a GPU does not mind infinities either
        _interpreted(launch.function)[launch.grid](**given, **_widened_types(launch.constexprs))
    return {name: tensor.numpy() for name, tensor in flat.items()}


def _argument(name: str, value: Argument, flat: Mapping[str, Any], types: Mapping[str, Any]) -> Any:
    import torch

    if isinstance(value, TensorArgument):
        return torch.as_strided(flat[name].view(types[name]), value.shape, value.strides)
    if isinstance(value, DescriptorArgument):
        from triton.tools.tensor_descriptor import TensorDescriptor

        base = torch.as_strided(flat[name].view(types[name]), value.base.shape, value.base.strides)
        return TensorDescriptor(base, list(value.shape), list(value.strides), list(value.block))
    if isinstance(value, tuple):
        return tuple(_argument(f"{name}.{i}", member, flat, types) for i, member in enumerate(value))
    return value


def _interpreted(function: Any) -> Any:
    """A kernel as the interpreter takes it: it finds the language by the name ``tl``, and there its functions."""
    import triton.language as tl
    from triton.runtime import interpreter

    names = function.fn.__globals__
    names.setdefault("tl", tl)
    for name, value in list(names.items()):
        if inspect.isfunction(value) and tl.core.is_builtin(value):
            names[name] = _bound(value)
    return interpreter.InterpretedFunction(function.fn)


def _bound(builtin: Callable[..., Any]) -> Callable[..., Any]:
    from triton.runtime import interpreter

    semantic = interpreter.interpreter_semantic
    return lambda *args, **kwargs: builtin(*args, **{**kwargs, "_semantic": semantic})


def _complete() -> None:
    """What the interpreter lacks: kernels that call each other, loop bounds that numpy will not take for integers,
    bfloat16, functions of the device library that the language has as well, block sizes that are no powers of two."""
    import triton.language as tl
    from triton.language.extra import libdevice
    from triton.language.semantic import TritonSemantic
    from triton.runtime import interpreter
    from triton.runtime.jit import JITFunction

    patch = interpreter._patch_lang_tensor

    def with_index(tensor: Any, scope: Any) -> None:
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda bound: int(bound.handle.data.squeeze()))

    class Widening(interpreter.ASTTransformer):  # type: ignore[misc]  # triton has no types
        """Kernels that name bfloat16 get float32."""

        def visit(self, node: ast.AST) -> Any:
            """A whole kernel is a module here."""
            for inner in ast.walk(node) if isinstance(node, ast.Module) else ():
                if isinstance(inner, ast.Attribute) and inner.attr == "bfloat16":
                    inner.attr = "float32"
            return super().visit(node)

    def of_any_size(semantic: Any, start: int, end: int, *, ret_ty: Any = None) -> Any:
        kind = ret_ty or tl.block_type(tl.int32, [end - start])
        return semantic.tensor(semantic.builder.create_make_range(kind.to_ir(semantic.builder), start, end), kind)

    TritonSemantic.arange = of_any_size
    tl.core.validate_block_shape = math.prod
    for name in vars(libdevice):
        builtin = getattr(tl.math, name, None)
        if inspect.isfunction(builtin) and tl.core.is_builtin(builtin):
            setattr(libdevice, name, _bound(builtin))
    interpreter._patch_lang_tensor = with_index
    interpreter.FunctionRewriter.ast_transformer = Widening()
    JITFunction.__call__ = lambda function, *args, **kwargs: _interpreted(function)(*args, **kwargs)


def _widened_types(constexprs: Mapping[str, Any]) -> dict[str, Any]:
    """Constexprs with float32 for bfloat16."""
    import triton.language as tl

    return {name: tl.float32 if value is tl.bfloat16 else value for name, value in constexprs.items()}
