"""A launch to TTIR, through Triton itself and without a GPU.

Scalars and the grid are bound to constants in the IR (not by declaring them constexpr: kernels call methods on runtime
scalars), folded, and the module is printed in MLIR's generic form with locations.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cpplan.errors import InternalError, KernelError, TileSizeError
from cpplan.frontend.atomics import taken_apart
from cpplan.frontend.compile_errors import reason, refused_at
from cpplan.frontend.generic import Operation, parse_module
from cpplan.frontend.imaginary_gpu import current_gpu
from cpplan.frontend.launch import Argument, DescriptorArgument, Launch

_CLEAN = ("common.inliner", "ttir.rewrite_tensor_pointer", "common.canonicalizer", "ttir.combine", "common.cse")
_FOLD = ("common.sccp", "common.canonicalizer", "common.cse", "common.canonicalizer", "common.symbol_dce")


def lower(launch: Launch) -> Operation:
    """TTIR of ``launch``, specialised to its scalars and grid, its atomics taken apart
    (:mod:`cpplan.frontend.atomics`). Raises :class:`KernelError` when Triton refuses it."""
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # Triton 3.9 warns when it is unset
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecations concern the author of the kernel, not its planning
            module, context = _make_ir(launch)
        _run_passes(module, _CLEAN)
        _bind_launch(module, context, launch)
        _run_passes(module, _FOLD)
    except (KernelError, InternalError):
        raise
    except Exception as error:  # Triton raises many kinds; each is a refusal of this kernel
        text = reason(error)
        kind = TileSizeError if "maximum tensor numel" in text else KernelError
        place = refused_at(error)
        where = "{}:{}".format(*_author_place(launch, *place)) if place else launch.source
        raise kind(f"{where}: Triton cannot lower {launch.kernel}: {text}") from error
    return _relocated(taken_apart(parse_module(generic_text(module, context))), launch)


def _relocated(module: Operation, launch: Launch) -> Operation:
    """Operations of a generated kernel placed where its author wrote them."""
    for op in module.walk() if launch.lines else ():
        file, line = _author_place(launch, op.location.file, op.location.line)
        op.location = replace(op.location, file=file, line=line)
    return module


def _author_place(launch: Launch, file: str, line: int) -> tuple[str, int]:
    """Where a line of a generated kernel comes from; any other line stands for itself."""
    if launch.lines and file == inspect.getsourcefile(launch.function.fn):
        return launch.source.rpartition(":")[0], launch.lines.get(line, 0)
    return file, line


def generic_text(module: Any, context: Any) -> str:
    """The module in generic form. MLIR prints a module that fails verification generically, and an attribute without
    a dialect prefix makes it fail; there is no switch for it in Triton's bindings."""
    from triton._C.libtriton import ir

    module.set_attr("cpplan_generic", ir.builder(context).get_int32_attr(1))
    text = str(module.str()) if hasattr(module, "str") else str(module)
    if '"builtin.module"' not in text:
        raise InternalError("this Triton version does not print MLIR's generic form; Triton 3.6 to 3.9 are supported")
    return text


def _make_ir(launch: Launch) -> tuple[Any, Any]:
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, make_backend

    target = GPUTarget("cuda", current_gpu().capability, 32)  # TTIR itself does not depend on it, feature checks do
    backend = make_backend(target)
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions = dict(backend.get_codegen_implementation(options))
    functions["min_dot_size"] = lambda lhs, rhs: (1, 1, 1)  # the GPU's limit, not the accelerator's
    source = ASTSource(launch.function, dict(launch.signature), dict(launch.constants), dict(launch.attributes))
    available = {
        "target": target,
        "options": options,
        "codegen_fns": functions,
        "module_map": backend.get_module_map(),
        "context": context,
    }
    wanted = [name for name in inspect.signature(source.make_ir).parameters if name in available]
    return source.make_ir(*(available[name] for name in wanted)), context


def _run_passes(module: Any, names: tuple[str, ...]) -> None:
    from triton._C.libtriton import ir, passes

    manager = ir.pass_manager(module.context)
    for name in names:
        group, _, item = name.partition(".")
        add = getattr(getattr(passes, group), f"add_{item}", None)
        if add is not None:  # block-pointer rewriting left with Triton 3.8
            add(manager)
    manager.run(module, "cpplan")


def _bind_launch(module: Any, context: Any, launch: Launch) -> None:
    from triton._C.libtriton import ir

    function = module.get_function(module.get_entry_func_name())
    slots = list(argument_slots(launch))
    if function.get_num_args() != len(slots):
        raise InternalError(f"{launch.kernel}: {len(slots)} arguments given, the lowered kernel takes another number")
    first: list[Any] = []
    module.walk(lambda op: first.append(op) if not first else None)
    builder = ir.builder(context)
    builder.set_insertion_point_to_start(first[0].get_block())
    makers = {
        "i1": lambda v: builder.get_int1(bool(v)), "i8": builder.get_int8, "i16": builder.get_int16,
        "i32": builder.get_int32, "i64": builder.get_int64, "f16": builder.get_fp16, "f32": builder.get_fp32,
        "f64": builder.get_fp64,
    }  # fmt: skip
    for index, (_, scalar) in enumerate(slots):
        make = makers.get(str(function.args(index).get_type()))
        if scalar is not None and make is not None:
            function.args(index).replace_all_uses_with(make(scalar))
    _bind_grid(module, builder, launch.grid)


def _bind_grid(module: Any, builder: Any, grid: tuple[int, int, int]) -> None:
    from triton._C.libtriton import ir

    if not hasattr(ir.operation, "get_int_attr"):  # Triton 3.6; the analysis folds the grid as well
        return
    found: list[Any] = []
    names = ("tt.get_num_programs", "tt.get_program_id")
    module.walk(lambda op: found.append(op) if op.get_name() in names else None)
    for op in found:
        extent = grid[op.get_int_attr("axis")]
        if op.get_name() == "tt.get_num_programs":
            op.get_result(0).replace_all_uses_with(builder.get_int32(extent))
        elif extent == 1:
            op.get_result(0).replace_all_uses_with(builder.get_int32(0))


def argument_slots(launch: Launch) -> Iterator[tuple[str, int | float | bool | None]]:
    """(parameter, scalar value or None) per argument of the lowered kernel.

    Constexprs vanish; a tensor descriptor takes 1 + 2 x rank slots (base, shape, strides); tuples are flattened.
    """
    for name, kind in launch.signature.items():
        yield from _slots(name, kind, launch.arguments.get(name))


def _slots(name: str, kind: Any, value: Argument) -> Iterator[tuple[str, int | float | bool | None]]:
    if kind == "constexpr":
        return
    if isinstance(kind, (tuple, list)):
        assert isinstance(value, tuple)
        for position, (inner, item) in enumerate(zip(kind, value, strict=True)):
            yield from _slots(f"{name}.{position}", inner, item)
        return
    if isinstance(value, DescriptorArgument):
        yield name, None
        for extent in (*value.shape, *value.strides):
            yield name, extent
        return
    yield name, value if isinstance(value, (int, float, bool)) else None
