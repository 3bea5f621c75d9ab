"""What the judge accepts that is nothing, what it finds, and whether its interval covers.

Simulated noise (`noise_models.py`), noise of the virtual device (`VROCM_NOISE`), and noise that was
recorded on a real GPU (`h200_noise.jsonl.gz` of the folder that ROCM_PERF_RECORDINGS names). The
plan is the one of every command: looks at 12, 24, 48 and 96 blocks. `python -m benchmarks.judge
simulated recorded` runs some parts only; `--quick` takes a fiftieth of the trials.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Callable, Optional

import numpy as np

from benchmarks.noise_models import SPREAD, simulated
from rocm_perf_lab.prove.judge import DEFAULT_PLAN, Block, accepts, follow
from rocm_perf_lab.prove.judge.process_value import low_values
from rocm_perf_lab.prove.judge.shift import shift_of, shifted_tails
from rocm_perf_lab.prove.judge.trials import Rate, found

MOST = DEFAULT_PLAN.looks[-1].blocks
NO_OPS = 20_000  # over all models, or all recorded cases
GAINS_TRIED = 100
COVERAGE_TRIALS = 10_000
COVERAGE = 0.99
SIMULATED_GAIN = 0.03
PARTS = ("simulated", "coverage", "virtual", "recorded")
# What a plain version of the rule found: 24 blocks, median, mean of logarithms, 99 % bootstrap.
PLAIN = {
    ("alone", "gather"): (100, 100),
    ("alone", "histogram"): (61, 100),
    ("alone", "matmul"): (100, 100),
    ("alone", "softmax"): (63, 100),
    ("alone", "stencil"): (100, 100),
    ("alone", "tiny"): (1, 2),
    ("beside", "gather"): (100, 100),
    ("beside", "histogram"): (13, 82),
    ("beside", "matmul"): (100, 100),
    ("beside", "softmax"): (2, 7),
    ("beside", "stencil"): (33, 99.5),
    ("beside", "tiny"): (0, 0),
}

Draw = Callable[[], tuple[Block, ...]]
Recorded = dict[tuple[str, str], list[dict[str, tuple[float, ...]]]]


def accepted(draw: Draw, trials: int) -> Rate:
    return Rate(sum(accepts(DEFAULT_PLAN, draw()) for _ in range(trials)), trials)


def followed(draw: Draw, trials: int) -> tuple[Rate, float]:
    """How often the plan ends in ACCEPT, and how many blocks it took on average."""
    count = blocks = 0
    for _ in range(trials):
        verdict, samples = follow(DEFAULT_PLAN, iter(draw()))
        count += verdict.verdict == "ACCEPT"
        blocks += len(samples.blocks)
    return Rate(count, trials), blocks / trials


def of_simulation(part: float) -> int:
    print("| simulated noise | no-ops accepted | 3 % gains found | blocks |\n|---|---|---|---|")
    false = 0
    for model in SPREAD:
        source = np.random.default_rng(1)

        def draw(gain: float, model: str = model, source: np.random.Generator = source) -> Draw:
            return lambda: simulated(model, MOST, math.log1p(gain), source).blocks

        no_ops = accepted(draw(0.0), int(NO_OPS / len(SPREAD) * part))
        gains, blocks = followed(draw(SIMULATED_GAIN), max(20, int(GAINS_TRIED * part)))
        false += no_ops.count
        print(f"| {model} | {text(no_ops)} | {gains.share:.0%} | {blocks:.0f} |", flush=True)
    return false


def of_coverage(part: float) -> int:
    """A true gain of 2 %: how often is it inside of the 99 % interval? That is, how often does the
    test not refuse it; every 50th interval is computed, too, and compared."""
    trials = int(COVERAGE_TRIALS * part)
    print(f"| coverage of 99 %, {trials} trials | 10 blocks | 24 blocks |\n|---|---|---|")
    missed = 0
    for model in SPREAD:
        cells = []
        for blocks in (10, 24):
            rate, contradictions = coverage(model, blocks, trials)
            missed += (rate.high < COVERAGE) + contradictions
            cells.append(f"{rate.share:.2%} ({rate.low:.2%} to {rate.high:.2%})")
        print(f"| {model} | {' | '.join(cells)} |", flush=True)
    return missed


def coverage(model: str, blocks: int, trials: int) -> tuple[Rate, int]:
    source = np.random.default_rng(2)
    miss, truth = (1 - COVERAGE) / 2, 0.02
    inside = contradictions = 0
    for trial in range(trials):
        values = low_values(simulated(model, blocks, truth, source, dispatches=8))
        tails = shifted_tails(values, 2, truth)
        covered = tails.low > miss and tails.high > miss
        inside += covered
        if trial % 50 == 0:
            shift = shift_of(values, 2, miss)
            contradictions += covered != (shift.low <= truth <= shift.high)
    return Rate(inside, trials), contradictions


def of_virtual_device(part: float) -> int:
    from rocm_perf_lab.measure.baseline_blocks import longest_kernel, measure_baseline
    from rocm_perf_lab.measure.blocks import kernel_times

    print("| VROCM_NOISE | no-ops accepted | 3 % gains found |\n|---|---|---|")
    false = 0
    for name in ("quiet", "typical", "noisy", "drifting"):
        os.environ["VROCM_NOISE"] = f"1:{name}"
        measured = measure_baseline(None, 24)
        pool = kernel_times(measured, longest_kernel(measured))
        no_ops = found(pool, DEFAULT_PLAN, 0.0, int(500 * part) or 1, seed=1)
        gains = found(pool, DEFAULT_PLAN, 0.03, int(GAINS_TRIED * part) or 1, seed=2)
        false += no_ops.count
        print(f"| {name} | {text(no_ops)} | {gains.share:.0%} |", flush=True)
    del os.environ["VROCM_NOISE"]
    return false


def of_recordings(part: float) -> int:
    cases = recorded()
    if cases is None:
        print("no recorded noise here: set ROCM_PERF_RECORDINGS")
        return 0
    print("| recorded | no-ops accepted | B2, plain | B2 | blocks | B5, plain | B5 | blocks |")
    print("|---|---|---|---|---|---|---|---|")
    false = 0
    for case, blocks in sorted(cases.items()):
        source = random.Random(3)
        no_ops = accepted(no_op(blocks, source), math.ceil(NO_OPS / len(cases) * part))
        false += no_ops.count
        cells = [text(no_ops)]
        for tag, plain in zip(("B2", "B5"), PLAIN[case]):
            rate, mean = followed(gain(blocks, tag, source), max(20, int(GAINS_TRIED * part)))
            cells += [f"{plain:g} %", f"{rate.share:.0%}", f"{mean:.0f}"]
        print(f"| {' '.join(case)} | {' | '.join(cells)} |", flush=True)
    return false


def recorded() -> Optional[Recorded]:
    here = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("ROCM_PERF_RECORDINGS", here)) / "gpu-noise" / "h200_noise.jsonl.gz"
    if not path.is_file():
        return None
    found: dict[tuple[str, str], dict[int, dict[str, tuple[float, ...]]]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            block = found.setdefault((row["regime"], row["kernel"]), {}).setdefault(
                row["block"], {}
            )
            block[row["tag"]] = tuple(float(time) for time in row["ns"])
    return {case: [b for _, b in sorted(by.items()) if len(b) == 4] for case, by in found.items()}


def no_op(blocks: Sequence[dict[str, tuple[float, ...]]], source: random.Random) -> Draw:
    """A and A2 of a block, which is which at random; the third process is of another block."""

    def one() -> Block:
        block, other = source.sample(blocks, 2)
        first, second = source.sample(("A", "A2"), 2)
        return Block(block[first], other[source.choice(("A", "A2"))], block[second])

    return lambda: tuple(one() for _ in range(MOST))


def gain(blocks: Sequence[dict[str, tuple[float, ...]]], tag: str, source: random.Random) -> Draw:
    def drawn() -> Iterator[Block]:
        for block in source.choices(blocks, k=MOST):
            yield Block(block["A"], block["A2"], block[tag])

    return lambda: tuple(drawn())


def text(rate: Rate) -> str:
    return f"{rate.count} of {rate.trials} (at most {rate.high:.2%})"


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args(argv)
    run = {
        "simulated": of_simulation,
        "coverage": of_coverage,
        "virtual": of_virtual_device,
        "recorded": of_recordings,
    }
    missed = 0
    for part in arguments.parts or PARTS:
        missed += run[part](0.02 if arguments.quick else 1.0)
        print()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
