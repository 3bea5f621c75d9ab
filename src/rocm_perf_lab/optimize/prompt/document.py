"""The prompt as a document, version 1.0: what ``rocm-perf prompt --json`` prints.

``hardware``, ``kernel``, ``runtime``, ``roofline``, ``critical_path``, ``att``, ``resources``,
``bottleneck``, ``headroom_fraction`` and ``source`` are what a context was always made of.
``None`` means "not known".
"""

from __future__ import annotations

from typing import Final, Literal, Optional, Union

from pydantic import BaseModel, ConfigDict, Field

from rocm_perf_lab.analysis.documents.schemas.analysis import EvidenceModel
from rocm_perf_lab.analysis.documents.schemas.profile import ResourcesModel, StabilityModel, Triple

SCHEMA_VERSION: Final = "1.0"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class HardwareModel(_Strict):
    product: Optional[str]
    gfx: Optional[str]
    kind: str = Field(description="hardware, virtual or recorded")
    compute_units: Optional[int]
    wave_size: Optional[int]


class PromptKernelModel(_Strict):
    name: str = Field(description="qualified, as in the source")
    launches: Optional[int]
    median_us: Optional[float]
    share: Optional[float] = Field(description="of the time of all kernels")
    grid: Optional[Triple] = Field(description="workgroups of a typical launch")
    block: Optional[Triple] = Field(description="threads of a workgroup")
    arguments: dict[str, Union[int, float]] = Field(description="scalars of that launch")


class RuntimeModel(_Strict):
    runtime_ms: float
    stability: StabilityModel


class PromptRooflineModel(_Strict):
    flops: Optional[float] = Field(description="per launch")
    bytes: Optional[float] = Field(description="per launch, that leave the L2")
    arithmetic_intensity: Optional[float]
    bound: Optional[str]
    binding: Optional[str] = Field(description="the nearest ceiling")
    reached: Optional[float] = Field(description="share of it")


class PromptPathModel(_Strict):
    fraction: float = Field(description="of the critical path that is this kernel")
    ceiling: Optional[float] = Field(description="of the application if it took no time")


class PromptTraceModel(_Strict):
    instruction_mix: dict[str, float]
    stall_fraction: float
    idle_fraction: float
    avg_memory_latency: Optional[float] = Field(description="cycles; vector memory")
    ipc: float


class HotLineModel(_Strict):
    line: int
    share: float = Field(description="of the time of the waves")
    stall_share: float = Field(description="of that, in which the waves were stalled")
    code: str


class PromptBottleneckModel(_Strict):
    primary: str
    runner_up: Optional[str]
    confidence: Optional[float]
    reasoning: tuple[str, ...]
    numbers: tuple[EvidenceModel, ...]


class OccupancyFactsModel(_Strict):
    theoretical: float
    limiter: str


class LimitsModel(_Strict):
    """Shares of the baseline; None: no limit."""

    min_improvement: float
    runtime: Optional[float]
    vgpr: Optional[float]
    occupancy: Optional[float]
    lds: Optional[float]
    dram_bytes: Optional[float]
    growth_waiver: bool = Field(description="registers and LDS count only by the occupancy")
    spills: bool = Field(description="true: no new scratch memory")
    allowed: tuple[str, ...] = Field(description="what the user allowed beyond the rules")


class PromptAttemptModel(_Strict):
    kernel: str
    proposal: str
    stage: str
    verdict: str
    reason: str
    speedup: Optional[float]


class SourceModel(_Strict):
    path: str = Field(description="the name of its file")
    line: int = Field(description="where the kernel begins")
    kernel_name: str
    code: str = Field(description="the kernel's definition, the best that was accepted so far")
    file: Optional[str] = Field(description="the whole file, where it is shown")


class MessageModel(_Strict):
    role: Literal["system", "user"]
    text: str


class PromptDocument(_Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    hardware: Optional[HardwareModel]
    kernel: PromptKernelModel
    runtime: RuntimeModel
    roofline: Optional[PromptRooflineModel]
    critical_path: Optional[PromptPathModel]
    att: Optional[PromptTraceModel]
    hot_lines: tuple[HotLineModel, ...]
    resources: Optional[ResourcesModel]
    occupancy: Optional[OccupancyFactsModel]
    bottleneck: Optional[PromptBottleneckModel]
    headroom_fraction: Optional[float]
    limits: LimitsModel
    attempts: tuple[PromptAttemptModel, ...]
    source: SourceModel
    messages: tuple[MessageModel, ...] = Field(description="exactly what would be sent")
