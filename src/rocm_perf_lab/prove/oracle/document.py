"""What ``rocm-perf verify`` prints with ``--json``, version 1.0."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab.prove.oracle.report import OracleReport, Tier, Verdict
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class VerifyDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    verdict: Annotated[Verdict, says("of both reports; equal only if each is")]
    tier: Optional[Tier]
    reason: str
    kernel: Optional[str]
    candidate: Annotated[Optional[str], says("the code that was compared")]
    rocm_kind: Annotated[Optional[str], says("rocm, or virtual for a device that is none")]
    dispatch: Annotated[Optional[OracleReport], says("by the memory of the captured dispatch")]
    application: Annotated[Optional[OracleReport], says("by the output of the application")]


def combined(*reports: Optional[OracleReport]) -> OracleReport:
    """The report that decides: the first that is different, then the first that is unverified."""
    there = [report for report in reports if report is not None]
    for verdict in ("different", "unverified"):
        for report in there:
            if report.verdict == verdict:
                return report
    return next((one for one in there if one.tier == "error_budget"), there[0])
