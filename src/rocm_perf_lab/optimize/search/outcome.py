"""What a search came to, as a document; whichever engine did it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Literal, Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.optimize.attempt import NOT_JUDGED, Attempt, AttemptVerdict
from rocm_perf_lab.optimize.deliver import NotWritten, deliver
from rocm_perf_lab.optimize.document import (
    SCHEMA_VERSION,
    AcceptedKernelModel,
    ModelUseModel,
    NotAppliedModel,
    OptimizeDocument,
    SpeedupModel,
    attempt_model,
)
from rocm_perf_lab.optimize.gate.claim import Claim
from rocm_perf_lab.optimize.refusal import Stage
from rocm_perf_lab.optimize.request import OptimizeRequest
from rocm_perf_lab.optimize.search.session import SearchSession, opened_session
from rocm_perf_lab.prove.evidence.bundle import difference
from rocm_perf_lab.prove.judge.verdict import at_least

Engine = Literal["rules", "llm", "both"]


@dataclass
class Report:
    """What an engine adds to the document."""

    not_applied: list[NotAppliedModel] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    model: Optional[ModelUseModel] = None


Run = Callable[[SearchSession, Report], None]
Consent = Callable[[str, Path], bool]  # the difference and the file; asked once, at the end


def run_engine(
    request: OptimizeRequest, engine: Engine, run: Run, agrees: Consent
) -> OptimizeDocument:
    """Opens a session, lets the engine work, and hands over what was accepted.

    Ctrl-C and failures after the first attempt end the search, not what it found: the best
    accepted version is with the evidence by then. After Ctrl-C nobody is asked any more.
    """
    began = time.monotonic()
    report, interrupted = Report(), False
    with opened_session(request) as session:
        try:
            run(session, report)
        except KeyboardInterrupt:
            interrupted = True
            session.log.append("interrupted")
        except PerfLabError as error:
            if not session.workshop.attempts:
                raise
            report.notes.append(f"the search ended early: {error.cause}")
            session.log.append("failed", reason=error.cause)
        session.workshop.listener.doing("")
        document = _document(session, engine, report, agrees, began, interrupted)
        if not interrupted:
            session.workshop.evidence.close()
        return document


def _document(
    session: SearchSession,
    engine: Engine,
    report: Report,
    agrees: Consent,
    began: float,
    interrupted: bool,
) -> OptimizeDocument:
    workshop = session.workshop
    diff = difference_of(session)
    outputs, written = _handed_over(session, diff, agrees, report, interrupted)
    claims = [gate.claim for gate in session.gates.values() if gate.claim is not None]
    verdict, reason = overall(workshop.attempts, claims)
    left = [
        NotAppliedModel(kernel=one.kernel, rule=None, why=one.why, location=None)
        for one in session.left_alone
    ]
    return OptimizeDocument(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        engine=engine,
        verdict=verdict,
        reason=reason,
        speedup=_speedup(claims),
        kernels=tuple(
            AcceptedKernelModel(
                kernel=one.kernel,
                speedup=one.speedup,
                low=one.low,
                proof=one.proof.words,
                not_varied=one.proof.not_varied,
            )
            for one in claims
        ),
        attempts=tuple(map(attempt_model, workshop.attempts)),
        output=str(outputs[0]) if outputs else None,
        outputs=tuple(map(str, outputs)),
        written=written,
        diff=diff,
        evidence=str(session.evidence),
        sources=tuple(map(str, workshop.project.sources)),
        flags=workshop.project.build or workshop.project.flags,
        device="virtual" if workshop.prefix.kind == "virtual" else "rocm",
        not_applied=(*left, *report.not_applied),
        seconds=round(time.monotonic() - began, 3),
        interrupted=interrupted,
        model=report.model,
        notes=(*workshop.all_notes(), *report.notes),
    )


def difference_of(session: SearchSession) -> str:
    """Between the user's files and the best version."""
    workshop = session.workshop
    below = workshop.project.below
    old = {below(path): _text(workshop.tree.original(path)) for path in workshop.best}
    new = {below(path): _text(data) for path, data in workshop.best.items()}
    return difference(old, new)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _handed_over(
    session: SearchSession, diff: str, agrees: Consent, report: Report, interrupted: bool
) -> tuple[tuple[Path, ...], bool]:
    """Into the user's file after consent, else it stays with the evidence."""
    workshop = session.workshop
    if workshop.accepted_folder is None:
        return (), False
    kept = tuple(
        workshop.evidence.accepted_file(workshop.accepted_folder, path)
        for path in sorted(workshop.best)
    )
    if interrupted or not agrees(diff, kept[0]):
        return kept, False
    try:
        return deliver(workshop), True
    except NotWritten as error:
        report.notes.append(f"not written: {error.cause}")
        return kept, False


def overall(attempts: Sequence[Attempt], claims: Sequence[Claim]) -> tuple[AttemptVerdict, str]:
    if claims:
        best = max(claims, key=lambda claim: claim.low or 0.0)
        return (
            "accept",
            f"{best.kernel} is at least {at_least(best.low or best.speedup)} faster, proven",
        )
    if not attempts:
        return "no_change", "nothing was found to try"
    promising = [a.speedup for a in attempts if a.speedup and a.reason.endswith(NOT_JUDGED)]
    if promising:
        return "no_change", f"{NOT_JUDGED}; the best is {max(promising):.3f}x by replay"
    found = {attempt.verdict for attempt in attempts if attempt.stage is not Stage.REPLY}
    if not found:
        held = any(attempt.verdict == "inconclusive" for attempt in attempts)
        return "inconclusive" if held else "reject", "no reply of the model could be tried"
    for verdict, reason in _WITHOUT_GAIN:
        if verdict in found:
            return verdict, reason
    stages = {attempt.stage for attempt in attempts if attempt.stage is not Stage.REPLY}
    if stages == {Stage.JUDGE}:
        return "reject", "every proposal was slower"
    return "reject", f"every proposal was refused{' or slower' if Stage.JUDGE in stages else ''}"


_WITHOUT_GAIN: tuple[tuple[AttemptVerdict, str], ...] = (
    ("inconclusive", "a proposal looked faster, but that was not proven"),
    ("no_change", "no proposal was faster"),
)


def _speedup(claims: Sequence[Claim]) -> SpeedupModel:
    best: Optional[Claim] = max(claims, key=lambda claim: claim.low or 0.0, default=None)
    if best is None:
        return SpeedupModel(kernel=None, kernel_low=None, application=None, application_low=None)
    last = max(claims, key=lambda claim: claim.order)
    return SpeedupModel(
        kernel=best.speedup,
        kernel_low=best.low,
        application=last.application,
        application_low=last.application_low,
    )
