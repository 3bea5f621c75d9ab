"""The critical path in the profile document; times in ns, shares of the span."""

from __future__ import annotations

from typing import Annotated, Literal, Optional

from rocm_perf_lab.strict_json import Strict, says

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


class IdleModel(Strict):
    """Time of the path in which none of its work ran, by what it was spent on."""

    launch_ns: Annotated[int, says("inside API calls, and from a launching call to its work")]
    host_ns: Annotated[int, says("the application's own code between API calls")]
    synchronisation_ns: Annotated[int, says("from the end of work to the return of the wait")]
    dependency_ns: Annotated[int, says("from the end of one piece of work to the next")]
    unknown_ns: Annotated[int, says("no recorded API call explains it")]


class GapModel(Strict):
    """A stretch between two pieces of work of the path."""

    begin_ns: Annotated[int, says("after the first start of the run")]
    length_ns: int
    share: float
    kind: Annotated[IdleKind, says("the largest part")]
    parts: IdleModel
    before: Annotated[str, says("the kernel or copy that ended the gap")]


class KernelOnPathModel(Strict):
    name: str
    runtime_internal: bool
    path_ns: Annotated[int, says("its time on the path, overlap not counted twice")]
    fraction: float
    ceiling: Annotated[
        Optional[float],
        says("1/(1 - fraction): the speed-up if it took no time; null when it is all"),
    ]
    dispatches: int
    dispatches_on_path: int
    least_slack_ns: Annotated[
        int, says("how much longer the most urgent dispatch may take before the end moves")
    ]


class DependencyModel(Strict):
    cause: CauseName
    count: int
    on_path: Annotated[int, says("how many of them decided when a node of the path began")]
    least_confidence: float


class WhatIfModel(Strict):
    """The recorded run again, with other durations: nothing is executed."""

    change: Annotated[str, says("as it was asked for, or the kernel of the plan")]
    factors: Annotated[dict[str, float], says("kernel: how many times faster")]
    before_ns: int
    after_ns: int
    speedup: Annotated[Optional[float], says("null when nothing would be left")]


class CriticalPathModel(Strict):
    """Of one process of one run; work on the path and idle time are together the span."""

    critical_path_ns: Annotated[int, says("kernels and copies on the path")]
    dominant_symbol: Annotated[Optional[str], says("the kernel with the largest part")]
    fraction: Annotated[float, says("its part of critical_path_ns, idle time left out")]
    span_fraction: Annotated[float, says("its part of the span")]
    ceiling: Annotated[
        Optional[float],
        says("1/(1 - span_fraction): the speed-up if it took no time; null when it is all"),
    ]
    span_ns: Annotated[int, says("first start to last end of GPU work, copies included")]
    kernel_ns: int
    copy_ns: int
    idle: IdleModel
    bound: Annotated[Bound, says("what takes the largest part of the span")]
    run: Annotated[int, says("which run this is, from 0: the one with the median span")]
    runs: int
    pid: Optional[int]
    processes: Annotated[int, says("of the run, with GPU work; the longest is shown")]
    confidence: Annotated[float, says("of the least certain dependency on the path")]
    dependencies: list[DependencyModel]
    plan: Annotated[
        list[str], says("kernels to work on: one if it has 0.7 of the span, else the largest three")
    ]
    kernels: list[KernelOnPathModel]
    gaps: Annotated[list[GapModel], says("the longest ones; dag.json has all of them")]
    gap_count: int
    what_if: list[WhatIfModel]
    notes: Annotated[list[str], says("what the path rests on where the recording is silent")]
