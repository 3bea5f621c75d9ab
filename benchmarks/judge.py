"""What the judge accepts that is nothing, what it finds, and whether its interval covers.

Simulated noise (`noise_models.py`), noise of the virtual device (`VROCM_NOISE`), and noise that was
recorded on a real GPU (`recorded_noise.py`). `python -m benchmarks.judge simulated recorded` runs
some parts only; `--quick` takes a fiftieth of the trials; `--write` puts the output into README.md
and draws the picture.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Callable

import numpy as np

from benchmarks import judge_page, plain_rule
from benchmarks.noise_models import SPREAD, simulated
from benchmarks.recorded_noise import Case, Draw, RecordedBlock, gain, no_op, recorded
from rocm_perf_lab.prove.judge import (
    DEFAULT_PLAN,
    JudgeRule,
    Samples,
    accepts,
    could_accept,
    follow,
    judge,
)
from rocm_perf_lab.prove.judge.process_value import low_values
from rocm_perf_lab.prove.judge.shift import shift_of, shifted_tails
from rocm_perf_lab.prove.judge.trials import Rate, found

MOST = DEFAULT_PLAN.looks[-1].blocks
FEW = plain_rule.BLOCKS
NO_OPS = 20_000  # over all models, or all recorded cases
GAINS_TRIED = 100
COVERAGE_TRIALS = 10_000
COVERAGE = 0.99
SIMULATED_GAIN = 0.03
VIRTUAL_NO_OPS = 500  # of each of four kinds of noise
CONFIRMING = JudgeRule(confirm=True)
# What is asked for: what a plain version of the rule found in 800 draws of 24 blocks, in percent.
ASKED: dict[Case, tuple[float, float]] = {
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

Lines = Iterator[str]


class Failures:
    """How many targets were missed."""

    count = 0


def accepted(draw: Draw, trials: int) -> Rate:
    return Rate(sum(accepts(DEFAULT_PLAN, draw(MOST)) for _ in range(trials)), trials)


def followed(draw: Draw, trials: int) -> tuple[Rate, float]:
    """How often the plan ends in ACCEPT, and how many blocks it took on average."""
    count = blocks = 0
    for _ in range(trials):
        verdict, samples = follow(DEFAULT_PLAN, iter(draw(MOST)))
        count += verdict.verdict == "ACCEPT"
        blocks += len(samples.blocks)
    return Rate(count, trials), blocks / trials


def at_once(draw: Draw, trials: int) -> tuple[Rate, Rate, Rate]:
    """24 blocks: how often they suffice, suffice if fresh ones confirm it, and are confirmed."""
    alone = screened = confirmed = 0
    for _ in range(trials):
        samples = Samples("ns", draw(FEW))
        if not could_accept(samples, rule=CONFIRMING):
            continue
        alone += judge(samples).verdict == "ACCEPT"
        if judge(samples, rule=CONFIRMING).wants_confirmation:
            screened += 1
            fresh = Samples("ns", draw(FEW))
            verdict = judge(samples, rule=CONFIRMING, confirmation=fresh)
            confirmed += verdict.verdict == "ACCEPT"
    return Rate(alone, trials), Rate(screened, trials), Rate(confirmed, trials)


def plain(draw: Draw, trials: int, noise: np.random.Generator) -> Rate:
    return Rate(sum(plain_rule.accepts(draw(FEW), noise) for _ in range(trials)), trials)


def of_simulation(part: float, failures: Failures) -> Lines:
    yield "| simulated noise | no-ops accepted | 3 % gains found | blocks |"
    yield "|---|---|---|---|"
    for model in SPREAD:
        source = np.random.default_rng(1)

        def draw(effect: float, model: str = model, source: np.random.Generator = source) -> Draw:
            return lambda count: simulated(model, count, math.log1p(effect), source).blocks

        no_ops = accepted(draw(0.0), math.ceil(NO_OPS / len(SPREAD) * part))
        gains, blocks = followed(draw(SIMULATED_GAIN), max(20, int(GAINS_TRIED * part)))
        failures.count += no_ops.count
        yield f"| {model} | {bounded(no_ops)} | {gains.share:.0%} | {blocks:.0f} |"


def of_coverage(part: float, failures: Failures) -> Lines:
    """A true gain of 2 %: how often is it inside of the 99 % interval? That is, how often does the
    test not refuse it; every 50th interval is computed, too, and compared."""
    trials = int(COVERAGE_TRIALS * part)
    yield f"| coverage of 99 %, {trials} trials | 10 blocks | 24 blocks |"
    yield "|---|---|---|"
    for model in SPREAD:
        cells = []
        for blocks in (10, 24):
            rate, contradictions = coverage(model, blocks, trials)
            failures.count += (rate.high < COVERAGE) + contradictions
            cells.append(f"{rate.share:.2%} ({rate.low:.2%} to {rate.high:.2%})")
        yield f"| {model} | {' | '.join(cells)} |"


def coverage(model: str, blocks: int, trials: int) -> tuple[Rate, int]:
    source = np.random.default_rng(2)
    miss, truth = (1 - COVERAGE) / 2, 0.02
    inside = contradictions = 0
    for trial in range(trials):
        values = low_values(simulated(model, blocks, truth, source))
        tails = shifted_tails(values, 2, truth)
        covered = tails.low > miss and tails.high > miss
        inside += covered
        if trial % 50 == 0:
            shift = shift_of(values, 2, miss)
            contradictions += covered != (shift.low <= truth <= shift.high)
    return Rate(inside, trials), contradictions


def of_virtual_device(part: float, failures: Failures) -> Lines:
    from rocm_perf_lab.measure.baseline_blocks import longest_kernel, measure_baseline
    from rocm_perf_lab.measure.blocks import kernel_times

    yield "| VROCM_NOISE | no-ops accepted | 3 % gains found |"
    yield "|---|---|---|"
    for name in ("quiet", "typical", "noisy", "drifting"):
        os.environ["VROCM_NOISE"] = f"1:{name}"
        measured = measure_baseline(None, 24)
        pool = kernel_times(measured, longest_kernel(measured))
        no_ops = found(pool, DEFAULT_PLAN, 0.0, math.ceil(VIRTUAL_NO_OPS * part), seed=1)
        gains = found(pool, DEFAULT_PLAN, 0.03, math.ceil(GAINS_TRIED * part), seed=2)
        failures.count += no_ops.count + (name == "typical" and gains.share < 0.9)
        yield f"| {name} | {bounded(no_ops)} | {gains.share:.0%} |"
    del os.environ["VROCM_NOISE"]


def of_recordings(part: float, failures: Failures) -> Lines:
    cases = recorded()
    if cases is None:
        yield "no recorded noise here: set ROCM_PERF_RECORDINGS"
        return
    yield from _false_on_recordings(cases, part, failures)
    for index, tag in enumerate(("B2", "B5")):
        yield ""
        yield from _found_on_recordings(cases, part, tag, index, failures)


def _false_on_recordings(
    cases: dict[Case, list[RecordedBlock]], part: float, failures: Failures
) -> Lines:
    yield "| no-ops accepted | plain, 24 blocks | 24, then 24 fresh | up to 96 |"
    yield "|---|---|---|---|"
    total = [0, 0, 0, 0]
    for case, blocks in sorted(cases.items()):
        source, noise = random.Random(3), np.random.default_rng(3)
        draw, trials = no_op(blocks, source), math.ceil(NO_OPS / len(cases) * part)
        usual = plain(draw, trials, noise)
        rates = (usual, at_once(draw, trials)[2], accepted(draw, trials))
        failures.count += rates[1].count + rates[2].count
        total = [sum(pair) for pair in zip(total, (*(rate.count for rate in rates), trials))]
        yield f"| {' '.join(case)} | {' | '.join(map(counted, rates))} |"
    cells = [bounded(Rate(count, total[3])) for count in total[:3]]
    yield f"| all | {' | '.join(cells)} |"


def _found_on_recordings(
    cases: dict[Case, list[RecordedBlock]], part: float, tag: str, index: int, failures: Failures
) -> Lines:
    yield (
        f"| {tag} found | asked | plain, 24 | 24 | 24, to confirm | 24, then 24 fresh | up to 96 "
        "| blocks |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    trials = max(20, int(GAINS_TRIED * part))
    for case, blocks in sorted(cases.items()):
        source, noise = random.Random(4), np.random.default_rng(4)
        draw = gain(blocks, tag, source)
        rates = [plain(draw, 8 * trials, noise), *at_once(draw, 2 * trials)]
        rate, mean = followed(draw, trials)
        asked = ASKED[case][index]
        failures.count += round(1000 * rate.share) < math.floor(10 * asked)
        cells = " | ".join(f"{100 * one.share:.3g} %" for one in (*rates, rate))
        yield f"| {' '.join(case)} | {asked:g} % | {cells} | {mean:.0f} |"


def counted(rate: Rate) -> str:
    return f"{rate.count} of {rate.trials}"


def bounded(rate: Rate) -> str:
    return f"{counted(rate)} (at most {rate.high:.2g})"


PARTS: dict[str, Callable[[float, Failures], Lines]] = {
    "recorded": of_recordings,
    "simulated": of_simulation,
    "virtual": of_virtual_device,
    "coverage": of_coverage,
}


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true", help="into README.md, of all parts only")
    arguments = parser.parse_args(argv)
    failures, output = Failures(), [judge_page.provenance(arguments.quick), ""]
    print(output[0], end="\n\n")
    started, used = time.monotonic(), time.process_time()
    for part in arguments.parts or PARTS:
        for line in PARTS[part](0.02 if arguments.quick else 1.0, failures):
            print(line, flush=True)
            output.append(line)
        print()
        output.append("")
    minutes = (time.monotonic() - started) / 60, (time.process_time() - used) / 60
    output.append(
        f"Targets missed: {failures.count}. It took {minutes[0]:.0f} minutes, {minutes[1]:.0f} of "
        "them of its own CPU."
    )
    print(output[-1])
    if arguments.write and not arguments.parts:
        judge_page.write(output)
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
