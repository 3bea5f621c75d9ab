"""The analysis document, version 1.0: ``analysis.json``, and ``analysis`` of a profile.

``None`` means "not known"; ``unavailable`` of the kernel then says why and what would help.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from msgspec import Meta

from rocm_perf_lab.analysis.documents.schemas.static_code import StaticCodeModel
from rocm_perf_lab.analysis.documents.schemas.thread_trace import ThreadTraceModel
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class EvidenceModel(Strict):
    """A number that a verdict rests on, and the threshold that it was compared with."""

    name: str
    value: float
    threshold: Optional[float]
    unit: str
    meaning: str
    decides: Annotated[bool, says("false: it only ruled out what was tried before")]


class BottleneckModel(Strict):
    primary: Annotated[str, says("the label")]
    runner_up: Optional[str]
    close_call: Annotated[
        bool, says("with numbers 10 % different the runner-up could be the label")
    ]
    confidence: Annotated[float, Meta(ge=0, le=1)]
    reasoning: list[str]
    evidence: list[EvidenceModel]
    missing: Annotated[list[str], says("inputs that would have made it surer")]


class HeadroomModel(Strict):
    fraction: Annotated[
        float, Meta(ge=0, le=1, description="distance to the binding ceiling; 0 at it")
    ]
    bound: Annotated[str, says("the ceiling that binds")]


class KernelAnalysisModel(Strict):
    kernel: str
    time_ms: Annotated[Optional[float], says("of all its launches in the run that is shown")]
    share: Annotated[Optional[float], says("of the time of all kernels")]
    att: Annotated[Optional[ThreadTraceModel], says("thread trace of one launch")]
    static: Annotated[Optional[StaticCodeModel], says("what its code shows without running")]
    bottleneck: Optional[BottleneckModel] = None
    headroom: Optional[HeadroomModel] = None
    optimisation_score: Annotated[
        Optional[float], says("headroom x criticality: which kernel to work on first")
    ] = None
    unavailable: list[UnavailableModel]


class AnalysisDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    source: Annotated[Optional[list[str]], says("recordings and traces that were read")]
    virtual: Annotated[Optional[bool], says("null for thread traces alone: they do not say")]
    kernels: Annotated[
        list[KernelAnalysisModel], says("by time, the longest first; traces without times by stall")
    ]
    notes: list[str]
