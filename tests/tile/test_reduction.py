"""Which loops may be split over cores, and that the parts combine to what the whole loop computes.

Bodies are executed on numpy arrays (``execute.py``): once from the first trip to the last, then in parts that start
from the identities and are combined. What the whole loop stores is compared with a formula of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from execute import Block, differences
from gemm import gemm, gemm_problem

from cpplan.frontend import read_problems
from cpplan.frontend.build import build
from cpplan.frontend.capture import capture_launches
from cpplan.tile.family import candidate_program
from cpplan.tile.program import Access, AccessClass, Carry, Loop, Op, TileProgram
from cpplan.tile.reduction import Reduction, reductions, why_not

ROOT = Path(__file__).parents[2]
KERNELS = Path(__file__).parent / "kernels" / "reductions.py"
LOWEST = -3.4028234663852886e38

Tensors = dict[str, np.ndarray]
Formula = Callable[[Tensors], np.ndarray]


def program_of(entry: str) -> TileProgram:
    """The program of one launch of ``kernels/reductions.py``."""
    (launch,) = capture_launches(str(KERNELS), entry=entry)
    return build(launch).program


def tensors_of(program: TileProgram, seed: int = 0) -> Tensors:
    random = np.random.default_rng(seed)
    return {tensor.name: random.normal(size=tensor.shape) for tensor in program.tensors}


def the_reduction(program: TileProgram) -> Reduction:
    assert why_not(program) == ()
    (found,) = reductions(program)
    return found


def stored(program: TileProgram, tensors: Tensors) -> np.ndarray:
    (tile,) = Block(program, tensors, dict.fromkeys((d.name for d in program.dims), 0), np.float64).whole().values()
    return tile


def log_sum_exp(t: Tensors) -> np.ndarray:
    return np.log(np.exp(t["x"]).sum(1))


def softmax_of_all(t: Tensors) -> np.ndarray:
    score = t["x"] / 0.75
    return (np.exp(score) * score).sum(1) / np.exp(score).sum()


CASES: dict[str, tuple[str | tuple[str, ...], bool, Formula]] = {
    "elementwise_sum": ("sum", False, lambda t: 16 * 0.5 + (t["x"] * (np.arange(64) // 16 * 16 + 1)).sum(1)),
    "sum_of_squares": ("sum", True, lambda t: 1 / np.sqrt((t["x"] ** 2).mean(1) + 1e-6)),
    "largest_and_smallest": (("max", "min"), True, lambda t: t["x"].max(1) - np.minimum(t["x"].min(1), 1)),
    "some_blocks": (
        "sum",
        True,
        lambda t: np.where(t["x"].reshape(8, 4, 16).max(2) > 1, t["x"].reshape(8, 4, 16).sum(2), 0).sum(1),
    ),
    "log_sum_exp": ("online softmax", True, log_sum_exp),
    "block_weights": ("online softmax", True, log_sum_exp),
    "ragged_log_sum_exp": ("online softmax", True, lambda t: log_sum_exp({"x": t["x"][:, :40]})),
    "one_peak": ("online softmax", True, softmax_of_all),
    "two_levels": (("sum", "max", "scaled sum"), True, lambda t: t["x"].sum(1) + log_sum_exp(t)),
}
"""Kernel: kind, whether all parts may start from the identities, and what it stores."""


@pytest.mark.parametrize("name", CASES)
def test_parts_of_a_row_kernel_combine_to_the_whole(name: str) -> None:
    kind, neutral, formula = CASES[name]
    program = program_of(f'launch("{name}")')
    tensors, found = tensors_of(program), the_reduction(program)
    assert (found.kind, found.initial_is_identity) == (kind, neutral)
    np.testing.assert_allclose(stored(program, tensors).ravel(), formula(tensors), rtol=1e-9)
    assert max(differences(program, found, tensors)) < 1e-12


def test_a_product_and_a_sum_side_by_side() -> None:
    program = program_of("matrices()")
    tensors, found = tensors_of(program), the_reduction(program)
    assert found.kind == "sum" and [op.kind for op in found.ops] == ["add", "add"]
    a, b = tensors["a"], tensors["b"]
    np.testing.assert_allclose(stored(program, tensors), a @ b - a.sum(1)[:, None], rtol=1e-9)
    assert max(differences(program, found, tensors)) < 1e-12


def causal_attention(t: Tensors, scale: float, base: float, sink: bool) -> np.ndarray:
    """Softmax of all scores at once, in powers of ``base``; the sink is one more score without a value."""
    score = t["q_ptr"] @ t["k_ptr"].T * scale
    weight = np.where(np.arange(64) <= np.arange(32)[:, None], base**score, 0)
    total = weight.sum(1) + (base ** t["sink_ptr"].ravel() if sink else 0)
    return weight @ t["v_ptr"] / total[:, None]


ATTENTION = {
    "plain": (1.0, np.e, LOWEST),
    "guard": (1.0, np.e, -np.inf),
    "sink": (1.0, np.e, LOWEST),
    "scale after the peak": (0.3, 2.0, LOWEST),
    "scale inside the peak": (0.3, 2.0, LOWEST),
}
"""Style: scale, base, and where the peak of a part starts. Parts whose keys are all masked must not see -inf - -inf."""


@pytest.mark.parametrize("style", ATTENTION)
def test_masked_attention_is_an_online_softmax(style: str) -> None:
    scale, base, start = ATTENTION[style]
    program = program_of(f'attend("{style}")')
    tensors, found = tensors_of(program), the_reduction(program)
    peak, total, acc = found.state
    assert (found.kind, found.initial_is_identity) == ("online softmax", style != "sink")
    assert [state.role for state in found.state] == ["max", "scaled sum", "scaled sum"]
    assert (peak.identity, total.identity, acc.identity) == (start, 0.0, 0.0)
    assert total.reference == acc.reference == peak.result
    expected = causal_attention(tensors, scale, base, style == "sink")
    np.testing.assert_allclose(stored(program, tensors), expected, rtol=1e-9)
    assert max(differences(program, found, tensors)) < 1e-12


@pytest.mark.parametrize("style", ATTENTION)
@pytest.mark.parametrize("factor", [0.3, 5.0])
def test_no_part_overflows_in_single_precision(style: str, factor: float) -> None:
    """A scale above one takes the lowest number to minus infinity, unless parts start a little higher."""
    program = program_of(f'attend("{style}")')
    scaled = [replace(op, attributes=(("value", str(factor)),)) if _value(op) == 0.3 else op for op in program.ops]
    program = replace(program, ops=tuple(scaled))
    tensors = {name: value.astype(np.float32) for name, value in tensors_of(program).items()}
    assert max(differences(program, the_reduction(program), tensors, np.float32)) < 1e-5


def _value(op: Op) -> float | None:
    return round(float(dict(op.attributes)["value"]), 6) if op.kind == "constant" else None


# -- what forbids a split ----------------------------------------------------------------------------------------------

REFUSALS = {
    "decayed": "state_5 is multiplied by something else than the rescale of an online softmax",
    "fading": "state_2 is multiplied by something else than the rescale of an online softmax",
    "running_mean": "mean_2 is subtracted from something",
    "previous_block": "total_3 has something added that depends on earlier trips",
    "running_total": "largest_3 is compared with something that depends on earlier trips",
    "where_the_peak_is": "place_7 is replaced in some places or trips",
    "normalised": "mean_3 is multiplied by something else than the rescale of an online softmax",
    "weights_at_the_old_peak": "total_5 has something added that depends on earlier trips",
    "peak_of_something_else": "total_5 has something added that depends on earlier trips",
    "weights_across": "acc_6 is rescaled, but not to the peak that new terms are taken to",
    "written_in_place": "it reads x, which the kernel writes",
    "prefix_sums": "every trip writes y",
    "chain_of_rows": "which elements of x it reads may depend on earlier trips",
    "halved_while_large": "it holds a while loop",
    "until_negative": "total_3 has something added that depends on earlier trips",
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_loop_that_must_run_in_order_is_refused_with_the_line(name: str) -> None:
    program = program_of(f'launch("{name}")')
    assert reductions(program) == ()
    ((_, reason),) = why_not(program)
    assert reason.startswith(REFUSALS[name])
    assert f"({KERNELS}:" in reason


def test_one_of_several_loops_is_refused() -> None:
    (problem,) = read_problems(str(ROOT / "examples" / "layer_norm.py"), argv=["64", "2048"])
    refused = why_not(problem.families[0].stacked)
    assert refused[0] == ("start", "it is not the only loop of the kernel: start_2, start_3")
    assert len(refused) == 3 and reductions(problem.families[0].stacked) == ()


# -- programs by hand --------------------------------------------------------------------------------------------------


def test_the_sum_of_a_gemm() -> None:
    (found,) = reductions(gemm(128, 128, 128, (32, 32, 32)))
    (state,) = found.state
    assert (state.argument, state.result, state.role, state.identity) == ("acc", "total", "sum", 0.0)
    (add,) = found.ops
    assert (add.name, add.kind, add.operands) == (state.combined, "add", ("left.total", "right.total"))
    assert (add.shape, add.operand_shapes, add.operand_dtypes) == ((32, 32), ((32, 32),) * 2, ("fp32",) * 2)


def test_a_stacked_program_has_the_same_reduction_with_arrays() -> None:
    family = gemm_problem(256, 256, 256).families[0]
    (found,) = reductions(family.stacked)
    assert found.state[0].shape[0].tolist() == [dict(block)["BM"] for block in family.blocks]
    single = reductions(candidate_program(family, 3))[0]
    assert (found.kind, found.state[0].role) == (single.kind, single.state[0].role)
    assert [int(extent[3]) for extent in found.ops[0].shape] == list(single.ops[0].shape)


def test_carries_that_nobody_uses_do_not_count() -> None:
    plain = gemm(128, 128, 128, (32, 32, 32))
    counter = Carry("zero", "seen", "seen_next", "seen_last")
    step = Op("seen_next", "mul", ("seen", "av"), (32, 32), "fp32", "k", (), ((32, 32),) * 2, ("fp32", "bf16"))
    loop = replace(plain.loops[0], carries=(*plain.loops[0].carries, counter))
    program = replace(plain, loops=(loop,), ops=(step, *plain.ops))
    assert [state.argument for state in reductions(program)[0].state] == ["acc"]
    used = replace(program, accesses=(*plain.accesses, Access("s", "c", "store", (32, 32), (), value="seen_last")))
    assert why_not(used)[0][1].startswith("seen is multiplied")


def test_a_loop_without_results_is_no_reduction() -> None:
    plain = gemm(128, 128, 128, (32, 32, 32))
    assert why_not(replace(plain, loops=(Loop("k", 4),)))[0][1] == "it hands nothing on that is used after it"


def test_a_program_without_loops_has_nothing_to_split() -> None:
    program = TileProgram("copy", (), (), (), ())
    assert reductions(program) == why_not(program) == ()


@pytest.mark.parametrize(("klass", "allowed"), [("affine", True), ("partial", True), ("opaque", False)])
def test_addresses_must_not_depend_on_what_was_loaded_before(klass: AccessClass, allowed: bool) -> None:
    plain = gemm(128, 128, 128, (32, 32, 32))
    changed = replace(plain, accesses=(replace(plain.accesses[0], klass=klass), *plain.accesses[1:]))
    assert bool(reductions(changed)) == allowed


def test_a_carry_that_a_store_is_masked_by_is_used() -> None:
    plain = gemm(128, 128, 128, (32, 32, 32))
    flag = Carry("zero", "flag", "av", "last")
    loop = replace(plain.loops[0], carries=(*plain.loops[0].carries, flag))
    *loads, store = plain.accesses
    program = replace(plain, loops=(loop,))
    assert why_not(program) == ()
    masked = replace(program, accesses=(*loads, replace(store, mask="last")))
    assert why_not(masked)[0][1] == "flag takes a new value in every trip"


# -- examples ----------------------------------------------------------------------------------------------------------

EXAMPLES = {
    "matmul": (["64", "64", "128"], {"matmul_kernel": "sum"}),
    "batched_matmul": (["2", "64", "64", "128"], {"bmm_kernel": "sum"}),
    "split_k_matmul": (["32", "64", "2048"], {"split_k_matmul_kernel": "sum"}),
    "attention": (["1", "4", "2", "256", "32"], {"attention_kernel_2": "online softmax"}),
    "flash_decode": (["2", "8", "2", "512", "32", "2"], {"decode_part_kernel": "online softmax"}),
}
"""Arguments, and the reductions of its launches. The first launch of attention is causal and has two loops."""


def first_candidate(op: Op) -> tuple[object, ...]:
    """An op of a stacked or plain program: kind, operands, and the shape at the first block shape."""
    return op.kind, op.operands, [int(np.ravel(extent)[0]) for extent in op.shape]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run_in_parts(name: str) -> None:
    argv, expected = EXAMPLES[name]
    found = {}
    for problem in read_problems(str(ROOT / "examples" / f"{name}.py"), argv=argv):
        for family in problem.families:
            program = candidate_program(family, 0)
            for one, stacked in zip(reductions(program), reductions(family.stacked), strict=True):
                assert one.kind == stacked.kind and one.initial_is_identity == stacked.initial_is_identity
                assert [first_candidate(op) for op in stacked.ops] == [first_candidate(op) for op in one.ops]
                found[problem.name] = one.kind
                assert max(differences(program, one, tensors_of(program))) < 1e-12
    assert found == expected


@pytest.mark.parametrize("last", [False, True])
def test_causal_attention_in_one_loop_runs_in_parts(last: bool) -> None:
    """The loop runs as far as the last rows need; what other rows see beyond the diagonal is masked."""
    path = ROOT / "tests" / "frontend" / "kernels" / "attention.py"
    (launch,) = capture_launches(str(path), entry="attention(True, 1, 4, 2, 128, 32, 64, 32)")
    program = build(launch).program
    found = the_reduction(program)
    assert found.kind == "online softmax"
    assert max(differences(program, found, tensors_of(program), last=last)) < 1e-12
