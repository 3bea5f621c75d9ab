"""Evidence as a person reads it."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.prove.evidence.decision import Decision
from rocm_perf_lab.prove.evidence.document import EvidenceDocument
from rocm_perf_lab.prove.judge.document import JudgeDocument
from rocm_perf_lab.reporters import text_table as tt


def render_verified(document: EvidenceDocument) -> str:
    lines = [*_decided(document)]
    lines += [tt.wrap(f"Checked      {text}") for text in document.checked]
    lines += [tt.wrap(f"Not checked  {text}") for text in document.not_checkable]
    lines += [tt.wrap(f"Note         {text}") for text in document.notes]
    lines += [tt.wrap(f"PROBLEM      {text}") for text in document.problems]
    count = len(document.problems)
    result = "intact" if document.intact else f"NOT INTACT ({count} problem{'s' * (count > 1)})"
    return "\n".join([*lines, "", f"Result: {result}"]) + "\n"


def render_shown(document: EvidenceDocument) -> str:
    lines = [*_decided(document)]
    decision = document.decision
    if decision is not None and decision.guards:
        lines += [tt.wrap(f"Refused      {text}") for text in decision.guards]
    return "\n".join([*lines, "", f"Result: {_answer(decision)}"]) + "\n"


def _decided(document: EvidenceDocument) -> list[str]:
    lines = [tt.wrap(f"Evidence     {document.folder}, {document.state}")]
    decision = document.decision
    if decision is None:
        return lines
    lines.append(_verdict("Kernel", decision.kernel))
    if decision.application is not None:
        lines.append(_verdict("Application", decision.application))
    lines.append(tt.wrap(f"Output       {decision.oracle.verdict}"))
    lines.append(
        f"Candidates   {decision.candidates}, look {decision.look + 1} of {len(decision.looks)}"
    )
    return lines


def _verdict(title: str, document: JudgeDocument) -> str:
    name = document.verdict.replace("_", " ")
    return tt.wrap(f"{title:<12} {name}: {document.reason} ({document.blocks} blocks)")


def _answer(decision: Optional[Decision]) -> str:
    if decision is None:
        return "no decision was made"
    if not decision.accepted:
        return "not accepted"
    return f"accepted, at least {decision.kernel.claim or 1:.3f}x"
