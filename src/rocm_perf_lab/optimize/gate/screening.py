"""The stages that need no run of the application: text, machine code, one captured dispatch."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import PerfLabError, ToolFailed
from rocm_perf_lab.optimize.gate.candidate import Candidate, Refused
from rocm_perf_lab.optimize.gate.equality import FOR_ALL_INPUTS, Proof
from rocm_perf_lab.optimize.gate.kernel_case import KernelCase, Replayed
from rocm_perf_lab.optimize.guards.artifact import Artifact, check_artifact
from rocm_perf_lab.optimize.guards.denylist import Allowances
from rocm_perf_lab.optimize.guards.source_check import check_source
from rocm_perf_lab.optimize.refusal import Refusal, Stage
from rocm_perf_lab.optimize.source.model import Kernel, TranslationUnit
from rocm_perf_lab.optimize.workshop.workshop import Workshop
from rocm_perf_lab.prove.evidence import Bundle
from rocm_perf_lab.prove.oracle.executed.plain import PlainMaker

_MOST_SAID = 4000  # characters of a compiler's output that are kept


class Unchanged(Exception):
    """The same tokens: there is nothing to measure."""


def check_text(
    workshop: Workshop,
    source: Path,
    before: TranslationUnit,
    kernel: Kernel,
    candidate: Candidate,
) -> tuple[TranslationUnit, Kernel]:
    """G1, G2, and whether clang reads it at all."""
    try:
        after = workshop.parse(source, candidate.contents)
    except ToolFailed as error:
        raise Refused(Refusal(Stage.BUILD, "cannot-be-read", error.cause)) from error
    verdict = check_source(before, kernel, after, candidate.allowed)
    if verdict.kernel is None:
        refusal = verdict.refusals[0]
        said = "\n".join(str(one) for one in verdict.refusals)
        raise Refused(refusal, said if refusal.stage is Stage.BUILD else "")
    if not verdict.changed:
        raise Unchanged
    return after, verdict.kernel


def build_code(workshop: Workshop, source: Path, candidate: Candidate) -> Path:
    built = workshop.tree.code(candidate.contents, source)
    if built.file is None:
        first = next((line for line in built.said.splitlines() if "error" in line), built.said)
        refusal = Refusal(Stage.BUILD, "does-not-compile", first.strip()[:500])
        raise Refused(refusal, built.said[-_MOST_SAID:])
    return built.file


def check_code(
    case: KernelCase,
    baseline: Optional[Artifact],
    code: Path,
    bundle: Bundle,
    allowed: Allowances,
) -> None:
    """G3. What it obliges the proof to look for, the oracle looks for always."""
    after = case.artifact(code)
    if after is None or baseline is None:
        message = f"{case.symbol} is not in the built code"
        raise Refused(Refusal(Stage.ARTIFACT, "lost-kernel", message))
    bundle.add("code/candidate.co", after.code.data)
    verdict = check_artifact(baseline, after, case.artifact_launch(), allowed.launch_bounds)
    bundle.add_json(
        "reports/artifact.json",
        {
            "refusals": [one.to_json() for one in verdict.refusals],
            "obligations": list(verdict.obligations),
            "notes": list(verdict.notes),
        },
    )
    if verdict.refusals:
        raise Refused(verdict.refusals[0])


def replay_code(case: KernelCase, code: Path, bundle: Bundle) -> Replayed:
    """How fast it is on the captured dispatch. Memory that differs is for the oracle to judge."""
    try:
        replayed = case.replay(code)
    except PerfLabError as error:
        raise Refused(Refusal(Stage.ORACLE, "does-not-replay", error.cause)) from error
    bundle.add_json("reports/replay.json", {**asdict(replayed), "speedup": replayed.speedup})
    return replayed


def prove_code(
    case: KernelCase,
    code: Path,
    bundle: Bundle,
    *,
    seed: Optional[int] = None,
    for_all_inputs: bool = False,
    allow_unseen: bool = False,
    plain: Optional[PlainMaker] = None,
) -> Proof:
    """G5, or with a seed the same on fresh inputs (G8). What is proven ``for_all_inputs`` already
    needs no trial that executes all of it."""
    stage = Stage.ORACLE if seed is None else Stage.CONFIRMATION
    try:
        report = case.prove(code, seed, allow_unseen=for_all_inputs or allow_unseen, plain=plain)
    except PerfLabError as error:
        raise Refused(Refusal(stage, "unverified", error.cause)) from error
    name = "oracle" if seed is None else "oracle_confirmation"
    bundle.add_json(f"reports/{name}.json", asdict(report))
    if report.verdict != "equal":
        raise Refused(Refusal(stage, report.verdict, report.reason))
    if for_all_inputs:
        return Proof(FOR_ALL_INPUTS, True)
    return Proof(report.reason, False, report.not_varied)
