"""What a collection is asked to do, and how it tells its progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Optional, Protocol, TypedDict

from rocm_perf_lab.collect.process import ProcessResult, Stdout, run_process
from rocm_perf_lab.errors import UsageError

if TYPE_CHECKING:
    from typing_extensions import Unpack

# What can be traced, and the option of rocprofv3 that does it.
TRACE_OPTIONS = {
    "kernel": "--kernel-trace",
    "hip": "--hip-runtime-trace",
    "hsa": "--hsa-trace",
    "memory-copy": "--memory-copy-trace",
    "memory-allocation": "--memory-allocation-trace",
    "scratch": "--scratch-memory-trace",
    "marker": "--marker-trace",
}


class StartOptions(TypedDict, total=False):
    """How a program is started; each as in ``run_process``, and with its default."""

    env: Optional[Mapping[str, str]]
    cwd: Optional[Path]
    timeout_s: Optional[float]
    stdout: Stdout
    echo_stderr: bool


class Starter(Protocol):
    """Runs a program to its end, as ``run_process`` does; in a box, for example."""

    def __call__(self, argv: Sequence[str], **options: Unpack[StartOptions]) -> ProcessResult: ...


@dataclass(frozen=True)
class CollectOptions:
    """How often to run the application, for how long, and what to record.

    A warm-up is made exactly like a run, profiler included, and then dropped unread: caches,
    clocks and just-in-time compilation are warm for the runs that count.
    """

    runs: int = 3
    warmup: int = 0
    timeout_s: Optional[float] = None  # per run of the application
    trace: frozenset[str] = frozenset()  # keys of TRACE_OPTIONS; kernels are always traced
    pmc: tuple[tuple[str, ...], ...] = ()  # hardware counters; each tuple is one pass
    kernel_regex: Optional[str] = None  # rocprofv3 applies it to counters, never to traces
    app_stdout: Stdout = Stdout.INHERIT
    echo_stderr: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)  # in addition to the caller's
    cwd: Optional[Path] = None  # where the application starts
    start: Starter = run_process  # what starts the profiler

    def __post_init__(self) -> None:
        if self.runs < 1:
            raise UsageError(f"{self.runs} runs measure nothing", "use --runs 1 or more")
        if self.warmup < 0:
            raise UsageError(f"{self.warmup} warm-up runs are not possible", "use --warmup 0")
        if self.timeout_s is not None and not 0 < self.timeout_s < float("inf"):
            raise UsageError(
                f"{self.timeout_s} s is not a time limit: it must be longer than 0 s, and end",
                "use --timeout SECONDS",
            )
        unknown = sorted(self.trace - TRACE_OPTIONS.keys())
        if unknown:
            raise UsageError(
                f"cannot trace {', '.join(unknown)}", f"choose from {', '.join(TRACE_OPTIONS)}"
            )


@dataclass(frozen=True)
class Step:
    """One start of the application: the ``position``-th of ``total`` that carry this label."""

    label: str  # "warm-up", "run" or "counters"
    position: int  # from 1
    total: int
    share: Optional[Callable[[], Optional[float]]] = None  # of it done, where somebody can tell


class Progress(Protocol):
    """Hears of every start and end of the application."""

    def started(self, step: Step, command: tuple[str, ...]) -> None: ...

    def finished(self, step: Step, wall_ns: int) -> None: ...


class _Silent:
    def started(self, step: Step, command: tuple[str, ...]) -> None:
        pass

    def finished(self, step: Step, wall_ns: int) -> None:
        pass


SILENT: Progress = _Silent()
