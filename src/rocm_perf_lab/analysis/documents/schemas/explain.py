"""The explanation document, version 1.0: what ``rocm-perf explain --json`` prints.

``None`` means "not known"; ``unavailable`` then says why and what would make it known.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Optional

from msgspec import field

from rocm_perf_lab.analysis.documents.schemas.analysis import BottleneckModel, HeadroomModel
from rocm_perf_lab.analysis.documents.schemas.profile import (
    DeviceModel,
    GpuUseModel,
    GraphLaunchesModel,
    RanksModel,
    SamplesModel,
)
from rocm_perf_lab.analysis.documents.schemas.unavailable import UnavailableModel
from rocm_perf_lab.strict_json import Strict, says

SCHEMA_VERSION: Final = "1.0"

Limit = Literal["kernel", "communication", "copies", "launching", "host", "unexplained"]


class TimeModel(Strict):
    """Where the time from the first to the last work of the GPU goes; shares of the span."""

    span_ms: float
    basis: Literal["critical path", "kernel time"]
    kernels: float
    copies: Optional[float]
    launching: Annotated[
        Optional[float],
        says("in launching calls, until work begins, and between work and the next"),
    ]
    host: Annotated[Optional[float], says("the application's own code, and waiting calls")]
    other: float


class GainModel(Strict):
    """Upper bounds: nothing promises that they can be reached."""

    kernel: Annotated[float, says("times faster at its nearest ceiling, with the same work")]
    application: Annotated[float, says("times faster end to end if the kernel did that")]
    ceiling: Annotated[Optional[float], says("the same if the kernel took no time at all")]


class AdviceModel(Strict):
    """One change to try; ordered by what is expected of it, the most first."""

    mend: Annotated[str, says("what it changes, as one word that stays the same")]
    what: str
    why: Annotated[str, says("the numbers that led to it")]
    kernel_gain: Annotated[
        Optional[float],
        says("times faster the kernel gets at most; null where it is about no kernel"),
    ]
    gain: Annotated[
        Optional[float],
        says("times faster end to end at most; null for a next step that gains nothing"),
    ]
    expected: Annotated[
        Optional[float],
        says("times faster end to end, as such changes mostly do; no promise, for the order"),
    ] = None


class HotLineModel(Strict):
    source: Annotated[str, says("file:line, the innermost one where calls were inlined")]
    share: Annotated[float, says("of the time of the watched waves")]
    stall: Annotated[float, says("of their time there")]


class TraceModel(Strict):
    """What a thread trace of the limiting kernel adds."""

    source: str
    matrix_busy: Annotated[Optional[float], says("of the time of the watched SIMDs")]
    cause: Annotated[Optional[str], says("what its waves wait for most")]
    waiting: Annotated[dict[str, float], says("shares of all stall by cause")]
    stall_fraction: Annotated[float, says("of the time of the watched waves")]
    roles: Annotated[
        dict[str, float],
        says("shares of their time by what instructions are for, as in an analysis"),
    ] = field(default_factory=dict)
    lines: Annotated[
        list[HotLineModel], says("where the code has line tables, those with the most time")
    ] = field(default_factory=list)


class OriginModel(Strict):
    """Who launched a kernel on the host, as frameworks record it."""

    operator: Annotated[Optional[str], says('such as "aten::addmm"')]
    place: Annotated[Optional[str], says("the line of Python: file(line): function")]
    launches: int
    total_us: float


class WallModel(Strict):
    """A mechanism that is free from here on, like those of the walls before it."""

    free: Annotated[
        list[str], says("as VROCM_IDEAL has it; several where none of them gains alone")
    ]
    us: Annotated[float, says("of a launch then, on average")]
    without: Annotated[str, says("the same for people: without LDS conflicts")]
    meaning: Annotated[str, says("what costs nothing")]
    advice: Annotated[
        Optional[str], says("what to change in the source; null where that takes nothing away")
    ] = None
    line: Annotated[
        Optional[str], says("FILE:LINE that most of it goes with; of the first wall only")
    ] = None
    line_share: Annotated[
        Optional[float], says("of it that goes where the instructions of that line are free")
    ] = None


class WallsModel(Strict):
    """Measured with mechanisms made free, the best first, then the best on top of it."""

    basis: Annotated[Literal["model of the virtual device"], says("whose times these are")]
    kernel: str
    now_us: Annotated[float, says("of the launch with nothing free; of all launches, on average")]
    walls: list[WallModel]
    launch: Annotated[
        Optional[int],
        says("which one was replayed alone, from 1; null: the application ran again"),
    ] = None
    complete: Annotated[
        bool, says("whether all mechanisms were tried, or there was no time left")
    ] = True


class CaptureWallsDocument(Strict):
    """What ``rocm-perf explain --from CAPTURE`` prints: a launch that was captured anywhere, and
    what the model of the virtual device says costs it most."""

    schema_version: Literal["1.0"]
    tool_version: str
    source: Annotated[str, says("the capture")]
    kernel: str
    grid: Annotated[list[int], says("work-items")]
    block: list[int]
    captured_on: Annotated[Optional[str], says("the product; its times are not in a capture")]
    device: Annotated[str, says("where it was replayed")]
    walls: WallsModel


class RegionModel(Strict):
    """ROCTx ranges, or annotations of PyTorch, whose names differ in numbers only."""

    name: Annotated[str, says("with * for numbers, as --region takes it")]
    ranges: int
    host_ms: Annotated[float, says("from their begin to their end on the host")]
    kernels: Annotated[int, says("that were launched in them")]
    busy_ms: Annotated[float, says("at least one of those kernels ran")]


class SteadyModel(Strict):
    """The part of the run that is explained where copies of set-up took most of the whole."""

    repeats: int
    launches: Annotated[int, says("of each repetition")]
    span_ms: Annotated[float, says("from the first to the last GPU work of this part")]
    whole_ms: Annotated[float, says("the same of the whole run")]
    copies_ms: Annotated[float, says("of the whole run, most of them outside of this part")]


class RankedKernelModel(Strict):
    kernel: str
    launches: int
    mean_us: float
    criticality: Annotated[float, says("share of the critical path, or of all kernel time")]
    slack_us: Annotated[Optional[float], says("it may take that much longer for free")]
    bottleneck: Optional[BottleneckModel]
    headroom: Optional[HeadroomModel]
    optimisation_score: Optional[float]
    origins: Annotated[list[OriginModel], says("the operators behind it with the most time")] = (
        field(default_factory=list)
    )
    metrics: Annotated[
        dict[str, float],
        says(
            "every number that is known, by its name: l2_hits, occupancy, vector_busy, "
            "matrix_busy and others; shares are from 0 to 1, sums over all passes before the ratio"
        ),
    ]


class ExplanationDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    command: Optional[list[str]]
    source: Optional[list[str]]
    device: Optional[DeviceModel]
    limit: Annotated[Limit, says("what takes the largest part of the time")]
    time: TimeModel
    gpus: Annotated[list[GpuUseModel], says("as in a profile: use, not the critical path")] = field(
        default_factory=list
    )
    ranks: Annotated[Optional[RanksModel], says("as in a profile")] = None
    graphs: Annotated[Optional[GraphLaunchesModel], says("as in a profile")] = None
    regions: Annotated[
        list[RegionModel], says("of the run that is shown, the busiest first, eight at most")
    ] = field(default_factory=list)
    kernel: Annotated[str, says("the kernel that limits the application")]
    gain: Optional[GainModel]
    trace: Annotated[
        Optional[TraceModel], says("where a thread trace of the kernel was given or made")
    ] = None
    samples: Annotated[
        Optional[SamplesModel], says("of the kernel, where the recording has samples of its code")
    ] = None
    advice: list[AdviceModel]
    kernels: Annotated[list[RankedKernelModel], says("the most worthwhile first")]
    notes: list[str]
    unavailable: list[UnavailableModel]
    steady: Annotated[
        Optional[SteadyModel],
        says("where only the part of the run that repeats is explained; null for all of it"),
    ] = None
    walls: Annotated[Optional[WallsModel], says("on the virtual device; else null")] = None
