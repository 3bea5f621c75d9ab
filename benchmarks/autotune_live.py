"""Autotuning a tiled matrix product where it runs: 40 measurements against trying everything.

Measures every configuration of ``examples/tunable`` once into a journal (``--journal FILE``; it
goes on with one that is there), then tunes with many seeds: the first ones live, as the verb does
it, the others with the answers of the journal, which on a device without noise are the same.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import numpy as np

from rocm_perf_lab.tune.journal import Journal, header_of, key_of
from rocm_perf_lab.tune.measurement import Configuration, Measurement
from rocm_perf_lab.tune.request import Commands, TuneRequest, autotune, opened_program
from rocm_perf_lab.tune.run.program import ProgramOptions
from rocm_perf_lab.tune.search.search import SearchOptions
from rocm_perf_lab.tune.space import Space
from rocm_perf_lab.tune.space.space_file import read_space
from rocm_perf_lab.tune.tuning import Tuner, Tuning

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "tunable"
SIZE = 512
BUDGET = 40
WITHIN = 0.03  # of the best of all: the target, fixed before the first run


@dataclass(frozen=True)
class Answers:
    known: Mapping[str, Measurement]

    def measure(self, configuration: Configuration, best: Optional[float]) -> Measurement:
        del best
        return self.known[key_of(configuration)]


def request(seed: int = 0, repeat: int = 1) -> TuneRequest:
    defines = " ".join(f"-D{name}={{{name}}}" for name in ("TILE_M", "TILE_N", "VECTOR", "UNROLL"))
    build = f"hipcc -O3 {defines} {EXAMPLE / 'product.hip'} -o {{output}}"
    return TuneRequest(
        space=EXAMPLE / "space.json",
        commands=Commands(f"{{output}} {SIZE} {{THREADS}}", build),
        budget=str(BUDGET),
        search=SearchOptions(seed=seed),
        program=ProgramOptions(repeat, timeout_s=300),
    )


def exhaustive(space: Space, path: Path) -> Mapping[str, Measurement]:
    """Every configuration, one behind the other."""
    header = header_of(space, "runtime", {"size": SIZE})
    journal = Journal.open(path, header, resume=path.exists())
    with opened_program(request(), space) as program:
        for number, row in enumerate(space.all_rows(), 1):
            configuration = space.configuration(row)
            if key_of(configuration) in journal.known:
                continue
            began = time.process_time(), os.times().children_user
            journal.add(program.measure(configuration, None))
            spent = time.process_time() - began[0] + os.times().children_user - began[1]
            print(f"{number} of {space.size}: {spent:.1f} s of processor time", file=sys.stderr)
    return journal.known


def regret(tuning: Tuning, best: float) -> float:
    assert len(tuning.measurements) <= BUDGET
    found = math.inf if tuning.best is None else tuning.best.value or math.inf
    return 100 * (found / best - 1)


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--journal", type=Path, default=Path("product.jsonl"))
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--live", type=int, default=1, help="of the seeds, measured again")
    options = parser.parse_args(argv)
    space = read_space(EXAMPLE / "space.json")
    known = exhaustive(space, options.journal)
    values = sorted(one.value for one in known.values() if one.value is not None)
    print(f"{space.size} configurations, {len(values)} of them work")
    print(f"best {values[0]:.6g} ms, median {np.median(values):.6g}, worst {values[-1]:.6g}")
    print(f"within {WITHIN:.0%} of the best: {sum(v <= values[0] * (1 + WITHIN) for v in values)}")
    regrets = []
    for seed in range(options.seeds):
        asked = request(seed)
        tuner = Tuner(space, Answers(known), Journal({}), BUDGET, asked.search)
        found = tuner.run()
        regrets.append(regret(found, values[0]))
        if seed < options.live:
            live = autotune(asked).tuning
            same = [one.value for one in live.measurements] == [
                one.value for one in found.measurements
            ]
            print(f"seed {seed} live: {regret(live, values[0]):.2f} %, as looked up: {same}")
    worst = max(regrets)
    inside = sum(one <= 100 * WITHIN for one in regrets)
    print(f"{BUDGET} measured: regret median {np.median(regrets):.2f} %, worst {worst:.2f} %")
    print(f"within {WITHIN:.0%}: {inside} of {len(regrets)} seeds")
    return 0 if inside == len(regrets) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
