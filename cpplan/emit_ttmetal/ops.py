"""The table of tile operations: one row per operation of the compute unit that works between DST slots.

``{0}``, ``{1}``, ``{2}`` are the operands' slots, ``{out}`` the result's, ``{bits}`` a number as the bits of a float,
``{float}`` the DataFormat of floating-point slots, ``{nearest}`` asks for rounding where slots have 16 bits and the
call would cut off what is too much. A row that is ``in_place`` writes its operand's slot. Names and argument orders are
those of the headers, which are given relative to ``api/compute``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Domain = Literal["float", "int"]
"""What a slot holds: floating-point numbers (booleans are 0 and 1, indices exact whole numbers), or 32-bit integers."""


@dataclass(frozen=True)
class Row:
    """One operation: its ``init``, its ``call``, the header that has both."""

    call: str
    init: str
    header: str
    in_place: bool = False
    result: Domain = "float"


def _unary(name: str, header: str, init: str = "", template: str = "", init_template: str | None = None) -> Row:
    own = template if init_template is None else init_template
    return Row(f"{name}{template}({{0}})", f"{init or name + '_init'}{own}()", header, in_place=True)


def _binary(name: str, header: str = "eltwise_binary_sfpu.h") -> Row:
    return Row(f"{name}({{0}}, {{1}}, {{out}})", f"{name}_init()", header)


def _scalar(name: str, header: str, init: str = "") -> Row:
    return Row(f"{name}({{0}}, {{bits}})", f"{init or name + '_init'}()", header, in_place=True)


_UNARY = "eltwise_unary/{}.h"
_COMP, _ROUND, _SCALARS = _UNARY.format("comp"), _UNARY.format("rounding"), _UNARY.format("binop_with_scalar")
_API = "compute_kernel_api.h"

FLOAT: dict[str, Row] = {
    "exp": _unary("exp_tile", _UNARY.format("exp")),
    "exp2": _unary("exp2_tile", _API),
    "expm1": _unary("expm1_tile", _API),
    "log": _unary("log_tile", _API),
    "log1p": _unary("log1p_tile", _UNARY.format("log1p")),
    "sqrt": _unary("sqrt_tile", _UNARY.format("sqrt")),
    "rsqrt": _unary("rsqrt_tile", _UNARY.format("rsqrt")),
    "recip": _unary("recip_tile", _UNARY.format("recip")),
    "tanh": _unary("tanh_tile", _API),
    "sigmoid": _unary("sigmoid_tile", _API),
    "erf": _unary("erf_tile", _UNARY.format("erf_erfc"), template="<false>"),
    "sin": _unary("sin_tile", _UNARY.format("trigonometry")),
    "cos": _unary("cos_tile", _UNARY.format("trigonometry")),
    "abs": _unary("abs_tile", _API),
    "neg": _unary("negative_tile", _UNARY.format("negative")),
    "floor": _unary("floor_tile", _ROUND, "rounding_op_tile_init"),
    "ceil": _unary("ceil_tile", _ROUND, "rounding_op_tile_init"),
    "trunc": _unary("trunc_tile", _ROUND, "rounding_op_tile_init"),
    "is_nonnegative": _unary("gez_tile", _COMP),
    "not": _unary("eqz_tile", _COMP),
    "add": Row("add_binary_tile{nearest}({0}, {1}, {out})", "add_binary_tile_init()", "eltwise_binary_sfpu.h"),
    "sub": Row("sub_binary_tile{nearest}({0}, {1}, {out})", "sub_binary_tile_init()", "eltwise_binary_sfpu.h"),
    "mul": _binary("mul_binary_tile"),
    "div": _binary("div_binary_tile"),
    "pow": _binary("power_binary_tile"),
    "rem": _binary("fmod_binary_tile", "binary_fmod.h"),
    "max": _binary("binary_max_tile", "binary_max_min.h"),
    "min": _binary("binary_min_tile", "binary_max_min.h"),
    **{f"cmp_{name}": _binary(f"{name}_binary_tile") for name in ("eq", "ne", "lt", "gt", "le", "ge")},
    "where": Row(
        "where_tile<DataFormat::{float}>({0}, {1}, {2}, {out})", "where_tile_init()", _UNARY.format("where")
    ),
    "to_int": Row(
        "typecast_tile<(uint32_t)DataFormat::{float}, (uint32_t)DataFormat::Int32>({0})",
        "typecast_tile_init<(uint32_t)DataFormat::{float}, (uint32_t)DataFormat::Int32>()",
        _UNARY.format("typecast"), in_place=True, result="int",
    ),
}  # fmt: skip
"""Operations on floating-point slots by op kind."""

IMMEDIATE: dict[str, Row] = {
    "add": _scalar("add_unary_tile", _SCALARS, "binop_with_scalar_tile_init"),
    "sub": _scalar("sub_unary_tile", _SCALARS, "binop_with_scalar_tile_init"),
    "mul": _scalar("mul_unary_tile", _SCALARS, "binop_with_scalar_tile_init"),
    "rsub": _scalar("rsub_unary_tile", _SCALARS, "binop_with_scalar_tile_init"),
    "max": _scalar("unary_max_tile", _API),
    "min": _scalar("unary_min_tile", _API),
    "log_base": _scalar("log_with_base_tile", _API),
    **{f"cmp_{name}": _scalar(f"unary_{name}_tile", _COMP) for name in ("eq", "ne", "lt", "gt", "le", "ge")},
}
"""Operations whose second operand is a number known when the kernel starts, or computed on its way."""

_INT = "<DataFormat::Int32>"


def _integer(name: str, header: str, init: str, result: Domain = "int") -> Row:
    return Row(f"{name}{_INT}({{0}}, {{1}}, {{out}})", init, header, result=result)


INTEGER: dict[str, Row] = {
    "add": _integer("add_int_tile", "add_int_sfpu.h", "add_int_tile_init()"),
    "sub": _integer("sub_int_tile", "sub_int_sfpu.h", "sub_int_tile_init()"),
    "mul": _integer("mul_int_tile", "mul_int_sfpu.h", f"mul_int_tile_init{_INT}()"),
    **{
        name: Row(f"binary_{name}_int32_tile({{0}}, {{1}}, {{out}})", f"binary_{name}_int32_tile_init()",
                  "binary_max_min.h", result="int")
        for name in ("max", "min")
    },
    "and": _integer("bitwise_and_binary_tile", "binary_bitwise_sfpu.h", "binary_bitwise_tile_init()"),
    "or": _integer("bitwise_or_binary_tile", "binary_bitwise_sfpu.h", "binary_bitwise_tile_init()"),
    "xor": _integer("bitwise_xor_binary_tile", "binary_bitwise_sfpu.h", "binary_bitwise_tile_init()"),
    "shl": _integer("binary_left_shift_tile", "binary_shift.h", "binary_shift_tile_init()"),
    "shr": _integer("binary_right_shift_tile", "binary_shift.h", "binary_shift_tile_init()"),
    **{
        f"cmp_{name}": _integer(f"{name}_int_tile", "binary_comp.h", f"{name}_int_tile_init{_INT}()")
        for name in ("eq", "ne", "lt", "gt", "le", "ge")
    },
    "where": Row(
        f"where_tile{_INT}({{0}}, {{1}}, {{2}}, {{out}})", "where_tile_init()", _UNARY.format("where"), result="int"
    ),
    "to_float": Row(
        "typecast_tile<(uint32_t)DataFormat::Int32, (uint32_t)DataFormat::{float}>({0})",
        "typecast_tile_init<(uint32_t)DataFormat::Int32, (uint32_t)DataFormat::{float}>()",
        _UNARY.format("typecast"), in_place=True,
    ),
}  # fmt: skip
"""Operations on slots of 32-bit integers by op kind."""

NARROW = {"uint8": "UInt8", "bool": "UInt8", "uint16": "UInt16"}
"""Element types whose pages become whole numbers in floating-point slots."""


def widened(name: str) -> Row:
    """Whole numbers of DataFormat ``name`` in a slot to floating-point ones."""
    types = f"<(uint32_t)DataFormat::{name}, (uint32_t)DataFormat::{{float}}>"
    return Row(f"typecast_tile{types}({{0}})", f"typecast_tile_init{types}()", _UNARY.format("typecast"), in_place=True)


def narrowed(name: str) -> Row:
    """The inverse of :func:`widened`."""
    types = f"<(uint32_t)DataFormat::{{float}}, (uint32_t)DataFormat::{name}>"
    return Row(
        f"typecast_tile{types}({{0}})", f"typecast_tile_init{types}()", _UNARY.format("typecast"), in_place=True,
        result="int",
    )  # fmt: skip


SYMBOLS: dict[str, str] = {
    "tanh": "tanh", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log1p": "log1p",
    "sqrt": "sqrt", "rsqrt": "rsqrt", "sin": "sin", "cos": "cos", "erf": "erf", "fabs": "abs", "pow": "pow",
    "floor": "floor", "ceil": "ceil", "trunc": "trunc", "fmax": "max", "fmin": "min", "fmod": "rem",
}  # fmt: skip
"""Functions of libdevice, without ``__nv_`` and the ``f`` of single precision, and the kind that they are."""

FILL = Row("fill_tile_bitcast({out}, {bits})", "fill_tile_init()", _UNARY.format("fill"))
FILL_INT = Row(
    "fill_tile_int<DataFormat::Int32>({out}, {bits})", "fill_tile_init()", _UNARY.format("fill"), result="int"
)
COPY = Row("copy_dest_values<DataFormat::{float}>({0}, {out})", "copy_dest_values_init()", "copy_dest_values.h")
COPY_INT = Row(
    "copy_dest_values<DataFormat::Int32>({0}, {out})", "copy_dest_values_init()", "copy_dest_values.h", result="int"
)
REDUCE = {
    name: Row(
        f"sfpu_reduce<PoolType::{name.upper()}, DataFormat::{{float}}, ReduceDim::REDUCE_{{axis}}>({{0}})",
        f"sfpu_reduce_init<PoolType::{name.upper()}, DataFormat::{{float}}>()", _API, in_place=True,
    )
    for name in ("sum", "max", "min")
}  # fmt: skip
"""Reductions of one hardware tile: of its rows into column 0 (``{axis}`` ROW) or of its columns into row 0 (COL)."""

CUMSUM = Row("cumsum_tile({0}, {first})", "cumsum_tile_init()", "cumsum.h", in_place=True)
