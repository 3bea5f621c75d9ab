"""The profile document, version 1.1: what ``rocm-perf profile --json`` prints.

Every field of version 1.0 is still here with its old name and type; version 1.1 only adds.
``None`` means "not known", and ``unavailable`` then says why and what would make it known.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from msgspec import Meta, field

from rocm_perf_lab.analysis.documents.schemas.analysis import AnalysisDocument
from rocm_perf_lab.analysis.documents.schemas.critical_path import CriticalPathModel
from rocm_perf_lab.analysis.documents.schemas.roofline import RooflineDocument
from rocm_perf_lab.analysis.documents.schemas.thread_trace import AttModel
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel
from rocm_perf_lab.analysis.kernels.stability import Classification
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.1"


Triple = tuple[int, int, int]


class KernelModel(Strict):
    """The dominant kernel: the largest total time, the runtime's own blit kernels apart."""

    name: Optional[str]
    grid: Annotated[Optional[Triple], says("work-items in x, y, z")]
    block: Annotated[Optional[Triple], says("work-items per workgroup in x, y, z")]


class GpuModel(Strict):
    architecture: Annotated[str, says("LLVM target, for example gfx942")]
    wave_size: Optional[int]
    compute_units: Optional[int]
    theoretical_peak_flops: Annotated[
        Optional[float], says("vector FP32 FLOP/s of the whole device at its highest clock")
    ] = None


class StabilityModel(Strict):
    """Spread of the time of whole runs. The last three are null for fewer than two runs."""

    runs: int
    mean_ms: float
    stddev_ms: Optional[float]
    cv: Annotated[Optional[float], says("stddev_ms / mean_ms")]
    classification: Optional[Classification]
    samples_ms: Annotated[list[float], says("one value per run, in the order of the runs")]
    quantity: Annotated[
        Literal["kernel_time", "wall_time"],
        says("kernel_time: sum of dispatch durations of a run; wall_time: whole process"),
    ]


class ResourcesModel(Strict):
    vgpr_per_thread: Annotated[
        Optional[int], says("vector registers a lane occupies; accumulation registers included")
    ]
    sgpr_per_wave: Optional[int]
    lds_bytes: Annotated[Optional[int], says("per workgroup; dynamic LDS included where recorded")]
    arch_vgpr: Optional[int]
    accum_vgpr: Optional[int]
    scratch_bytes: Annotated[Optional[int], says("private memory per work-item")]


class NextStepModel(Strict):
    """The nearest values of some resources that change the occupancy, the rest unchanged."""

    bounds: Annotated[dict[str, int], says("resource: value to reach")]
    waves_per_simd: float
    theoretical: float
    text: str


class OccupancyModel(Strict):
    theoretical: Annotated[float, Meta(ge=0, le=1, description="resident waves / wave slots")]
    threads_per_block: int
    wave_size: int
    waves_per_simd: float
    workgroups_per_cu: int
    limiter: Annotated[str, says("the tightest resource")]
    limits: Annotated[dict[str, int], says("workgroups per CU that each resource would allow")]
    compiler_waves_per_simd: Annotated[
        int, says("what LLVM's own rule gives; it ignores that workgroups are placed whole")
    ]
    next_up: Optional[NextStepModel]
    next_down: list[NextStepModel]


class RooflineModel(Strict):
    """Of the dominant kernel, per launch; ``rooflines`` has every kernel and every ceiling."""

    flops: float
    bytes: float
    arithmetic_intensity: float
    achieved_gflops: float
    achieved_bandwidth_gbps: float
    bound: Literal["memory", "compute"]


class TimeBoundModel(Strict):
    """Dispatches of the virtual device that take as long as a lower bound says."""

    name: str
    meaning: Annotated[Optional[str], says("why it takes no less; null for an unknown name")]
    dispatches: int
    total_ns: Annotated[int, says("of these dispatches")]
    simulated_ns: Annotated[int, says("what the simulation of a sample said of them: less")]


class SampledLineModel(Strict):
    """One line of source, or one instruction."""

    text: Annotated[str, says("file:line, or the instruction")]
    samples: int
    share: Annotated[float, says("of the samples of the kernel")]
    stalled: Annotated[
        Optional[float], says("of its samples: the wave issued nothing; null if not recorded")
    ]
    reason: Annotated[Optional[str], says("most of them, of the stalled ones")]


class SamplesModel(Strict):
    """Samples of program counters that fell into a kernel."""

    samples: int
    stalled: Annotated[Optional[float], says("null for the host trap, which does not tell")]
    reasons: Annotated[dict[str, float], says("of the stalled samples, the largest share first")]
    lines: Annotated[
        list[SampledLineModel], says("those with most samples; empty without line tables")
    ]
    instructions: Annotated[list[SampledLineModel], says("those with most samples")]


