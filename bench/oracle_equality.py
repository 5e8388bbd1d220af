"""Solver against brute force on random instances: top-5 costs and plans must be equal, integer by integer.

python bench/oracle_equality.py --instances 2000 --out bench/results/oracle_equality.json
python bench/oracle_equality.py --restricted --instances 4000 --out bench/results/restricted_equality.json

With ``--restricted`` every instance comes with random pins and forbidden decisions.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from instances import problem, random_device, random_program
from restrictions import random_restriction, restricted_instance

from cpplan.device.device import Device
from cpplan.encode.solve import Solution, solve
from cpplan.enumerate.oracle import Scored, brute_force, count
from cpplan.plan.restrict import FREE, Restriction
from cpplan.plan.terms import parse_restriction
from cpplan.tile.program import TileProgram

K = 5
RESTRICTIONS_PER_PROGRAM = 4


@dataclass(frozen=True)
class Case:
    """One question to both: the ``K`` best plans of a small space of ``plans`` plans."""

    name: str
    device: Device
    programs: list[TileProgram]
    plans: int
    restriction: Restriction = FREE


@dataclass
class Campaign:
    """What has been asked so far, and how the answers compared; ``shared``: answers with a plan whose cores share a
    loop."""

    too_large: int = 0
    plans: int = 0
    shared: int = 0
    different: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"oracle": [], "solver": []})

    def ask(self, case: Case) -> None:
        """Both answer ``case``."""
        start = time.perf_counter()
        expected = brute_force(case.programs, case.device, K, case.restriction)
        middle = time.perf_counter()
        solution = solve(problem(*case.programs), case.device, k=K, restriction=case.restriction)
        self.seconds["solver"].append(time.perf_counter() - middle)
        self.seconds["oracle"].append(middle - start)
        self.plans += case.plans
        self.kinds[kind(case.programs)] += 1
        self.answers["no plan" if not expected else f"{K} plans" if len(expected) == K else "fewer plans"] += 1
        self.shared += any(scored.plan.combine is not None for scored in expected)
        if not same(solution, expected):
            self.different.append(case.name)
            print(f"{case.name}: solver and oracle differ", flush=True)


def kind(programs: list[TileProgram]) -> str:
    """Size of a program in words."""
    program = programs[0]
    return f"{len(program.dims)} dims, {len(program.loops)} loops, {len(program.accesses)} accesses"


def same(solution: Solution, expected: list[Scored]) -> bool:
    """Equal costs and plans, in the same order."""
    return [(p.cost.key, p.plan) for p in solution.plans] == [(s.key, s.plan) for s in expected]


def free_cases(first: int, largest: int, campaign: Campaign) -> Iterator[Case]:
    """Random programs one by one, without those of more than ``largest`` plans."""
    seed = first
    while True:
        r = Random(seed)
        device, program = random_device(r), random_program(r)
        size = count([program], device, largest)
        if size > largest:
            campaign.too_large += 1
        else:
            yield Case(f"seed {seed}", device, [program], size)
        seed += 1


def restricted_cases(first: int, largest: int) -> Iterator[Case]:
    """Programs whose plans have many forms, each under several random restrictions."""
    seed = first
    while True:
        device, programs = restricted_instance(seed, largest)
        size, r = count(programs, device), Random(seed)
        for number in range(RESTRICTIONS_PER_PROGRAM):
            pins, forbids = random_restriction(r, programs, device)
            restriction = parse_restriction(problem(*programs), device, pins, forbids)
            yield Case(f"seed {seed}, restriction {number}", device, programs, size, restriction)
        seed += 1


def main() -> None:
    """Run the campaign and save one JSON file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=2000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--largest", type=int, help="plans that brute force may score [60000, restricted 3000]")
    parser.add_argument("--restricted", action="store_true", help="with random pins and forbidden decisions")
    parser.add_argument("--out", type=Path, default=Path("bench/results/oracle_equality.json"))
    options = parser.parse_args()
    campaign = Campaign()
    cases = (
        restricted_cases(options.first_seed, options.largest or 3_000)
        if options.restricted
        else free_cases(options.first_seed, options.largest or 60_000, campaign)
    )
    for _ in range(options.instances):
        campaign.ask(next(cases))
    result: dict[str, Any] = {
        "instances": options.instances,
        "different": campaign.different,
        "skipped_too_large": campaign.too_large,
        "plans_scored_by_oracle": campaign.plans,
        "median_seconds": {name: statistics.median(values) for name, values in campaign.seconds.items()},
        "total_seconds": {name: sum(values) for name, values in campaign.seconds.items()},
        "answers": dict(sorted(campaign.answers.items())),
        "answers_with_shared_loops": campaign.shared,
        "kinds": dict(sorted(campaign.kinds.items())),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps({k: v for k, v in result.items() if k != "kinds"}, indent=1))
    sys.exit(1 if campaign.different else 0)


if __name__ == "__main__":
    main()
