"""A mistake in the file, in a launch or in a kernel gives one message that names its line and says what is wrong."""

from pathlib import Path

import pytest

from cpplan.errors import CpplanError, InputError
from cpplan.frontend import read_problems
from cpplan.frontend.capture import capture_launches

KERNEL = """\
import sys
import torch, triton, triton.language as tl

@triton.jit
def twice(x):
    return x + x

@triton.jit
def copy(y, x, n, BLOCK: tl.constexpr, ALIGNED: tl.constexpr = False):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y + offsets, twice(tl.load(x + offsets, mask=mask)), mask=mask)

x = torch.randn(1024, device="cuda")
y = torch.empty_like(x)
"""


def write(folder: Path, last: str, kernel: str = KERNEL) -> str:
    path = folder / "kernel.py"
    path.write_text(f"{kernel}{last}\n")
    return str(path)


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        ("copy[(16,)](y, x, BLOCK=64)", "copy() missing 1 required positional argument: 'n'"),
        ("copy[(16,)](y, x, 1024)", "copy() missing 1 required positional argument: 'BLOCK'"),
        ("copy[(16,)](y, x, 1024, 64, True, 5)", "copy() takes 5 arguments but 6 were given"),
        ("copy[(16,)](y, x, 1024, 64, x=y)", "copy() got multiple values for argument 'x'"),
        ("copy[(16,)](y, x, 1024, 64, ALIGN=True)", "copy() got an unexpected keyword argument 'ALIGN'"),
        ("copy[(16,)](y, 'x', 1024, 64)", "failed to specialize argument of type: str (x of copy)"),
        ("copy[(1024 / 64,)](y, x, 1024, 64)", "the grid of copy must be integers, not (16.0,)"),
        ("copy[lambda meta: None](y, x, 1024, 64)", "the grid of copy must be integers, not None"),
    ],
)
def test_launch(launch: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refusal:
        read_problems(write(tmp_path, launch))
    assert str(refusal.value) == f"{tmp_path}/kernel.py:16: the file failed: TypeError: {message}"


def test_options_of_a_launch_are_no_mistake(tmp_path: Path) -> None:
    path = write(tmp_path, "copy[(16,)](y, x, 1024, 64, num_warps=8, num_stages=2, waves_per_eu=2)")
    assert [launch.grid for launch in capture_launches(path)] == [(16, 1, 1)]


@pytest.mark.parametrize(
    ("right", "wrong", "line", "message"),
    [
        ("mask = offsets < n", "mask = offsets < m", 11, "'m is not defined'"),
        ("return x + x", "return tl.dot(x, x)", 6, "equal ranks"),  # the line of the function that the kernel calls
        ("offsets < n", "tl.cdiv(offsets, None) < n", 11, "'NoneType'"),  # within Triton: its caller
    ],
)
def test_kernel(right: str, wrong: str, line: int, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, "copy[(16,)](y, x, 1024, 64)", KERNEL.replace(right, wrong))
    with pytest.raises(InputError, match=rf"kernel\.py:{line}: Triton cannot lower copy: .*{message}"):
        read_problems(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("from .ops import f", r":16: a relative import works inside a package only; give a script that imports"),
        ("sys.exit(3)", r":16: the file ended itself with exit code 3$"),
        ("sys.exit(2)", r":16: the file ended itself with exit code 2; arguments for the file go after --"),
        ("sys.exit('needs data')", r":16: the file ended itself: needs data"),
        ("raise RuntimeError", r":16: the file failed: RuntimeError$"),
        ("n = 0 \0", r": is not valid Python: source code (string )?cannot contain null bytes"),
        ("def run(): ...", r": no kernel was launched\. .*entry \(run\), or give --kernel \(twice, copy\) with --arg"),
        ("if not x.any(): copy[(16,)](y, x, 1024, 64)", r": no kernel was launched\. The file reads .*--tensors cpu"),
        ("copy[(0,)](y, x, 0, 64)", r": nothing to plan: .*:8: copy is launched on the empty grid \(0, 1, 1\)"),
        ("1 // x.sum().item()", r":16: the file failed: ZeroDivisionError.*; .*with --tensors cpu they are real"),
        ("torch.nonzero(x)", r":16: the file failed: DynamicOutputShape.*; .*with --tensors cpu they are real"),
    ],
)
def test_file(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"kernel\.py" + message):
        read_problems(write(tmp_path, line))


@pytest.mark.parametrize(
    "launch", ["if not x.any(): copy[(16,)](y, x, 1024, 64)", "copy[(int(x.sum()),)](y, x, 1024, 64)"]
)
def test_reads_of_unknown_values_are_part_of_the_message(
    launch: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(CpplanError, match="--tensors cpu"):
        read_problems(write(tmp_path, launch))
    assert not caplog.records  # one message, not two


def test_reads_of_unknown_values_beside_a_launch_are_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert read_problems(write(tmp_path, "x.sum().item()\ncopy[(16,)](y, x, 1024, 64)"))
    assert ["give --tensors cpu" in record.getMessage() for record in caplog.records] == [True]


def test_address_of_a_tensor_without_memory_is_aligned(tmp_path: Path) -> None:
    path = write(tmp_path, "assert x.data_ptr() % 16 == 0\ncopy[(16,)](y, x, 1024, 64)")
    assert len(capture_launches(path)) == 1


@pytest.mark.parametrize("read", ["x.tolist()", "x.cpu().numpy()", "range(x.long().sum())"])
def test_values_of_tensors_without_memory_are_zero(read: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"assert sum({read}) == 0\ncopy[(16,)](y, x, 1024, 64)")
    assert len(capture_launches(path)) == 1
