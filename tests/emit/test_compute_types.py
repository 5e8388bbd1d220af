"""The table of operations and whole compute kernels compile against the vendor's headers, for both chips."""

from __future__ import annotations

from dataclasses import replace

import pytest
from emit.test_compute_examples import SIZES
from emit.whole import EXAMPLES, programs, simple_plan

from cpplan.device.spec import load_device
from cpplan.emit_ttmetal import ops
from cpplan.emit_ttmetal.compute import compute_kernel
from cpplan.emit_ttmetal.emit import ComputeKernel, assemble
from cpplan.emit_ttmetal.program import Arch, ComputeConfig
from cpplan.schedule.build import build_schedule
from cpplan.typecheck import check_kernel
from cpplan.typecheck.wheel import cached_headers

pytestmark = pytest.mark.vendor
pytest.importorskip("clang.cindex", reason="libclang is not installed: pip install 'cpplan[emit]'")
if cached_headers() is None:
    pytest.skip("the vendor's headers are not in the cache: python -m cpplan.typecheck fetches them",
                allow_module_level=True)  # fmt: skip

ARCHES: tuple[Arch, ...] = ("wormhole", "blackhole")


def every_row(real: str) -> str:
    """A kernel that calls every row of the table once."""
    tables = (ops.FLOAT, ops.IMMEDIATE, ops.INTEGER, ops.REDUCE)
    rows = [row for table in tables for row in table.values()]
    rows += [make(name) for name in set(ops.NARROW.values()) for make in (ops.widened, ops.narrowed)]
    rows += [ops.FILL, ops.FILL_INT, ops.COPY, ops.COPY_INT, ops.CUMSUM]
    lines = []
    for row in rows:
        for axis in ("ROW", "COL") if "{axis}" in row.call else ("",):
            nearest = "<DstRoundingMode::NearestEven>" if real == "Float16_b" else ""
            words = {"out": 3, "bits": "7u", "float": real, "axis": axis, "first": "true", "nearest": nearest}
            lines += [row.init.format(**words) + ";", row.call.format(0, 1, 2, **words) + ";"]
    headers = sorted({row.header for row in rows} | {"reg_api.h", "compute_kernel_hw_startup.h"})
    includes = "".join(f'#include "api/compute/{header}"\n' for header in headers)
    body = "\n".join(f"    {line}" for line in lines)
    return f"#include <cstdint>\n{includes}void kernel_main() {{\n    tile_regs_acquire();\n{body}\n}}\n"


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(("real", "wide"), [("Float32", True), ("Float16_b", False)])
def test_every_row_of_the_table(arch: Arch, real: str, wide: bool) -> None:
    assert not check_kernel(every_row(real), "compute", arch, compute=ComputeConfig(fp32_dest_acc=wide))


@pytest.mark.parametrize("name", SIZES)
def test_kernels_of_the_examples(name: str) -> None:
    for number, program in enumerate(programs(EXAMPLES / f"{name}.py", *SIZES[name])):
        arch = ARCHES[number % 2]
        device = load_device(arch, cores="1x1@0,0")
        schedule = build_schedule(program, device, simple_plan(program, device))
        made = compute_kernel(schedule)
        whole = assemble(replace(schedule, buffers=made.buffers), ComputeKernel(made.source, made.config))
        formats = {buffer.index: buffer.format for buffer in whole.buffers}
        assert not check_kernel(made.source, "compute", arch, formats=formats, compute=made.config)
