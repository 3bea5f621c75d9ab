"""Evidence as a person reads it."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.prove.evidence.decision import Decision
from rocm_perf_lab.prove.evidence.document import EvidenceDocument
from rocm_perf_lab.prove.judge.document import JudgeDocument
from rocm_perf_lab.prove.judge.verdict import at_least
from rocm_perf_lab.reporters import text_table as tt


def render_verified(document: EvidenceDocument) -> str:
    lines = [*_decided(document)]
    lines += [tt.field("Checked", text, 13) for text in document.checked]
    lines += [tt.field("Not checked", text, 13) for text in document.not_checkable]
    lines += [tt.field("Note", text, 13) for text in document.notes]
    lines += [tt.field("Missing", text, 13) for text in document.missing]
    lines += [tt.field("PROBLEM", text, 13) for text in document.problems]
    count = len(document.problems)
    result: str = document.verdict
    if document.problems:
        result = f"NOT INTACT ({count} problem{'s' * (count > 1)})"
    elif document.missing:
        result = f"incomplete ({document.missing[0]})"
    return "\n".join([*lines, "", tt.closing(f"Result: {result}")]) + "\n"


def render_shown(document: EvidenceDocument) -> str:
    lines = [*_decided(document)]
    decision = document.decision
    if decision is not None and decision.guards:
        lines += [tt.field("Refused", text, 13) for text in decision.guards]
    lines += [tt.field("Missing", text, 13) for text in document.missing]
    return "\n".join([*lines, "", tt.closing(f"Result: {_answer(decision)}")]) + "\n"


def _decided(document: EvidenceDocument) -> list[str]:
    lines = [tt.field("Evidence", f"{document.folder}, {document.state}", 13)]
    decision = document.decision
    if decision is None:
        return lines
    lines.append(_verdict("Kernel", decision.kernel))
    if decision.application is not None:
        lines.append(_verdict("Application", decision.application))
    lines.append(tt.field("Output", decision.oracle.verdict, 13))
    lines.append(
        f"Candidates   {decision.candidates}, look {decision.look + 1} of {len(decision.looks)}"
    )
    return lines


def _verdict(title: str, document: JudgeDocument) -> str:
    name = document.verdict.replace("_", " ")
    return tt.field(title, f"{name}: {document.reason} ({document.blocks} blocks)", 13)


def _answer(decision: Optional[Decision]) -> str:
    if decision is None:
        return "no decision was made"
    if not decision.accepted:
        return "not accepted"
    return f"accepted, at least {at_least(decision.kernel.claim or 1.0)}"
