"""The written launch path needs neither torch nor a driver; importing the frontend imports neither torch nor triton."""

import subprocess
import sys
from pathlib import Path

KERNEL = """\
import triton
import triton.language as tl

@triton.jit
def scale(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, 2.0 * tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
"""

SCRIPT = """\
import sys
sys.modules["torch"] = None  # any import of torch fails
from cpplan.frontend import read_problems
(problem,) = read_problems(
    sys.argv[1], kernel="scale", args=["y_ptr=fp32[1000]", "x_ptr=fp32[1000]", "n=1000"],
    constexprs=["BLOCK=64,128"], grid="cdiv(n, BLOCK)",
)
print(problem.families[0].stacked.dims[0].extent.tolist())
"""


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_written_launch_without_torch(tmp_path: Path) -> None:
    path = tmp_path / "scale.py"
    path.write_text(KERNEL)
    assert run(SCRIPT, str(path)) == "[16, 8]"


def test_import_is_cheap() -> None:
    script = "import sys, cpplan.frontend; print(sorted({'torch', 'triton', 'numpy'} & sys.modules.keys()))"
    assert run(script) == "[]"
