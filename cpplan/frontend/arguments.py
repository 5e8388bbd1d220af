"""Values passed to a kernel as plain data: tensors by shape and strides, and what Triton's compiler is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cpplan.errors import KernelError
from cpplan.frontend.launch import Argument, DescriptorArgument, TensorArgument

TORCH_DTYPES = {
    "float64": "fp64", "float32": "fp32", "bfloat16": "bf16", "float16": "fp16", "float8_e4m3fn": "fp8e4",
    "float8_e5m2": "fp8e5", "float8_e4m3fnuz": "fp8e4", "float8_e5m2fnuz": "fp8e5", "int64": "int64", "int32": "int32",
    "int16": "int16", "int8": "int8", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "bool": "bool",
}  # fmt: skip

MAX_VALUES = 1 << 17
"""Integer tensors up to this many elements are stored with a launch when the file runs on real tensors."""


def describe(value: Any, storages: dict[int, int], keep_values: bool) -> Argument:
    """An argument of a launch. ``storages`` numbers the memory of tensors; with ``keep_values`` the contents of small
    integer tensors are stored too. Raises :class:`KernelError` for element types without a name."""
    if type(value).__name__ == "TensorWrapper":
        return _tensor(value.base, storages, keep_values)
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        shape, strides, block = (tuple(map(int, item)) for item in (value.shape, value.strides, value.block_shape))
        padding = str(getattr(value, "padding", "zero"))
        return DescriptorArgument(_tensor(value.base, storages, keep_values), shape, strides, block, padding)
    if hasattr(value, "untyped_storage"):
        return _tensor(value, storages, keep_values)
    if isinstance(value, (tuple, list)):
        return tuple(describe(item, storages, keep_values) for item in value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if type(value).__name__ == "constexpr":
        return describe(value.value, storages, keep_values)
    return int(value)  # symbolic integers of torch


def _tensor(tensor: Any, storages: dict[int, int], keep_values: bool) -> TensorArgument:
    number = storages.setdefault(tensor.untyped_storage()._cdata, len(storages))
    dtype = str(tensor.dtype).removeprefix("torch.")
    if dtype not in TORCH_DTYPES:
        raise KernelError(f"tensors of type {dtype} are not supported; known types: {', '.join(TORCH_DTYPES)}")
    values = None
    if (
        keep_values
        and dtype in ("int32", "int64")
        and tensor.numel() <= MAX_VALUES
        and hasattr(tensor, "detach")  # not a library's own wrapper of a tensor
        and tensor.is_contiguous()
    ):
        values = tensor.detach().reshape(-1).numpy().astype("int64")
    shape, strides = (tuple(map(int, item)) for item in (tensor.shape, tensor.stride()))
    offset = tensor.storage_offset() if hasattr(tensor, "storage_offset") else getattr(tensor, "offset", 0)
    return TensorArgument(TORCH_DTYPES[dtype], shape, strides, number, int(offset), values)


def source_parts(function: Any, backend: Any, bound: Mapping[str, Any], specialization: Any) -> tuple[Any, Any, Any]:
    """Signature, constants and attributes by argument path, as ``ASTSource`` takes them (equal for Triton 3.6-3.9)."""
    constants: dict[tuple[int, ...], Any] = {}
    attributes: dict[tuple[int, ...], Any] = {}

    def visit(kind: Any, value: Any, descriptor: Any, path: tuple[int, ...]) -> None:
        if isinstance(kind, (tuple, list)):
            for index, inner in enumerate(kind):
                nested = descriptor[index] if isinstance(descriptor, (tuple, list)) else None
                visit(inner, value[index], nested, (*path, index))
        elif kind == "constexpr":
            constants[path] = value
        elif isinstance(descriptor, str):
            attributes[path] = backend.parse_attr(descriptor)

    kinds = [item[0] for item in specialization]
    for index, (value, item) in enumerate(zip(bound.values(), specialization, strict=False)):
        visit(item[0], value, item[1], (index,))
    signature = dict(zip((p.name for p in function.params), kinds, strict=False))
    return signature, constants, attributes
