"""What ``rocm-perf verify`` prints with ``--json``, version 1.0."""

from __future__ import annotations

from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

from rocm_perf_lab.prove.oracle.report import OracleReport, Tier, Verdict

SCHEMA_VERSION: Final = "1.0"


class VerifyDocument(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    schema_version: Literal["1.0"]
    tool_version: str
    verdict: Verdict = Field(description="of both reports; equal only if each is")
    tier: Optional[Tier]
    reason: str
    kernel: Optional[str]
    candidate: Optional[str] = Field(description="the code that was compared")
    rocm_kind: Optional[str] = Field(description="rocm, or virtual for a device that is none")
    dispatch: Optional[OracleReport] = Field(description="by the memory of the captured dispatch")
    application: Optional[OracleReport] = Field(description="by the output of the application")


def combined(*reports: Optional[OracleReport]) -> OracleReport:
    """The report that decides: the first that is different, then the first that is unverified."""
    there = [report for report in reports if report is not None]
    for verdict in ("different", "unverified"):
        for report in there:
            if report.verdict == verdict:
                return report
    return next((one for one in there if one.tier == "error_budget"), there[0])
