"""What the judge accepts that is nothing, what it finds, and whether its interval covers.

Simulated noise (`noise_models.py`), noise of the virtual device (`VROCM_NOISE`), and noise that was
recorded on a real GPU (`recorded_noise.py`). `python -m benchmarks.judge simulated gains` runs
some parts only; `--quick` takes a fiftieth of the trials; `--write` puts the output into README.md
and draws the picture.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import random
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Callable

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
from rocm_perf_lab.prove.judge.shift import clearly_within, shift_of, shifted_tails
from rocm_perf_lab.prove.judge.trials import Rate, found

MOST = DEFAULT_PLAN.looks[-1].blocks
FEW = plain_rule.BLOCKS
NO_OPS = 20_000  # over all recorded cases
SIMULATED_NO_OPS = 600  # of each model
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

_NO_RECORDINGS = "no recorded noise here: set ROCM_PERF_RECORDINGS"

Lines = Iterator[str]
Row = tuple[int, str]  # targets missed, the line
Rows = Callable[..., Iterator[Any]]  # a function over the rows of a table, in their order


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


def of_simulation(part: float, failures: Failures, rows: Rows) -> Lines:
    yield "| simulated noise | no-ops accepted | 3 % gains found | blocks |"
    yield "|---|---|---|---|"
    for missed, line in rows(partial(_simulation_row, part), list(SPREAD)):
        failures.count += missed
        yield line


def _simulation_row(part: float, model: str) -> Row:
    source = np.random.default_rng(1)

    def draw(effect: float) -> Draw:
        return lambda count: simulated(model, count, math.log1p(effect), source).blocks

    no_ops = accepted(draw(0.0), math.ceil(SIMULATED_NO_OPS * part))
    gains, blocks = followed(draw(SIMULATED_GAIN), max(20, int(GAINS_TRIED * part)))
    return no_ops.count, f"| {model} | {bounded(no_ops)} | {gains.share:.0%} | {blocks:.0f} |"


def of_coverage(part: float, failures: Failures, rows: Rows) -> Lines:
    """A true gain of 2 %: how often is it inside of the 99 % interval? That is, how often does the
    test not refuse it; every 50th interval is computed, too, and compared."""
    trials = int(COVERAGE_TRIALS * part)
    yield f"| coverage of 99 %, {trials} trials | 10 blocks | 24 blocks |"
    yield "|---|---|---|"
    for missed, line in rows(partial(_coverage_row, trials), list(SPREAD)):
        failures.count += missed
        yield line


def _coverage_row(trials: int, model: str) -> Row:
    cells, missed = [], 0
    for blocks in (10, 24):
        rate, contradictions = coverage(model, blocks, trials)
        missed += (rate.high < COVERAGE) + contradictions
        cells.append(f"{rate.share:.2%} ({rate.low:.2%} to {rate.high:.2%})")
    return missed, f"| {model} | {' | '.join(cells)} |"


def coverage(model: str, blocks: int, trials: int) -> tuple[Rate, int]:
    source = np.random.default_rng(2)
    miss, truth = (1 - COVERAGE) / 2, 0.02
    inside = contradictions = 0
    for trial in range(trials):
        values = low_values(simulated(model, blocks, truth, source))
        covered = clearly_within(values, 2, 1.5, truth)
        if not covered:
            tails = shifted_tails(values, 2, truth)
            covered = tails.low > miss and tails.high > miss
        inside += covered
        if trial % 50 == 0:
            shift = shift_of(values, 2, miss)
            contradictions += covered != (shift.low <= truth <= shift.high)
    return Rate(inside, trials), contradictions


def of_virtual_device(part: float, failures: Failures, rows: Rows) -> Lines:
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


def of_recorded_no_ops(part: float, failures: Failures, rows: Rows) -> Lines:
    if recorded() is None:
        yield _NO_RECORDINGS
        return
    yield "| no-ops accepted | plain, 24 blocks | 24, then 24 fresh | up to 96 |"
    yield "|---|---|---|---|"
    total = np.zeros(4, dtype=np.int64)
    for counts, line in rows(partial(_false_row, part), sorted(ASKED)):
        total += np.array(counts)
        yield line
    failures.count += int(total[1] + total[2])
    cells = [bounded(Rate(int(count), int(total[3]))) for count in total[:3]]
    yield f"| all | {' | '.join(cells)} |"


def of_recorded_gains(part: float, failures: Failures, rows: Rows) -> Lines:
    if recorded() is None:
        yield _NO_RECORDINGS
        return
    for tag in ("B2", "B5"):
        yield (
            f"| {tag} found | asked | plain, 24 | 24 | 24, to confirm | 24, then 24 fresh "
            "| up to 96 | blocks |"
        )
        yield "|---|---|---|---|---|---|---|---|"
        for missed, line in rows(partial(_found_row, part, tag), sorted(ASKED)):
            failures.count += missed
            yield line
        yield ""


def _false_row(part: float, case: Case) -> tuple[tuple[int, ...], str]:
    draw = no_op(_blocks(case), random.Random(3))
    trials = math.ceil(NO_OPS / len(ASKED) * part)
    usual = plain(draw, trials, np.random.default_rng(3))
    rates = (usual, at_once(draw, trials)[2], accepted(draw, trials))
    counts = (*(rate.count for rate in rates), trials)
    return counts, f"| {' '.join(case)} | {' | '.join(map(counted, rates))} |"


def _found_row(part: float, tag: str, case: Case) -> Row:
    trials = max(20, int(GAINS_TRIED * part))
    draw = gain(_blocks(case), tag, random.Random(4))
    rates = [plain(draw, 8 * trials, np.random.default_rng(4)), *at_once(draw, trials)]
    rate, mean = followed(draw, trials)
    asked = ASKED[case][tag == "B5"]
    cells = " | ".join(f"{100 * one.share:.3g} %" for one in (*rates, rate))
    missed = round(1000 * rate.share) < math.floor(10 * asked)
    return missed, f"| {' '.join(case)} | {asked:g} % | {cells} | {mean:.0f} |"


def _blocks(case: Case) -> list[RecordedBlock]:
    cases = recorded()
    assert cases is not None
    return cases[case]


def counted(rate: Rate) -> str:
    return f"{rate.count} of {rate.trials}"


def bounded(rate: Rate) -> str:
    return f"{counted(rate)} (at most {rate.high:.2g})"


PARTS: dict[str, Callable[[float, Failures, Rows], Lines]] = {
    "no-ops": of_recorded_no_ops,
    "gains": of_recorded_gains,
    "simulated": of_simulation,
    "virtual": of_virtual_device,
    "coverage": of_coverage,
}


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, help="processes at a time (one per core)")
    parser.add_argument("--write", action="store_true", help="into README.md, of all parts only")
    arguments = parser.parse_args(argv)
    failures, output = (
        Failures(),
        [judge_page.provenance([*arguments.parts, *(["--quick"] if arguments.quick else [])]), ""],
    )
    print(output[0], end="\n\n")
    started = time.monotonic()
    with multiprocessing.Pool(arguments.jobs) as pool:
        for part in arguments.parts or PARTS:
            for line in PARTS[part](0.02 if arguments.quick else 1.0, failures, pool.imap):
                print(line, flush=True)
                output.append(line)
            print()
            output.append("")
    output.append(_ending(failures, (time.monotonic() - started) / 60))
    print(output[-1])
    if arguments.write and not arguments.parts:
        judge_page.write(output)
    return 1 if failures.count else 0


def _ending(failures: Failures, minutes: float) -> str:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(use.ru_utime + use.ru_stime for use in spent) / 60
    return (
        f"Targets missed: {failures.count}. It took {minutes:.0f} minutes, {cpu:.0f} of CPU time."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
