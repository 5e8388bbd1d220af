"""The installed CP-SAT must prove the true optimum of a model that one of its releases gets wrong.

ortools 9.15.6755 adds 64-bit coefficients into 32-bit integers while it simplifies an enforced row, and then reports
4 as the proved optimum of the model below (google/or-tools issue 5293). Byte and cycle counts reach such sizes, so a
solver with this fault must not be used. The truth comes from trying all 18 assignments.
"""

from itertools import product

from ortools.sat.python import cp_model

WEIGHTS = (2_658_472_315, 1_136_020_891, 3_118_731_536, 3_246_246_216, -4_004_215_590, 729_442_815)
PRICES = (8, 9, 3, 1, 5, 4)
LIMIT = 3_011_269_833
REWARD = 6
TRUE_OPTIMUM = 2


def optimum_by_trying_everything() -> int:
    """Choose one of the first three and one of the last three; the reward needs the weights to stay in the limit."""
    return min(
        PRICES[i] + PRICES[j] - REWARD * rewarded
        for i, j, rewarded in product(range(3), range(3, 6), (0, 1))
        if not rewarded or WEIGHTS[i] + WEIGHTS[j] <= LIMIT
    )


def optimum_by_solver() -> int:
    model = cp_model.CpModel()
    chosen = [model.new_bool_var(f"chosen[{i}]") for i in range(6)]
    rewarded = model.new_bool_var("rewarded")
    model.add_exactly_one(chosen[:3])
    model.add_exactly_one(chosen[3:])
    model.add(cp_model.LinearExpr.weighted_sum(chosen, WEIGHTS) <= LIMIT).only_enforce_if(rewarded)
    model.minimize(cp_model.LinearExpr.weighted_sum(chosen, PRICES) - REWARD * rewarded)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


def test_trying_everything_gives_two() -> None:
    assert optimum_by_trying_everything() == TRUE_OPTIMUM


def test_solver_proves_the_true_optimum_of_an_enforced_row_with_large_coefficients() -> None:
    assert optimum_by_solver() == TRUE_OPTIMUM
