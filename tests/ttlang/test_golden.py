"""What an emitted operation looks like: a GEMM in full, in ``golden/``.

After a change that is meant, ``PYTHONPATH=tests python tests/ttlang/test_golden.py`` writes it anew.
"""

from __future__ import annotations

import ast
from pathlib import Path

from emit.whole import programs

from cpplan.device.spec import load_device
from cpplan.emit_ttlang.operation import emit_operation
from cpplan.plan.plan import Placement, Plan, Split
from cpplan.schedule.build import build_schedule

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("golden") / "gemm.py.txt"


def operation() -> str:
    """C[300,256] = A B in blocks of 64x64: A along rows, held for a whole wave; B down columns, two blocks ahead."""
    (program,) = programs(ROOT / "bench" / "data" / "plain_gemm.py", 300, 256, 128)
    placements = (
        Placement("a_ptr", "wave.rows", 1, (4, 1), "multicast", 1, "first"),
        Placement("b_ptr", "k", 2, (1, 2), "multicast", 0, "first"),
        Placement("c_ptr", "wave.rows", 2, (1, 1), noc=1),
    )
    plan = Plan(program.block, ((Split("columns", 4),), (Split("rows", 2),)), (("rows",),), placements)
    return emit_operation(build_schedule(program, load_device("wormhole", cores="4x4"), plan)).source


def test_the_operation_reads_as_it_did() -> None:
    assert operation() == GOLDEN.read_text()


def test_the_operation_is_a_python_file_of_three_threads() -> None:
    """As TT-Lang wants it: one thread that computes and two that move data."""
    body = ast.parse(operation()).body
    (function,) = (node for node in body if isinstance(node, ast.FunctionDef))
    decorators = [
        ast.unparse(decorator)
        for node in function.body
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    ]
    assert sorted(decorators) == ["ttl.compute()", "ttl.datamovement()", "ttl.datamovement()"]


if __name__ == "__main__":
    GOLDEN.write_text(operation())
