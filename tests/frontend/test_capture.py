"""Launch capture: unmodified files, one clear message when there is nothing to capture."""

from pathlib import Path

import pytest

from cpplan.errors import InputError, KernelError
from cpplan.frontend import read_problems
from cpplan.frontend.capture import capture_launches
from cpplan.tile.family import candidate_program

HEADER = """\
import torch
import triton
import triton.language as tl

@triton.jit
def copy(y_ptr, x_ptr, n, BLOCK: tl.constexpr, HALF: tl.constexpr = 1):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)

def run(n=1024, block=64):
    x = torch.randn(n, device="cuda")
    copy[(triton.cdiv(n, block),)](torch.empty_like(x), x, n, BLOCK=block)

"""


def write(folder: Path, body: str, header: str = HEADER) -> str:
    path = folder / "kernel.py"
    path.write_text(header + body)
    return str(path)


def line_of(path: str, text: str) -> int:
    return next(i for i, line in enumerate(Path(path).read_text().splitlines(), start=1) if text in line)


def test_every_distinct_launch_is_recorded_once(tmp_path: Path) -> None:
    path = write(tmp_path, "run()\nrun(2048)\nrun()\n")
    assert [launch.grid for launch in capture_launches(path)] == [(16, 1, 1), (32, 1, 1)]
    assert [problem.name for problem in read_problems(path)] == ["copy", "copy_2"]


def test_entry_runs_a_function_with_literal_arguments(tmp_path: Path) -> None:
    path = write(tmp_path, "")
    assert capture_launches(path, entry="run")[0].grid == (16, 1, 1)
    assert capture_launches(path, entry="run(256, block=32)")[0].grid == (8, 1, 1)


def test_tensors_are_recorded_with_strides_and_claim_to_be_on_the_gpu(tmp_path: Path) -> None:
    body = "x = torch.randn((8, 64), device='cuda').T\nassert x.is_cuda and x.device.type == 'cuda'\n"
    path = write(tmp_path, body + "copy[(8,)](torch.empty_like(x), x, 512, BLOCK=64)\n")
    tensor = capture_launches(path)[0].arguments["x_ptr"]
    assert (str(tensor), tensor.strides) == ("fp32[64,8]", (1, 64))  # type: ignore[union-attr]


def test_repeated_reads_of_the_device_agree(tmp_path: Path) -> None:
    path = write(tmp_path, "x = torch.ones(64)\nassert {x.device.type for _ in range(20)} == {'cuda'}\nrun()\n")
    assert len(capture_launches(path)) == 1


def test_kernels_are_not_executed_in_either_mode(tmp_path: Path) -> None:
    path = write(tmp_path, "x = torch.ones(64)\ny = torch.zeros(64)\ncopy[(1,)](y, x, 64, BLOCK=64)\n")
    for mode in ("fake", "cpu"):
        assert len(capture_launches(path, mode=mode)) == 1


def test_heuristics_are_evaluated(tmp_path: Path) -> None:
    header = HEADER.replace("@triton.jit", "@triton.heuristics({'HALF': lambda a: a['BLOCK'] // 2})\n@triton.jit")
    assert capture_launches(write(tmp_path, "run()\n", header))[0].constexprs["HALF"] == 32


def test_what_the_file_prints_stays_off_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capture_launches(write(tmp_path, "print('hello')\nrun()\n"))
    captured = capsys.readouterr()
    assert (captured.out, "hello" in captured.err) == ("", True)


def test_patches_are_undone(tmp_path: Path) -> None:
    import torch
    from triton.runtime.jit import JITFunction

    before = JITFunction.run, torch.cuda.is_available, torch.compile
    capture_launches(write(tmp_path, "run()\n"))
    assert (JITFunction.run, torch.cuda.is_available, torch.compile) == before


def test_missing_file() -> None:
    with pytest.raises(InputError, match=r"nowhere\.py: cannot be read: No such file"):
        read_problems("nowhere.py")


def test_syntax_error_names_the_line(tmp_path: Path) -> None:
    path = write(tmp_path, "def broken(:\n")
    with pytest.raises(InputError, match=rf"kernel\.py:{line_of(path, 'broken')}: is not valid Python"):
        read_problems(path)


def test_missing_import_names_the_module(tmp_path: Path) -> None:
    path = write(tmp_path, "import not_there_at_all\n")
    with pytest.raises(InputError, match=r"kernel\.py:\d+: imports 'not_there_at_all', which is not installed"):
        read_problems(path)


def test_failure_of_the_file_names_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "run(1 // 0)\n")
    with pytest.raises(InputError, match=rf"kernel\.py:{line_of(path, '1 // 0')}: the file failed: ZeroDivisionError"):
        read_problems(path)


