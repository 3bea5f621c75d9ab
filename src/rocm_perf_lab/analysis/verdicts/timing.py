"""Where the application's time goes: the critical path as far as it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Optional, Protocol

_PLAUSIBLE = 0.5  # of the time that the GPU is busy lies on the path, at least
_UNEXPLAINED = 0.1  # of the path, at most, where recorded calls are to explain it
_NONE_OF_THEM = 0.1  # of the copies from the host

Basis = Literal["critical path", "kernel time"]


class KernelOnPath(Protocol):
    """Of all launches of a kernel; one that lies beside the path has a ``path_ns`` of 0.

    What a document says of it is used as it is: there can be 100,000 of them.
    """

    @property
    def path_ns(self) -> int: ...

    @property
    def fraction(self) -> float: ...

    @property
    def least_slack_ns(self) -> int: ...


@dataclass(frozen=True)
class PathTimes:
    """What the critical path of one process consists of."""

    span_ns: int
    processes: int
    kernel_ns: int
    copy_ns: int
    launch_ns: int
    host_ns: int
    synchronisation_ns: int
    dependency_ns: int
    unknown_ns: int
    kernels: Mapping[str, KernelOnPath]

    @property
    def explained_by_calls_ns(self) -> int:
        return self.launch_ns + self.host_ns + self.synchronisation_ns

    @property
    def has_calls(self) -> bool:
        return not self.unknown_ns or self.explained_by_calls_ns > 0


@dataclass(frozen=True)
class TimeSplit:
    """Shares of the span from the first to the last work of the GPU."""

    span_ms: float
    basis: Basis
    kernels: float
    copies: Optional[float]
    launching: Optional[float]
    host: Optional[float]
    other: float


@dataclass(frozen=True)
class Queues:
    """What a run's launches have to wait for; where nobody knows, None or empty."""

    all: Optional[int] = None  # to how many queues kernels were launched
    # Kernels whose launches never run beside each other, and to how many queues they were launched.
    in_series: Mapping[str, int] = field(default_factory=dict)
    read_backs: int = 0  # copies to the host that come before a launch: the host waits for them
    busiest: float = 1.0  # of the time of all launches that of the queue with the most
    uploads: int = 0  # copies from the host between launches
    checks: float = 0.0  # of the time of all launches that of results which the host waits for
    of_busiest: frozenset[str] = frozenset()  # kernels of which it has all launches
    waited_ns: Optional[int] = None  # that the host waits for the GPU between launches
    answers_ns: int = 0  # of copies of a few bytes to the host: it waits for them
    fetched_ns: int = 0  # of copies of data to the host within calls that launch them
    once_ns: int = 0  # of copies of data that cross once

    @property
    def sends_unasked(self) -> bool:
        """Copies from the host between launches that are no answers to what it read back: what one
        more brings before the first launch, behind a buffer that was cleared, is none of them."""
        return self.uploads - self.read_backs > _NONE_OF_THEM * self.uploads


UNKNOWN_QUEUES = Queues()


@dataclass(frozen=True)
class Communication:
    """What a GPU exchanges with others, as shares of the time from its first to its last work."""

    kernel: str  # the collective with the most time
    exposed: float  # nothing is computed meanwhile
    is_largest: bool  # of computation, exposed communication, exposed copies and idle time
    # The rank with the most work waits for nobody: what is exposed there is no waiting.
    least_exposed: float
    most_work: float  # computing or copying: what that rank would take without communication
    mean_work: float  # what each would take if all had the same to do
    straggler: Optional[str] = None  # where several ranks are known


@dataclass(frozen=True)
class Timing:
    """Of one run."""

    span_ms: Optional[float]
    gpu_busy_ms: Optional[float]
    path: Optional[PathTimes]
    while_counting: bool = False  # no run without counters was recorded
    queues: Queues = UNKNOWN_QUEUES
    communication: Optional[Communication] = None

    @property
    def trusted_path(self) -> Optional[PathTimes]:
        """The critical path, unless it leaves out most of what the GPU did and nobody knows why.

        Then the dependencies were not recorded, and work that runs one after the other looks as if
        it had nothing to do with each other. Where calls explain the path, kernels that run beside
        their own launching are rightly left out of it.
        """
        path = self.path
        if path is None or not path.span_ns:
            return None
        busy_ns = (self.gpu_busy_ms or 0.0) * 1e6 / path.processes
        holds_the_work = path.kernel_ns + path.copy_ns >= _PLAUSIBLE * busy_ns
        is_explained = (
            path.explained_by_calls_ns > 0 and path.unknown_ns <= _UNEXPLAINED * path.span_ns
        )
        return path if holds_the_work or is_explained else None

    @property
    def busy_share(self) -> Optional[float]:
        if not self.span_ms or self.gpu_busy_ms is None:
            return None
        return self.gpu_busy_ms / self.span_ms

    @property
    def serial_share(self) -> Optional[float]:
        """Of the span that kernels of one queue take: they cannot run beside each other, so that
        without changing them no run can be shorter. None where several queues could overlap."""
        span = self.split().span_ms
        several_runs = self.path is not None and self.path.processes > 1
        if self.queues.all != 1 or several_runs or self.gpu_busy_ms is None or not span:
            return None
        return min(1.0, self.gpu_busy_ms / span)

    @property
    def launch_share(self) -> Optional[float]:
        """None without API calls: nobody knows then what the GPU waited for."""
        path = self.trusted_path
        if path is None or not path.has_calls:
            return None
        return (path.launch_ns + path.dependency_ns) / path.span_ns

    @property
    def unexplained_share(self) -> Optional[float]:
        """Of the time between kernels nothing was recorded that explains it.

        Gaps between runs, and those that counting makes, say nothing about the application.
        """
        several_runs = self.path is not None and self.path.processes > 1
        if self.while_counting or several_runs or self.launch_share is not None:
            return None
        return None if self.busy_share is None else 1.0 - self.busy_share

    def split(self) -> TimeSplit:
        path = self.trusted_path
        if path is None:
            busy = self.busy_share or 0.0
            span = self.span_ms or 0.0
            return TimeSplit(span, "kernel time", busy, None, None, None, 1.0 - busy)
        whole = path.span_ns
        launching, host = (
            path.launch_ns + path.dependency_ns,
            path.host_ns + path.synchronisation_ns,
        )
        known = path.has_calls
        # The path takes a call that copies before it comes back for one that launches.
        hidden = min(launching, self.queues.fetched_ns) if known else 0
        return TimeSplit(
            span_ms=whole / 1e6,
            basis="critical path",
            kernels=path.kernel_ns / whole,
            copies=(path.copy_ns + hidden) / whole,
            launching=(launching - hidden) / whole if known else None,
            host=host / whole if known else None,
            other=(path.unknown_ns + (0 if known else path.dependency_ns)) / whole,
        )
