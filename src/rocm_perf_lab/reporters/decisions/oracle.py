"""The oracle's answer on a terminal."""

from __future__ import annotations

from rocm_perf_lab.prove.oracle.document import VerifyDocument
from rocm_perf_lab.prove.oracle.report import OracleReport, TypedArgument
from rocm_perf_lab.reporters.text_table import Column, ascii_only, render

_DETAIL_WIDTH = 64
_TIERS = {"bit_exact": "bit by bit", "error_budget": "within the error budget"}


def render_verify(document: VerifyDocument) -> str:
    lines = []
    if document.kernel is not None:
        kind = " (virtual device)" if document.rocm_kind == "virtual" else ""
        lines.append(f"Kernel:    {ascii_only(document.kernel)}{kind}")
        lines.append(f"Candidate: {ascii_only(document.candidate or '')}")
    for report in (document.dispatch, document.application):
        if report is not None:
            lines += _report(report)
    tier = f", {_TIERS[document.tier]}" if document.tier is not None else ""
    lines.append(f"Result: {document.verdict}{tier}: {ascii_only(document.reason)}")
    return "\n".join(lines) + "\n"


def _report(report: OracleReport) -> list[str]:
    columns = (Column("stage", True), Column("answer", True), Column("detail", True))
    rows = [
        (stage.name, stage.verdict, _short(ascii_only(stage.detail))) for stage in report.stages
    ]
    return [
        *(_argument(one) for one in report.arguments),
        f"Reference: {ascii_only(report.reference)}",
        render(columns, rows),
        *(f"Note: {ascii_only(note)}" for note in report.notes),
    ]


def _argument(one: TypedArgument) -> str:
    known = f"{one.type} by {one.source}" if one.type else "type unknown: bytes are compared"
    return f"  {one.argument}: {one.use}, {one.bytes} bytes, {known}"


def _short(text: str) -> str:
    return text if len(text) <= _DETAIL_WIDTH else text[: _DETAIL_WIDTH - 3] + "..."