def test_file_without_a_launch(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no kernel was launched"):
        read_problems(write(tmp_path, ""))


def test_unknown_entry(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no function 'missing' to enter"):
        read_problems(write(tmp_path, ""), entry="missing")
    with pytest.raises(InputError, match="give a function name, or a call with literal arguments"):
        read_problems(write(tmp_path, ""), entry="run(x)")


def test_kernel_that_triton_refuses(tmp_path: Path) -> None:
    path = write(tmp_path, "run(1024, 48)\n")
    with pytest.raises(KernelError, match=r"kernel\.py:\d+: Triton cannot lower copy: .*power of 2"):
        read_problems(path)


def test_loop_over_data_needs_the_data(tmp_path: Path) -> None:
    header = HEADER.replace(
        "    offsets = tl",
        "    for _ in range(tl.load(y_ptr).to(tl.int32)):\n        tl.store(y_ptr, 1.0)\n    offsets = tl",
    )
    with pytest.raises(KernelError, match=r"kernel\.py:7: the trip count of loop \w+ depends on data"):
        read_problems(write(tmp_path, "run()\n", header))


def test_backward_functions_see_the_same_devices(tmp_path: Path) -> None:
    body = """\
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        assert grad.device.type == "cuda"
        out = torch.empty(1024, device=grad.device)
        copy[(16,)](out, grad.contiguous(), 1024, BLOCK=64)
        return out

x = torch.randn(1024, device="cuda", requires_grad=True)
Double.apply(x).sum().backward()
"""
    assert [launch.grid for launch in capture_launches(write(tmp_path, body))] == [(16, 1, 1)]


def test_launch_through_a_warmed_up_handle(tmp_path: Path) -> None:
    body = """\
x = torch.randn(1024, device="cuda")
y = torch.empty_like(x)
kernel = copy.warmup(y, x, 1024, BLOCK=64, grid=(1,))
kernel._init_handles()
assert kernel.n_regs > 0 and kernel.metadata.shared > 0
kernel[(16, 1, 1)](y, x, 1024)
"""
    (launch,) = capture_launches(write(tmp_path, body))
    assert (launch.grid, launch.constexprs["BLOCK"]) == ((16, 1, 1), 64)
    assert launch.replay is not None
    assert launch.replay({"BLOCK": 128}).constexprs["BLOCK"] == 128


def test_benchmark_is_entered_only_where_nothing_else_launches(tmp_path: Path) -> None:
    bench = """\
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[256, 512], line_arg="provider", line_vals=["triton", "torch"], line_names=["a", "b"],
    plot_name="copy", args={"block": 32}))
def bench(n, provider, block):
    run(n, block)

bench.run()
"""
    assert [launch.grid for launch in capture_launches(write(tmp_path, bench))] == [(8, 1, 1)]
    assert [launch.grid for launch in capture_launches(write(tmp_path, "run()\n" + bench))] == [(16, 1, 1)]


def test_repeated_tuned_calls_are_captured_once_per_arguments(tmp_path: Path) -> None:
    tuned = "@triton.autotune([triton.Config({'HALF': h}) for h in (1, 2)], key=['n'])\n@triton.jit"
    header = HEADER.replace("@triton.jit", tuned).replace("HALF:", "TYPE: tl.constexpr, HALF:")
    header = header.replace("BLOCK=block", "BLOCK=block, TYPE=tl.float32")  # not every argument is a number
    launches = capture_launches(write(tmp_path, "for n in (1024, 2048, 1024, 2048):\n    run(n)\n", header))
    assert [(launch.grid[0], launch.constexprs["HALF"]) for launch in launches] == [(16, 1), (16, 2), (32, 1), (32, 2)]
    assert len({launch.group for launch in launches}) == 2


def test_wrapped_tensors_of_a_library(tmp_path: Path) -> None:
    body = """\
class Rows:
    '''Another shape of a tensor's memory, by what a kernel launch needs of it.'''

    def __init__(self, base, shape, strides, offset):
        self.base, self.shape, self.strides, self.offset, self.dtype = base, shape, strides, offset, base.dtype

    def stride(self):
        return self.strides

    def data_ptr(self):
        return self.base.data_ptr()

    def numel(self):
        return 64

    def untyped_storage(self):
        return self.base.untyped_storage()

x = torch.randn(1024, device="cuda")
copy[(1,)](x, Rows(x, (4, 16), (32, 1), 8), 64, BLOCK=64)
"""
    tensor = capture_launches(write(tmp_path, body))[0].arguments["x_ptr"]
    assert (str(tensor), tensor.strides, tensor.offset) == ("fp32[4,16]", (32, 1), 8)  # type: ignore[union-attr]


def test_refusal_of_a_static_assertion_quotes_it(tmp_path: Path) -> None:
    header = HEADER.replace("    offsets = tl", "    tl.static_assert(BLOCK <= HALF)\n    offsets = tl", 1)
    with pytest.raises(KernelError, match=r"Triton cannot lower copy: tl\.static_assert\(BLOCK <= HALF\)"):
        read_problems(write(tmp_path, "run()\n", header))


def test_wrong_number_of_arguments_names_the_launch(tmp_path: Path) -> None:
    path = write(tmp_path, "x = torch.randn(64)\ncopy[(1,)](x, BLOCK=64)\n")
    with pytest.raises(InputError, match=rf"kernel\.py:{line_of(path, 'copy[(1,)]')}: the file failed: TypeError"):
        read_problems(path)


def test_the_imaginary_gpu_is_a_choice(tmp_path: Path) -> None:
    body = """\
properties = torch.cuda.get_device_properties(0)
assert torch.cuda.get_device_capability() == (properties.major, properties.minor) == (8, 0)
driver = triton.runtime.driver.active
assert driver.get_current_target().arch == 80
assert driver.utils.get_device_properties(0)["multiprocessor_count"] == properties.multi_processor_count == 64
x = torch.randn(1024, device="cuda")
copy[(properties.multi_processor_count,)](torch.empty_like(x), x, 1024, BLOCK=16)
"""
    (problem,) = read_problems(write(tmp_path, body), gpu="sm_80", multiprocessors=64)
    assert [dim.extent for dim in candidate_program(problem.families[0], 0).dims] == [64]
    with pytest.raises(InputError, match="--as mi300: the imaginary GPU may be sm_80"):
        read_problems(write(tmp_path, body), gpu="mi300")


def test_grid_from_a_value_needs_real_tensors(tmp_path: Path) -> None:
    path = write(tmp_path, "run(int(torch.tensor([256, 768]).sum()))\n")
    with pytest.raises(InputError, match=r"kernel\.py:\d+: copy is launched on grid \(0, 1, 1\), .* --tensors cpu"):
        read_problems(path)
    assert capture_launches(path, mode="cpu")[0].grid == (16, 1, 1)


def test_empty_grid_is_no_launch(tmp_path: Path) -> None:
    assert [launch.grid for launch in capture_launches(write(tmp_path, "run(0)\nrun(64)\n"))] == [(1, 1, 1)]


def test_heuristics_below_a_tuner_are_known_to_the_grid(tmp_path: Path) -> None:
    tuned = """\
@triton.autotune([triton.Config({'BLOCK': b}) for b in (64, 128)], key=['n'])
@triton.heuristics({'HALF': lambda a: a['BLOCK'] // 2})
@triton.jit"""
    header = HEADER.replace("@triton.jit", tuned).replace("(triton.cdiv(n, block),)", "lambda m: (n // m['HALF'],)")
    launches = capture_launches(write(tmp_path, "run()\nrun()\n", header.replace(", BLOCK=block", "")))
    assert [(launch.grid[0], launch.constexprs["HALF"]) for launch in launches] == [(32, 32), (16, 64)]


def test_timed_loops_run_once(tmp_path: Path) -> None:
    body = """\
start, end, sizes = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True), []
start.record()
run()
end.record()
torch.cuda.synchronize()
for repeat in range(max(1, int(100 / start.elapsed_time(end)))):  # as long as makes 100 ms
    run(1024 * (2 + repeat))
"""
    assert [launch.grid for launch in capture_launches(write(tmp_path, body))] == [(16, 1, 1), (32, 1, 1)]


def test_profiles_are_shown_empty(tmp_path: Path) -> None:
    body = """\
import triton.profiler as proton
proton.start("copy", hook="triton")
with proton.scope("copy", {"bytes": 8}):
    run()
proton.finalize()
import triton.profiler.viewer as viewer
tree, metrics = viewer.parse(["time/ms"], "copy.hatchet")
viewer.print_tree(tree, metrics)
"""
    assert [launch.grid for launch in capture_launches(write(tmp_path, body))] == [(16, 1, 1)]


def test_modules_are_moved_and_converted(tmp_path: Path) -> None:
    body = """\
moves = {
    "to": lambda module: module.to("cuda").to(torch.bfloat16),
    "both": lambda module: module.to("cuda", torch.bfloat16),
    "cuda": lambda module: module.cuda().bfloat16(),
}
for move in moves.values():
    layer = torch.nn.Linear(64, 32)
    tied = torch.nn.Linear(64, 32)
    tied.weight = layer.weight
    both = move(torch.nn.Sequential(layer, tied))
    assert both[0].weight is both[1].weight and both[0].weight.device.type == "cuda"
    copy[(32,)](torch.empty_like(layer.weight), layer.weight, 2048, BLOCK=64)
"""
    (launch,) = capture_launches(write(tmp_path, body))
    assert str(launch.arguments["x_ptr"]) == "bf16[32,64]"


def test_checks_of_results_pass_since_nothing_is_computed(tmp_path: Path) -> None:
    body = """\
x = torch.arange(1024, dtype=torch.float32, device="cuda")
y = torch.zeros_like(x)
copy[(16,)](y, x, 1024, BLOCK=64)
torch.testing.assert_close(y, x)
assert torch.allclose(y, x) and torch.equal(y, x)
"""
    for mode in ("fake", "cpu"):
        assert len(capture_launches(write(tmp_path, body), mode=mode)) == 1
