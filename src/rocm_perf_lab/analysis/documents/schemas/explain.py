"""The explanation document, version 1.0: what ``rocm-perf explain --json`` prints.

``None`` means "not known"; ``unavailable`` then says why and what would make it known.
"""

from __future__ import annotations

from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

from rocm_perf_lab.analysis.documents.schemas.analysis import BottleneckModel, HeadroomModel
from rocm_perf_lab.analysis.documents.schemas.profile import DeviceModel
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel

SCHEMA_VERSION: Final = "1.0"

Limit = Literal["kernel", "copies", "launching", "host", "unexplained"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class TimeModel(_Strict):
    """Where the time from the first to the last work of the GPU goes; shares of the span."""

    span_ms: float
    basis: Literal["critical path", "kernel time"]
    kernels: float
    copies: Optional[float]
    launching: Optional[float] = Field(
        description="in launching calls, until work begins, and between work and the next"
    )
    host: Optional[float] = Field(description="the application's own code, and waiting calls")
    other: float


class GainModel(_Strict):
    """Upper bounds: nothing promises that they can be reached."""

    kernel: float = Field(description="times faster at its nearest ceiling, with the same work")
    application: float = Field(description="times faster end to end if the kernel did that")
    ceiling: Optional[float] = Field(description="the same if the kernel took no time at all")


class AdviceModel(_Strict):
    """One change to try; ordered by what is expected of it, the most first."""

    mend: str = Field(description="what it changes, as one word that stays the same")
    what: str
    why: str = Field(description="the numbers that led to it")
    kernel_gain: Optional[float] = Field(
        description="times faster the kernel gets at most; null where it is about no kernel"
    )
    gain: Optional[float] = Field(
        description="times faster end to end at most; null for a next step that gains nothing"
    )
    expected: Optional[float] = Field(
        default=None,
        description="times faster end to end, as such changes mostly do; no promise, for the order",
    )


class TraceModel(_Strict):
    """What a thread trace of the limiting kernel adds."""

    source: str
    matrix_busy: Optional[float] = Field(description="of the time of the watched SIMDs")
    cause: Optional[str] = Field(description="what its waves wait for most")
    waiting: dict[str, float] = Field(description="shares of all stall by cause")
    stall_fraction: float = Field(description="of the time of the watched waves")


class OriginModel(_Strict):
    """Who launched a kernel on the host, as frameworks record it."""

    operator: Optional[str] = Field(description='such as "aten::addmm"')
    place: Optional[str] = Field(description="the line of Python: file(line): function")
    launches: int
    total_us: float


class RankedKernelModel(_Strict):
    kernel: str
    launches: int
    mean_us: float
    criticality: float = Field(description="share of the critical path, or of all kernel time")
    slack_us: Optional[float] = Field(description="it may take that much longer for free")
    bottleneck: Optional[BottleneckModel]
    headroom: Optional[HeadroomModel]
    optimisation_score: Optional[float]
    origins: list[OriginModel] = Field(
        default_factory=list, description="the operators behind it with the most time"
    )
    metrics: dict[str, float] = Field(
        description="every number that is known, by its name: l2_hits, occupancy, vector_busy, "
        "matrix_busy and others; shares are from 0 to 1, sums over all passes before the ratio"
    )


class ExplanationDocument(_Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    command: Optional[list[str]]
    source: Optional[list[str]]
    device: Optional[DeviceModel]
    limit: Limit = Field(description="what takes the largest part of the time")
    time: TimeModel
    kernel: str = Field(description="the kernel that limits the application")
    gain: Optional[GainModel]
    trace: Optional[TraceModel] = Field(
        default=None, description="where a thread trace of the kernel was given or made"
    )
    advice: list[AdviceModel]
    kernels: list[RankedKernelModel] = Field(description="the most worthwhile first")
    notes: list[str]
    unavailable: list[UnavailableModel]
