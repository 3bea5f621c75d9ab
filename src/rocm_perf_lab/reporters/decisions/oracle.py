"""The oracle's answer on a terminal."""

from __future__ import annotations

from rocm_perf_lab.prove.oracle.document import VerifyDocument
from rocm_perf_lab.prove.oracle.report import OracleReport, TypedArgument
from rocm_perf_lab.reporters import text_table as tt

_TIERS = {"bit_exact": "bit by bit", "error_budget": "within the error budget"}


def render_verify(document: VerifyDocument) -> str:
    lines = []
    if document.kernel is not None:
        kind = " (virtual device)" if document.rocm_kind == "virtual" else ""
        lines.append(tt.field("Kernel:", f"{document.kernel}{kind}", 11))
        lines.append(tt.field("Candidate:", document.candidate or "", 11))
    for report in (document.dispatch, document.application):
        if report is not None:
            lines += _report(report)
    lines.append(tt.closing(f"Result: {_result(document)}"))
    return "\n".join(lines) + "\n"


def _result(document: VerifyDocument) -> str:
    if document.verdict == "equal" and document.reason.startswith("equal in"):
        return document.reason
    tier = f", {_TIERS[document.tier]}" if document.tier is not None else ""
    return f"{document.verdict}{tier}: {document.reason}"


def _report(report: OracleReport) -> list[str]:
    columns = (
        tt.Column("stage", align_left=True),
        tt.Column("answer", align_left=True),
        tt.Column("detail", align_left=True, shorten=tt.clipped),
    )
    rows = [(stage.name, stage.verdict, tt.ascii_only(stage.detail)) for stage in report.stages]
    return [
        *(_argument(one) for one in report.arguments),
        tt.field("Reference:", report.reference, 11),
        tt.render(columns, rows),
        *(tt.wrap(f"Note: {note}") for note in report.notes),
        *(tt.wrap(f"Not varied: {one}") for one in report.not_varied),
    ]


def _argument(one: TypedArgument) -> str:
    known = f"{one.type} by {one.source}" if one.type else "type unknown: bytes are compared"
    return tt.wrap(f"{one.argument}: {one.use}, {one.bytes} bytes, {known}", "  ", "    ")
