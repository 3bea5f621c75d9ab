"""Autotuning against recorded search spaces: how far from the best after few measurements.

Regret is how much slower than the best of the space the best measured configuration is. Random
search over the same seeds stands beside it. Needs the recorded spaces; says so without them.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from rocm_perf_lab.tune.journal import key_of
from rocm_perf_lab.tune.recorded import Recorded, read_recorded
from rocm_perf_lab.tune.search.search import Search, SearchOptions

SPACES = ("convolution_MI250X_T4", "convolution_A100_T4", "dedispersion_A100_T4")
PARTS = (0.01, 0.02, 0.05, 0.10)


def folder() -> Path:
    root = os.environ.get("ROCM_PERF_RECORDINGS")
    here = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(root or here) / "tuning-spaces"


def best_of(recorded: Recorded) -> float:
    return min(one.value for one in recorded.answers.values() if one.value is not None)


def searched(recorded: Recorded, budget: int, seed: int) -> float:
    """Regret of one search, in percent."""
    search = Search(recorded.space, budget, SearchOptions(seed=seed))
    found = []
    while rows := search.ask():
        value = recorded.answers[key_of(recorded.space.configuration(rows[0]))].value
        search.tell(rows[0], value)
        found.append(value)
    best = min((value for value in found if value is not None), default=np.inf)
    return 100 * (best / best_of(recorded) - 1)


def random_ones(recorded: Recorded, budget: int, seed: int) -> float:
    values = [one.value for one in recorded.answers.values()]
    chosen = np.random.default_rng(seed).permutation(len(values))[:budget]
    best = min((v for v in (values[i] for i in chosen) if v is not None), default=np.inf)
    return 100 * (best / best_of(recorded) - 1)


def row(name: str, regrets: Sequence[float]) -> str:
    middle, tail = np.percentile(regrets, [50, 90])
    hit = 100 * np.mean(np.array(regrets) == 0)
    return f"{name:28} {middle:8.1f} {tail:10.1f} {hit:9.0f}"


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--parts", type=float, nargs="+", default=PARTS)
    parser.add_argument("--spaces", nargs="+", default=SPACES)
    options = parser.parse_args(argv)
    if not folder().is_dir():
        print("no tuning-spaces; ROCM_PERF_RECORDINGS names their folder")
        return 0
    for name in options.spaces:
        recorded = read_recorded(folder() / f"{name}.json.gz")
        print(f"{name}: {recorded.space.size} configurations, {options.seeds} seeds")
        print(f"{'':28} median % 90th pct % optimum %")
        for part in options.parts:
            budget = int(part * recorded.space.size)
            seeds = range(options.seeds)
            with threadpool_limits(1):
                ours = [searched(recorded, budget, seed) for seed in seeds]
            print(row(f"{part:.0%} ({budget}) autotune", ours), flush=True)
            print(
                row(
                    f"{part:.0%} ({budget}) random",
                    [random_ones(recorded, budget, s) for s in seeds],
                )
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
