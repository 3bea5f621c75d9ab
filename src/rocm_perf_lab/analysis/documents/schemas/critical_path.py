"""The critical path in the profile document; times in ns, shares of the span."""

from __future__ import annotations

from typing import Literal, Optional

from pydantic import BaseModel, ConfigDict, Field

IdleKind = Literal["launch", "host", "synchronisation", "dependency", "unknown"]
Bound = Literal["kernel", "copy", "launch", "host", "synchronisation", "dependency", "unknown"]
CauseName = Literal[
    "start",
    "stream_order",
    "event",
    "default_stream",
    "blocking_call",
    "host_order",
    "graph_order",
    "inferred",
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class IdleModel(_Strict):
    """Time of the path in which none of its work ran, by what it was spent on."""

    launch_ns: int = Field(description="inside API calls, and from a launching call to its work")
    host_ns: int = Field(description="the application's own code between API calls")
    synchronisation_ns: int = Field(description="from the end of work to the return of the wait")
    dependency_ns: int = Field(description="from the end of one piece of work to the next")
    unknown_ns: int = Field(description="no recorded API call explains it")


class GapModel(_Strict):
    """A stretch between two pieces of work of the path."""

    begin_ns: int = Field(description="after the first start of the run")
    length_ns: int
    share: float
    kind: IdleKind = Field(description="the largest part")
    parts: IdleModel
    before: str = Field(description="the kernel or copy that ended the gap")


class KernelOnPathModel(_Strict):
    name: str
    runtime_internal: bool
    path_ns: int = Field(description="its time on the path, overlap not counted twice")
    fraction: float
    ceiling: Optional[float] = Field(
        description="1/(1 - fraction): the speed-up if it took no time; null when it is all"
    )
    dispatches: int
    dispatches_on_path: int
    least_slack_ns: int = Field(
        description="how much longer the most urgent dispatch may take before the end moves"
    )


class DependencyModel(_Strict):
    cause: CauseName
    count: int
    on_path: int = Field(description="how many of them decided when a node of the path began")
    least_confidence: float


class WhatIfModel(_Strict):
    """The recorded run again, with other durations: nothing is executed."""

    change: str = Field(description="as it was asked for, or the kernel of the plan")
    factors: dict[str, float] = Field(description="kernel: how many times faster")
    before_ns: int
    after_ns: int
    speedup: Optional[float] = Field(description="null when nothing would be left")


class CriticalPathModel(_Strict):
    """Of one process of one run; work on the path and idle time are together the span."""

    critical_path_ns: int = Field(description="kernels and copies on the path")
    dominant_symbol: Optional[str] = Field(description="the kernel with the largest part")
    fraction: float = Field(description="its part of critical_path_ns, idle time left out")
    span_fraction: float = Field(description="its part of the span")
    ceiling: Optional[float] = Field(
        description="1/(1 - span_fraction): the speed-up if it took no time; null when it is all"
    )
    span_ns: int = Field(description="first start to last end of GPU work, copies included")
    kernel_ns: int
    copy_ns: int
    idle: IdleModel
    bound: Bound = Field(description="what takes the largest part of the span")
    run: int = Field(description="which run this is, from 0: the one with the median span")
    runs: int
    pid: Optional[int]
    processes: int = Field(description="of the run, with GPU work; the longest is shown")
    confidence: float = Field(description="of the least certain dependency on the path")
    dependencies: list[DependencyModel]
    plan: list[str] = Field(
        description="kernels to work on: one if it has 0.7 of the span, else the largest three"
    )
    kernels: list[KernelOnPathModel]
    gaps: list[GapModel] = Field(description="the longest ones; dag.json has all of them")
    gap_count: int
    what_if: list[WhatIfModel]
    notes: list[str] = Field(description="what the path rests on where the recording is silent")
