"""The stages that run the application: launches, plausibility, regression, judge, confirmation."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

import numpy as np

from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.measure.blocks import (
    ROLES,
    B,
    BlockRequest,
    BlockTimes,
    kernel_times,
    measure_blocks,
)
from rocm_perf_lab.measure.meter import Command
from rocm_perf_lab.optimize.gate.candidate import Candidate, Refused
from rocm_perf_lab.optimize.guards.launches import check_launches
from rocm_perf_lab.optimize.guards.plausibility import (
    MAX_SPEEDUP,
    Claim,
    Work,
    ceilings_of,
    check_plausibility,
)
from rocm_perf_lab.optimize.guards.regression import check_regression
from rocm_perf_lab.optimize.refusal import Refusal, Stage
from rocm_perf_lab.optimize.workshop.measured import Measured, emptied
from rocm_perf_lab.optimize.workshop.workshop import Workshop
from rocm_perf_lab.prove.evidence import Bundle
from rocm_perf_lab.prove.judge import Block, JudgePlan, JudgeRule, Look, Samples, Verdict, follow
from rocm_perf_lab.prove.judge.process_value import low_values
from rocm_perf_lab.prove.oracle.application import Output, compare_outputs
from rocm_perf_lab.prove.oracle.report import decide
from rocm_perf_lab.prove.oracle.scene import captured_images
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.coverage import Work as Counts

LEAST_BLOCKS = 12
# Fresh blocks. Five are the least that the judge's rule for them allows; with noise of the order of
# the gain so few confirm about every other true one.
CLEAR_BLOCKS, NOISY_BLOCKS = 6, 12
# A rule is known to compute the same by its construction, so that only more than this is odd.
MOST_BY_RULES = 100.0
_CANDIDATE = ROLES.index(B)
_BASELINE_OUTPUT = "the output of the baseline application"
_LOOKS = (0.5, 0.5)  # shares; the second look has twice the blocks of the first


def build_program(workshop: Workshop, candidate: Candidate) -> Path:
    """G0 again, then the application with the candidate in it."""
    refusal = workshop.tree.check_trust()
    if refusal is not None:
        raise Refused(refusal)
    built = workshop.tree.program(candidate.contents)
    if built.file is None:
        message = "the application does not build with it"
        raise Refused(Refusal(Stage.BUILD, "does-not-link", message), built.said)
    return built.file


def measure_version(workshop: Workshop, program: Path) -> Measured:
    try:
        return workshop.measure(program)
    except PerfLabError as error:
        raise Refused(Refusal(Stage.LAUNCH, "application-failed", error.cause)) from error


def check_output(
    workshop: Workshop, base: Path, program: Path, poison: Mapping[str, str], bundle: Bundle
) -> None:
    """What the application prints, as it is and with outputs that are poisoned before each launch.
    No output at all proves nothing, and is no objection."""

    def run(one: Path, variables: Mapping[str, str]) -> Output:
        seconds = workshop.request.timeout_s
        return workshop.application.output(workshop.argv(one), seconds, variables)

    first, second, found = run(base, {}), run(base, {}), run(program, {})
    report = decide(compare_outputs(first, second, found), _BASELINE_OUTPUT)
    said = {"verdict": report.verdict, "reason": report.reason, "poisoned": "not asked"}
    if report.verdict == "equal" and poison:
        # The baseline may print what no launch of it wrote: then poison says nothing about others.
        own = decide(compare_outputs(first, second, run(base, poison)), _BASELINE_OUTPUT)
        said["poisoned"] = f"the baseline itself prints something else: {own.reason}"
        if own.verdict == "equal":
            poisoned = compare_outputs(first, second, run(program, poison))
            report = decide(poisoned, _BASELINE_OUTPUT)
            said["poisoned"] = report.reason
    bundle.add_json("reports/application.json", said)
    if report.verdict == "different":
        raise Refused(Refusal(Stage.ORACLE, "application-output", report.reason))


@dataclass(frozen=True)
class CountedWork:
    """Of one launch on the captured memory, counted by the device in the same way for both."""

    baseline: Work
    candidate: Work


def counted_work(counted: Optional[tuple[Counts, Counts]]) -> Optional[CountedWork]:
    """None is not known."""
    if counted is None:
        return None
    before, after = (
        Work(bytes=float(one.read_bytes + one.written_bytes), flops=float(one.flops))
        for one in counted
    )
    return CountedWork(before, after)


def check_version(
    workshop: Workshop,
    kernel: str,
    before: Measured,
    after: Measured,
    capture: Capture,
    *,
    by_rules: bool,
    work: Optional[CountedWork] = None,
) -> None:
    """G4, G6 and regression, from the traces and profiles of both versions. ``work`` is what the
    device counted of both on the captured dispatch."""
    refusal = check_launches(before.trace, after.trace, kernel)
    if refusal is None:
        refusal = _plausible(kernel, before, after, capture, by_rules, work)
    if refusal is not None:
        raise Refused(refusal)
    regression = check_regression(
        before.profile, after.profile, kernel, workshop.request.thresholds
    )
    if regression.refusals:
        raise Refused(regression.refusals[0])


def _plausible(
    kernel: str,
    before: Measured,
    after: Measured,
    capture: Capture,
    by_rules: bool,
    work: Optional[CountedWork],
) -> Optional[Refusal]:
    """Without counted work the floor is what the captured dispatch changes, and operations are not
    known: counters assume that all lanes of a wave are active."""
    changed = float(changed_bytes(capture))
    given = work or CountedWork(Work(bytes=changed), Work())
    claim = Claim(
        baseline_ns=before.verdict_of(kernel).kernel.median_ns,
        candidate_ns=after.verdict_of(kernel).kernel.median_ns,
        compulsory=replace(given.baseline, written=changed),
        baseline=replace(given.baseline, written=_written(kernel, before)),
        candidate=replace(given.candidate, written=_written(kernel, after)),
        captured_ns=_captured_ns(kernel, after, capture),
        most_speedup=MOST_BY_RULES if by_rules else MAX_SPEEDUP,
        by_rules=by_rules,
    )
    rooflines = before.profile.rooflines
    roofs = {roof.name: roof.value for roof in rooflines.roofs} if rooflines else {}
    return check_plausibility(claim, ceilings_of(roofs))


def _captured_ns(kernel: str, measured: Measured, capture: Capture) -> Optional[float]:
    """Launches of one kernel can differ in size: the work is that of one of them."""
    trace = measured.trace
    mine = [trace.kernels[k].name == kernel for k in trace.dispatches.kernel]
    order = np.argsort(trace.dispatches.start[mine], kind="stable")
    times = trace.dispatches.duration[mine][order]
    index = capture.dispatch.dispatch_index
    return float(times[index]) if index < len(times) else None


def _written(kernel: str, measured: Measured) -> Optional[float]:
    rooflines = measured.profile.rooflines
    for row in rooflines.kernels if rooflines else ():
        if row.kernel == kernel:
            return next((one.written_bytes for one in row.levels if one.level == "l2"), None)
    return None


def changed_bytes(capture: Capture) -> int:
    total = 0
    for base, image in captured_images(capture).items():
        region = next(region for region in capture.regions if region.base == base)
        before = np.fromfile(capture.memory_file(region.file), dtype=np.uint8)
        total += int((before != image).sum())
    return total


@dataclass(frozen=True)
class Timed:
    """Blocks of processes of two versions, as the judge wants them."""

    blocks: tuple[BlockTimes, ...]
    kernel: Samples
    application: Samples


def judge_plan(candidates: int, min_gain: float, *, against_original: bool) -> JudgePlan:
    """Two looks, declared before the first block: as few blocks as so many candidates allow.

    While the best version is still the original one, first and fresh blocks ask the same question,
    and the rule may count on both. Later a change that does nothing to the best version is still
    faster than the original: then the first blocks have to be as improbable alone."""
    rule = JudgeRule(min_gain=max(0.01, min_gain), confirm=against_original)
    first = JudgePlan(rule, (Look(1, _LOOKS[0]),)).rule_at(0).least_blocks(candidates)
    blocks = max(LEAST_BLOCKS, first)
    return JudgePlan(rule, (Look(blocks, _LOOKS[0]), Look(2 * blocks, _LOOKS[1])))


def judge_version(
    workshop: Workshop, kernel: str, base: Path, head: Path, plan: JudgePlan, seed: int
) -> tuple[Verdict, Timed]:
    taken: list[BlockTimes] = []
    stream = timed_blocks(workshop, base, head, plan.looks[-1].blocks, seed)

    def blocks() -> Iterator[Block]:
        for block in stream:
            taken.append(block)
            yield Block(*kernel_times([block], kernel)[0])

    try:
        verdict, _ = follow(plan, blocks(), candidates=workshop.evidence.tried)
    except PerfLabError as error:
        raise Refused(Refusal(Stage.JUDGE, "not-measured", error.cause)) from error
    finally:
        stream.close()
    return verdict, timed(taken, kernel)


def fresh_blocks(first: Samples) -> int:
    """How many will confirm it, from the first ones: few where every process of the candidate was
    faster than every one of the baseline."""
    values = low_values(first)
    clear = values[:, _CANDIDATE].max() < values[:, :_CANDIDATE].min()
    return CLEAR_BLOCKS if clear else NOISY_BLOCKS


def confirm_version(workshop: Workshop, kernel: str, head: Path, blocks: int, seed: int) -> Timed:
    """Fresh blocks against the program as it was before the search."""
    stream = timed_blocks(workshop, workshop.base_program, head, blocks, seed)
    try:
        fresh = timed(list(stream), kernel)
        fresh.kernel.check()
        return fresh
    except PerfLabError as error:
        raise Refused(Refusal(Stage.CONFIRMATION, "not-measured", error.cause)) from error


def timed_blocks(
    workshop: Workshop, base: Path, head: Path, blocks: int, seed: int
) -> Generator[BlockTimes, None, None]:
    application = workshop.application
    return measure_blocks(
        BlockRequest(
            base=Command(workshop.argv(base)),
            head=Command(workshop.argv(head)),
            blocks=blocks,
            seed=seed,
            rocm=workshop.prefix.path,
            timeout_s=workshop.request.timeout_s,
            start=application.start,
            space=emptied(application.recordings),
        )
    )


def timed(blocks: list[BlockTimes], kernel: str) -> Timed:
    kernels = tuple(Block(*times) for times in kernel_times(blocks, kernel))
    whole = []
    for block in blocks:
        processes = [block.processes[role] for role in ROLES]
        spans = [float(one.critical_path_ns or one.kernel_sum_ns) for one in processes]
        whole.append(Block(*((span,) for span in spans)))
    return Timed(tuple(blocks), Samples("ns", kernels), Samples("ns", tuple(whole)))
