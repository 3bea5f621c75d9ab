"""Strategies of Kernel Tuner on one recorded space, in its own simulation mode.

Runs in any Python that has kernel-tuner and imports nothing of this project:

    python kernel_tuner_runs.py CACHE.json OUT.jsonl SEEDS BUDGET,BUDGET STRATEGY,STRATEGY

Every run is one line of OUT; lines that are there already are not run again. Kernel Tuner counts
what it evaluates for the first time, failing configurations too; asking again is free.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import random
import sys
import time
import warnings
from pathlib import Path
from typing import Any, Optional

import kernel_tuner
import numpy as np
from constraint import FunctionConstraint
from kernel_tuner import util

Run = dict[str, Any]


# Half the time of a run is reading and rewriting the same file; what is answered stays the same.
read = functools.lru_cache(maxsize=1)(util.read_cache)
util.process_cache = lambda path, *_: read(path, False)["cache"]
util.close_cache = lambda path: None


@functools.lru_cache(maxsize=1)
def described(cache: Path) -> tuple[dict[str, Any], list[str], frozenset[tuple[Any, ...]]]:
    """Parameters, their names, and all recorded configurations, also those that fail: its own
    ``tune_cache`` leaves those out, and its strategies would never meet one."""
    content = json.loads(cache.read_text())
    names = content["tune_params_keys"]
    recorded = (tuple(one[name] for name in names) for one in content["cache"].values())
    return content["tune_params"], names, frozenset(recorded)


def run(cache: Path, strategy: str, budget: int, seed: int) -> Run:
    """Strategies draw from both global generators; nothing else is left to chance."""
    random.seed(seed)
    np.random.seed(seed)
    parameters, names, recorded = described(cache)
    start = time.process_time()
    fault: Optional[str] = None
    results: list[dict[str, Any]] = []
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            results, _ = kernel_tuner.tune_kernel(
                "recorded",
                "",
                (1, 1),
                [],
                parameters,
                cache=str(cache),
                simulation_mode=True,
                restrictions=[FunctionConstraint(lambda *values: values in recorded)],
                strategy=strategy,
                strategy_options={"max_fevals": budget},
                quiet=True,
            )
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"[:200]
    seen: dict[tuple[Any, ...], Optional[float]] = {}
    for one in results:
        time_of = one.get("time")
        good = "__error__" not in one and isinstance(time_of, (int, float))
        seen.setdefault(tuple(one[name] for name in names), float(time_of) if good else None)
    times = [value for value in seen.values() if value is not None]
    return {
        "space": cache.stem,
        "strategy": strategy,
        "budget": budget,
        "seed": seed,
        "best": min(times, default=None),
        "asked": len(seen),
        "failed": len(seen) - len(times),
        "seconds": round(time.process_time() - start, 2),
        "fault": fault,
    }


def known(out: Path) -> set[tuple[str, str, int, int]]:
    lines = out.read_text().splitlines() if out.exists() else []
    runs = map(json.loads, lines)
    return {(r["space"], r["strategy"], r["budget"], r["seed"]) for r in runs}


def main(cache: Path, out: Path, seeds: int, budgets: list[int], strategies: list[str]) -> None:
    done = known(out)
    for strategy in strategies:
        for budget in budgets:
            for seed in range(seeds):
                if (cache.stem, strategy, budget, seed) in done:
                    continue
                with out.open("a") as file:
                    file.write(json.dumps(run(cache, strategy, budget, seed)) + "\n")


if __name__ == "__main__":
    main(
        Path(sys.argv[1]),
        Path(sys.argv[2]),
        int(sys.argv[3]),
        [int(word) for word in sys.argv[4].split(",")],
        sys.argv[5].split(","),
    )
