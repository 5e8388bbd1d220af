"""Solver against brute force on random instances: top-5 costs and plans must be equal, integer by integer.

python bench/oracle_equality.py --instances 2000 --out bench/results/oracle_equality.json
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from instances import problem, random_device, random_program

from cpplan.encode.solve import solve
from cpplan.enumerate.oracle import brute_force, count


def main() -> None:
    """Run the campaign and save one JSON file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=2000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--largest", type=int, default=60_000, help="plans that brute force may score")
    parser.add_argument("--out", type=Path, default=Path("bench/results/oracle_equality.json"))
    options = parser.parse_args()
    seed, too_large, different = options.first_seed, 0, []
    seconds: dict[str, list[float]] = {"oracle": [], "solver": []}
    kinds: Counter[str] = Counter()
    plans = 0
    while len(seconds["oracle"]) < options.instances:
        r = Random(seed)
        device, program = random_device(r), random_program(r)
        size = count([program], device, options.largest)
        if size > options.largest:
            too_large += 1
        else:
            start = time.perf_counter()
            expected = brute_force([program], device, 5)
            middle = time.perf_counter()
            found = solve(problem(program), device, k=5).plans
            seconds["solver"].append(time.perf_counter() - middle)
            seconds["oracle"].append(middle - start)
            plans += size
            kinds[f"{len(program.dims)} dims, {len(program.loops)} loops, {len(program.accesses)} accesses"] += 1
            if [(p.cost.key, p.plan) for p in found] != [(s.key, s.plan) for s in expected]:
                different.append(seed)
                print(f"seed {seed}: solver and oracle differ", flush=True)
        seed += 1
    result = {
        "instances": options.instances,
        "different": different,
        "skipped_too_large": too_large,
        "plans_scored_by_oracle": plans,
        "median_seconds": {name: statistics.median(values) for name, values in seconds.items()},
        "total_seconds": {name: sum(values) for name, values in seconds.items()},
        "kinds": dict(sorted(kinds.items())),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps({k: v for k, v in result.items() if k != "kinds"}, indent=1))
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
