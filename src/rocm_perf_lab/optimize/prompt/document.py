"""The prompt as a document, version 1.0: what ``rocm-perf prompt --json`` prints.

``hardware``, ``kernel``, ``runtime``, ``roofline``, ``critical_path``, ``att``, ``resources``,
``bottleneck``, ``headroom_fraction`` and ``source`` are what a context was always made of.
``None`` means "not known".
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional, Union

from rocm_perf_lab.analysis.documents.schemas.analysis import EvidenceModel
from rocm_perf_lab.analysis.documents.schemas.profile import ResourcesModel, StabilityModel, Triple
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"


class HardwareModel(Strict):
    product: Optional[str]
    gfx: Optional[str]
    kind: Annotated[str, says("hardware, virtual or recorded")]
    compute_units: Optional[int]
    wave_size: Optional[int]


class PromptKernelModel(Strict):
    name: Annotated[str, says("qualified, as in the source")]
    launches: Optional[int]
    median_us: Optional[float]
    share: Annotated[Optional[float], says("of the time of all kernels")]
    grid: Annotated[Optional[Triple], says("workgroups of a typical launch")]
    block: Annotated[Optional[Triple], says("threads of a workgroup")]
    arguments: Annotated[dict[str, Union[int, float]], says("scalars of that launch")]


class RuntimeModel(Strict):
    runtime_ms: float
    stability: StabilityModel


class PromptRooflineModel(Strict):
    flops: Annotated[Optional[float], says("per launch")]
    bytes: Annotated[Optional[float], says("per launch, that leave the L2")]
    arithmetic_intensity: Optional[float]
    bound: Optional[str]
    binding: Annotated[Optional[str], says("the nearest ceiling")]
    reached: Annotated[Optional[float], says("share of it")]


class PromptPathModel(Strict):
    fraction: Annotated[float, says("of the critical path that is this kernel")]
    ceiling: Annotated[Optional[float], says("of the application if it took no time")]


class PromptTraceModel(Strict):
    instruction_mix: dict[str, float]
    stall_fraction: float
    idle_fraction: float
    avg_memory_latency: Annotated[Optional[float], says("cycles; vector memory")]
    ipc: float


class HotLineModel(Strict):
    line: int
    share: Annotated[float, says("of the time of the waves")]
    stall_share: Annotated[float, says("of that, in which the waves were stalled")]
    code: str


class PromptBottleneckModel(Strict):
    primary: str
    runner_up: Optional[str]
    confidence: Optional[float]
    reasoning: tuple[str, ...]
    numbers: tuple[EvidenceModel, ...]


class OccupancyFactsModel(Strict):
    theoretical: float
    limiter: str


class LimitsModel(Strict):
    """Shares of the baseline; None: no limit."""

    min_improvement: float
    runtime: Optional[float]
    vgpr: Optional[float]
    occupancy: Optional[float]
    lds: Optional[float]
    dram_bytes: Optional[float]
    growth_waiver: Annotated[bool, says("registers and LDS count only by the occupancy")]
    spills: Annotated[bool, says("true: no new scratch memory")]
    allowed: Annotated[tuple[str, ...], says("what the user allowed beyond the rules")]


class PromptAttemptModel(Strict):
    kernel: str
    proposal: str
    stage: str
    verdict: str
    reason: str
    speedup: Optional[float]


class SourceModel(Strict):
    path: Annotated[str, says("the name of its file")]
    line: Annotated[int, says("where the kernel begins")]
    kernel_name: str
    code: Annotated[str, says("the kernel's definition, the best that was accepted so far")]
    file: Annotated[Optional[str], says("the whole file, where it is shown")]


class MessageModel(Strict):
    role: Literal["system", "user"]
    text: str


class PromptDocument(Strict):
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
    messages: Annotated[tuple[MessageModel, ...], says("exactly what would be sent")]
