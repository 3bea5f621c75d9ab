"""The analysis document, version 1.0: ``analysis.json``, and ``analysis`` of a profile.

``None`` means "not known"; ``unavailable`` of the kernel then says why and what would help.
"""

from __future__ import annotations

from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

from rocm_perf_lab.analysis.documents.schemas.static_code import StaticCodeModel
from rocm_perf_lab.analysis.documents.schemas.thread_trace import ThreadTraceModel
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel

SCHEMA_VERSION: Final = "1.0"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class EvidenceModel(_Strict):
    """A number that a verdict rests on, and the threshold that it was compared with."""

    name: str
    value: float
    threshold: Optional[float]
    unit: str
    meaning: str
    decides: bool = Field(description="false: it only ruled out what was tried before")


class BottleneckModel(_Strict):
    primary: str = Field(description="the label")
    runner_up: Optional[str]
    close_call: bool = Field(
        description="with numbers 10 % different the runner-up could be the label"
    )
    confidence: float = Field(ge=0, le=1)
    reasoning: list[str]
    evidence: list[EvidenceModel]
    missing: list[str] = Field(description="inputs that would have made it surer")


class HeadroomModel(_Strict):
    fraction: float = Field(ge=0, le=1, description="distance to the binding ceiling; 0 at it")
    bound: str = Field(description="the ceiling that binds")


class KernelAnalysisModel(_Strict):
    kernel: str
    time_ms: Optional[float] = Field(description="of all its launches in the run that is shown")
    share: Optional[float] = Field(description="of the time of all kernels")
    att: Optional[ThreadTraceModel] = Field(description="thread trace of one launch")
    static: Optional[StaticCodeModel] = Field(description="what its code shows without running")
    bottleneck: Optional[BottleneckModel] = None
    headroom: Optional[HeadroomModel] = None
    optimisation_score: Optional[float] = Field(
        default=None, description="headroom x criticality: which kernel to work on first"
    )
    unavailable: list[UnavailableModel]


class AnalysisDocument(_Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    source: Optional[list[str]] = Field(description="recordings and traces that were read")
    virtual: Optional[bool] = Field(description="null for thread traces alone: they do not say")
    kernels: list[KernelAnalysisModel] = Field(
        description="by time, the longest first; traces without times by stall"
    )
    notes: list[str]