class KernelRowModel(Strict):
    name: str
    symbol: Optional[str]
    runtime_internal: Annotated[bool, says("a copy or fill kernel of the HIP runtime itself")]
    dispatches: int
    total_ns: int
    min_ns: int
    median_ns: float
    mean_ns: float
    max_ns: int
    cv: Annotated[Optional[float], says("over the dispatches; null for a single one")]
    share: Annotated[float, says("of the time of all kernels")]
    grid: Optional[Triple]
    block: Optional[Triple]
    launch_shapes: Annotated[
        int, says("distinct grid/block/LDS; grid and block are the most frequent")
    ]
    resources: Optional[ResourcesModel]
    occupancy: Optional[OccupancyModel]
    time_bounds: Annotated[
        list[TimeBoundModel],
        says("virtual device: lower bounds that decided times; empty when none did"),
    ] = field(default_factory=list)
    samples: Annotated[
        Optional[SamplesModel], says("where the recording has samples of program counters")
    ] = None


class TimingModel(Strict):
    """Of the representative run: the one whose kernel time is the median over the runs."""

    kernel_sum_ms: Annotated[Optional[float], says("every dispatch in full")]
    gpu_busy_ms: Annotated[Optional[float], says("union of the dispatch intervals")]
    span_ms: Annotated[Optional[float], says("first start to last end")]
    wall_ms: Annotated[Optional[float], says("the process as a whole, profiler included")]
    run: Annotated[int, says("which run this is, from 0")]


class DeviceModel(Strict):
    kind: Literal["hardware", "virtual", "recorded"]
    gfx: Optional[str]
    product: Optional[str]
    compute_units: Optional[int]
    xcc_count: Optional[int]
    max_clock_mhz: Optional[int]


class GpuUseModel(Strict):
    """What one GPU of one process spent its time on, by unions of intervals: computation, exposed
    communication, exposed copies and idle time together are the span."""

    process: Annotated[str, says("its rank, process id or file, whichever tells it from others")]
    pid: Optional[int]
    rank: Annotated[Optional[int], says("in a distributed application")]
    gpu: Annotated[Optional[int], says("its number among the GPUs; null if not recorded")]
    span_ms: Annotated[float, says("first start to last end, copies included")]
    busy_ms: Annotated[float, says("at least one kernel or copy was running")]
    idle_ms: float
    computation_ms: Annotated[float, says("kernels that are no collectives, and fills")]
    communication_ms: Annotated[float, says("collective kernels, RCCL's and others")]
    exposed_communication_ms: Annotated[float, says("of it, while nothing was computed")]
    copies_ms: float
    exposed_copies_ms: Annotated[float, says("of them, while nothing was computed or communicated")]
    kernels: int
    collective: Annotated[Optional[str], says("the collective kernel with the most time")]
    waited_ms: Annotated[
        Optional[float], says("in collectives, for ranks that came later; null for a single rank")
    ] = None
    came_last: Annotated[
        Optional[int], says("in how many collectives it came last; null for a single rank")
    ] = None


class RanksModel(Strict):
    """Processes compared by the collectives that all of them ran, without a common clock."""

    collectives: Annotated[int, says("that were compared")]
    straggler: Annotated[
        Optional[str], says("the process that came last most often; null for a draw")
    ]
    others_wait_ms: Annotated[Optional[float], says("the mean of the other processes")]


class GraphLaunchesModel(Strict):
    """Launches of HIP graphs (hipGraphLaunch) and their kernels."""

    launches: int
    kernels: Annotated[int, says("of all launches together")]
    busy_ms: Annotated[float, says("at least one of these kernels ran")]
    calls_ms: Annotated[float, says("in the launching calls")]
    median_gap_us: Annotated[
        Optional[float], says("from the end of a graph to the start of the next")
    ]


class ProfileDocument(Strict):
    schema_version: Literal["1.1"]
    tool_version: str
    command: Optional[list[str]]
    source: Annotated[Optional[list[str]], says("the recordings, for a profile made --from")]
    kernel: KernelModel
    gpu: Optional[GpuModel]
    device: Optional[DeviceModel]
    runtime_ms: Annotated[float, says("stability.mean_ms")]
    stability: StabilityModel
    resources: Optional[ResourcesModel]
    occupancy: Optional[OccupancyModel]
    roofline: Optional[RooflineModel]
    rooflines: Annotated[
        Optional[RooflineDocument], says("only when it was asked for; roofline.json is the same")
    ] = None
    critical_path: Annotated[
        Optional[CriticalPathModel],
        says("only when it was asked for; dag.json is the graph behind it"),
    ] = None
    att: Optional[AttModel] = None
    analysis: Annotated[
        Optional[AnalysisDocument], says("only when it was asked for; analysis.json is the same")
    ] = None
    timing: TimingModel
    gpus: Annotated[
        list[GpuUseModel], says("of the representative run; empty where only counters are known")
    ] = field(default_factory=list)
    ranks: Annotated[
        Optional[RanksModel], says("where several processes ran the same collectives")
    ] = None
    graphs: Annotated[
        Optional[GraphLaunchesModel], says("where calls were recorded and graphs launched")
    ] = None
    kernels: list[KernelRowModel]
    warnings: list[str]
    unavailable: list[UnavailableModel]
