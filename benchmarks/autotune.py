"""Autotuning against recorded search spaces: how far from the best after few measurements.

Regret is how much slower than the best of the space the best measured configuration is. Kernel
Tuner's strategies run beside it in their own simulation mode, same spaces, budgets and seeds, when
--kernel-tuner names a Python that has it. A budget counts different configurations, those that fail
among them; what a strategy asks again is free. Without the recorded spaces it says so.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from threadpoolctl import threadpool_limits

from benchmarks.tuning import kernel_tuner_runs_path
from benchmarks.tuning.confidence import warned_about_noise
from benchmarks.tuning.plot import draw
from benchmarks.tuning.runs import OURS, Run, add_runs, read_runs, rows_of
from benchmarks.tuning.spaces import SPACES, best_of, folder, recorded_space, write_cache
from rocm_perf_lab.tune.journal import key_of
from rocm_perf_lab.tune.recorded import Recorded
from rocm_perf_lab.tune.search.search import Search, SearchOptions

PARTS = (0.01, 0.02, 0.05, 0.10)
NOISE_SEEDS, NOISE_TARGET = 200, 0.95
STRATEGIES = (
    "random_sample",
    "genetic_algorithm",
    "adaptive_tabu_greywolf",
    "pso",
    "diff_evo",
    "simulated_annealing",
    "bayes_opt",
)


def searched(name: str, recorded: Recorded, budgets: Sequence[int], seed: int) -> list[Run]:
    """One search for budgets that begin with the same spread: the smaller asks the same first."""
    start = time.process_time()
    search = Search(recorded.space, max(budgets), SearchOptions(seed=seed))
    values: list[Optional[float]] = []
    found = []
    while rows := search.ask():
        value = recorded.answers[key_of(recorded.space.configuration(rows[0]))].value
        search.tell(rows[0], value)
        values.append(value)
        if len(values) in budgets:
            good = [one for one in values if one is not None]
            seconds = round(time.process_time() - start, 2)
            failed = len(values) - len(good)
            best = min(good, default=None)
            found.append(Run(name, OURS, len(values), seed, best, len(values), failed, seconds))
    return found


def run_ours(name: str, recorded: Recorded, budgets: Sequence[int], seeds: int, out: Path) -> None:
    done = {(r.space, r.budget, r.seed) for r in read_runs(out) if r.strategy == OURS}
    together: dict[int, list[int]] = {}
    for budget in budgets:
        together.setdefault(SearchOptions().seeds(budget), []).append(budget)
    for group in together.values():
        for seed in range(seeds):
            if any((name, budget, seed) not in done for budget in group):
                with threadpool_limits(1):
                    add_runs(out, searched(name, recorded, group, seed))


def run_peers(
    python: str, name: str, recorded: Recorded, budgets: Sequence[int], seeds: int, out: Path
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(scratch) / f"{name}.json"
        write_cache(recorded, cache)
        numbers = ",".join(map(str, budgets))
        words = [str(cache), str(out), str(seeds), numbers, ",".join(STRATEGIES)]
        subprocess.run([python, str(kernel_tuner_runs_path()), *words], check=True)


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--parts", type=float, nargs="+", default=PARTS)
    parser.add_argument("--spaces", nargs="+", default=SPACES)
    parser.add_argument("--kernel-tuner", metavar="PYTHON", help="an interpreter that has it")
    parser.add_argument("--runs", type=Path, help="keep runs here, and do not repeat those in it")
    parser.add_argument("--draw", action="store_true", help="the picture, from the runs")
    options = parser.parse_args(argv)
    warned = warned_about_noise(NOISE_SEEDS)
    print(f"low confidence in pure noise: {warned:.1%} of {NOISE_SEEDS} seeds (target: 95 %)")
    return max(int(warned < NOISE_TARGET), compare(options))


def compare(options: argparse.Namespace) -> int:
    if not folder().is_dir():
        print("no tuning-spaces; ROCM_PERF_RECORDINGS names their folder")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        out = options.runs or Path(scratch) / "runs.jsonl"
        for name in options.spaces:
            recorded = recorded_space(name)
            budgets = [int(part * recorded.space.size) for part in options.parts]
            run_ours(name, recorded, budgets, options.seeds, out)
            if options.kernel_tuner:
                run_peers(options.kernel_tuner, name, recorded, budgets, options.seeds, out)
            report(name, recorded, budgets, out)
        if options.draw:
            draw(read_runs(out), {name: best_of(recorded_space(name)) for name in options.spaces})
    return 0


def report(name: str, recorded: Recorded, budgets: Sequence[int], out: Path) -> None:
    print(f"{name}: {recorded.space.size} configurations")
    print("| measured | strategy | median % | 90th pct % | optimum | asked | failed | seeds |")
    print("|---|---|---|---|---|---|---|---|")
    for budget in budgets:
        for row in rows_of(read_runs(out), name, budget, best_of(recorded)):
            print(
                f"| {budget} | {row.strategy} | {row.median:.1f} | {row.tail:.1f} | "
                f"{row.optimum:.0f} % | {row.asked:.0f} | {row.failed:.1f} | {len(row.regrets)} |"
            )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
