"""The profile document, version 1.1: what ``rocm-perf profile --json`` prints.

Every field of version 1.0 is still here with its old name and type; version 1.1 only adds.
``None`` means "not known", and ``unavailable`` then says why and what would make it known.
"""

from __future__ import annotations

from typing import Final, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

from rocm_perf_lab.analysis.documents.schemas.analysis import AnalysisDocument
from rocm_perf_lab.analysis.documents.schemas.critical_path import CriticalPathModel
from rocm_perf_lab.analysis.documents.schemas.roofline import RooflineDocument
from rocm_perf_lab.analysis.documents.schemas.thread_trace import AttModel
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel
from rocm_perf_lab.analysis.kernels.stability import Classification

SCHEMA_VERSION: Final = "1.1"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


Triple = tuple[int, int, int]


class KernelModel(_Strict):
    """The dominant kernel: the largest total time, the runtime's own blit kernels apart."""

    name: Optional[str]
    grid: Optional[Triple] = Field(description="work-items in x, y, z")
    block: Optional[Triple] = Field(description="work-items per workgroup in x, y, z")


class GpuModel(_Strict):
    architecture: str = Field(description="LLVM target, for example gfx942")
    wave_size: Optional[int]
    compute_units: Optional[int]
    theoretical_peak_flops: Optional[float] = Field(
        default=None, description="vector FP32 FLOP/s of the whole device at its highest clock"
    )


class StabilityModel(_Strict):
    """Spread of the time of whole runs. The last three are null for fewer than two runs."""

    runs: int
    mean_ms: float
    stddev_ms: Optional[float]
    cv: Optional[float] = Field(description="stddev_ms / mean_ms")
    classification: Optional[Classification]
    samples_ms: list[float] = Field(description="one value per run, in the order of the runs")
    quantity: Literal["kernel_time", "wall_time"] = Field(
        description="kernel_time: sum of dispatch durations of a run; wall_time: whole process"
    )


class ResourcesModel(_Strict):
    vgpr_per_thread: Optional[int] = Field(
        description="vector registers a lane occupies; accumulation registers included"
    )
    sgpr_per_wave: Optional[int]
    lds_bytes: Optional[int] = Field(
        description="per workgroup; dynamic LDS included where recorded"
    )
    arch_vgpr: Optional[int]
    accum_vgpr: Optional[int]
    scratch_bytes: Optional[int] = Field(description="private memory per work-item")


class NextStepModel(_Strict):
    """The nearest values of some resources that change the occupancy, the rest unchanged."""

    bounds: dict[str, int] = Field(description="resource: value to reach")
    waves_per_simd: float
    theoretical: float
    text: str


class OccupancyModel(_Strict):
    theoretical: float = Field(ge=0, le=1, description="resident waves / wave slots")
    threads_per_block: int
    wave_size: int
    waves_per_simd: float
    workgroups_per_cu: int
    limiter: str = Field(description="the tightest resource")
    limits: dict[str, int] = Field(description="workgroups per CU that each resource would allow")
    compiler_waves_per_simd: int = Field(
        description="what LLVM's own rule gives; it ignores that workgroups are placed whole"
    )
    next_up: Optional[NextStepModel]
    next_down: list[NextStepModel]


class RooflineModel(_Strict):
    """Of the dominant kernel, per launch; ``rooflines`` has every kernel and every ceiling."""

    flops: float
    bytes: float
    arithmetic_intensity: float
    achieved_gflops: float
    achieved_bandwidth_gbps: float
    bound: Literal["memory", "compute"]


class TimeBoundModel(_Strict):
    """Dispatches of the virtual device that take as long as a lower bound says."""

    name: str
    meaning: Optional[str] = Field(description="why it takes no less; null for an unknown name")
    dispatches: int
    total_ns: int = Field(description="of these dispatches")
    simulated_ns: int = Field(description="what the simulation of a sample said of them: less")


class KernelRowModel(_Strict):
    name: str
    symbol: Optional[str]
    runtime_internal: bool = Field(description="a copy or fill kernel of the HIP runtime itself")
    dispatches: int
    total_ns: int
    min_ns: int
    median_ns: float
    mean_ns: float
    max_ns: int
    cv: Optional[float] = Field(description="over the dispatches; null for a single one")
    share: float = Field(description="of the time of all kernels")
    grid: Optional[Triple]
    block: Optional[Triple]
    launch_shapes: int = Field(
        description="distinct grid/block/LDS; grid and block are the most frequent"
    )
    resources: Optional[ResourcesModel]
    occupancy: Optional[OccupancyModel]
    time_bounds: list[TimeBoundModel] = Field(
        default_factory=list,
        description="virtual device: lower bounds that decided times; empty when none did",
    )


class TimingModel(_Strict):
    """Of the representative run: the one whose kernel time is the median over the runs."""

    kernel_sum_ms: Optional[float] = Field(description="every dispatch in full")
    gpu_busy_ms: Optional[float] = Field(description="union of the dispatch intervals")
    span_ms: Optional[float] = Field(description="first start to last end")
    wall_ms: Optional[float] = Field(description="the process as a whole, profiler included")
    run: int = Field(description="which run this is, from 0")


class DeviceModel(_Strict):
    kind: Literal["hardware", "virtual", "recorded"]
    gfx: Optional[str]
    product: Optional[str]
    compute_units: Optional[int]
    xcc_count: Optional[int]
    max_clock_mhz: Optional[int]


class ProfileDocument(_Strict):
    schema_version: Literal["1.1"]
    tool_version: str
    command: Optional[list[str]]
    source: Optional[list[str]] = Field(description="the recordings, for a profile made --from")
    kernel: KernelModel
    gpu: Optional[GpuModel]
    device: Optional[DeviceModel]
    runtime_ms: float = Field(description="stability.mean_ms")
    stability: StabilityModel
    resources: Optional[ResourcesModel]
    occupancy: Optional[OccupancyModel]
    roofline: Optional[RooflineModel]
    rooflines: Optional[RooflineDocument] = Field(
        default=None, description="only when it was asked for; roofline.json is the same"
    )
    critical_path: Optional[CriticalPathModel] = Field(
        default=None, description="only when it was asked for; dag.json is the graph behind it"
    )
    att: Optional[AttModel] = None
    analysis: Optional[AnalysisDocument] = Field(
        default=None, description="only when it was asked for; analysis.json is the same"
    )
    timing: TimingModel
    kernels: list[KernelRowModel]
    warnings: list[str]
    unavailable: list[UnavailableModel]
