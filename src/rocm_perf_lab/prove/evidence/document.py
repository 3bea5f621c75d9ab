"""What ``rocm-perf evidence verify`` and ``show`` print with ``--json``, version 1.0."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab.prove.evidence.decision import Decision
from rocm_perf_lab.prove.evidence.verify import NOT_CHECKABLE, Report
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class EvidenceDocument(Strict):
    schema_version: Literal["1.0"]
    folder: str
    state: Literal["open", "complete"]
    intact: Annotated[bool, says("all is there, and nothing contradicts")]
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    checked: Annotated[tuple[str, ...], says("again, offline, from the bundle alone")]
    not_checkable: tuple[str, ...]
    decision: Optional[Decision]
    verdict: Annotated[
        Literal["intact", "incomplete", "not intact"],
        says("incomplete: nothing contradicts, but not all is there to say more"),
    ] = "intact"
    missing: Annotated[tuple[str, ...], says("what would be needed to check all")] = ()


def evidence_document(report: Report) -> EvidenceDocument:
    return EvidenceDocument(
        schema_version=SCHEMA_VERSION,
        folder=report.folder,
        state="complete" if report.state == "complete" else "open",
        intact=report.verdict == "intact",
        problems=tuple(report.problems),
        notes=tuple(report.notes),
        checked=tuple(report.checked),
        not_checkable=NOT_CHECKABLE,
        decision=report.decision,
        verdict=report.verdict,
        missing=tuple(report.missing),
    )
