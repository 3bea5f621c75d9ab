"""One side of the comparison: rows measured with the profiler of one prefix.

The times are durations of kernels as the profiler has them, whichever prefix it is; of rows with
several launches the time from the first start to the last end.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Optional, Protocol

from rocm_perf_lab.arch.device import DeviceFacts, device_facts
from rocm_perf_lab.collect.doctor.environment import installed_version
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.collect.rocprof.options import CollectOptions, Starter
from rocm_perf_lab.collect.rocprof.run import collect_runs
from rocm_perf_lab.collect.roofs import build_benchmark
from rocm_perf_lab.errors import PerfLabError, RecordingError
from rocm_perf_lab.selftest.calibrate.rows import DATA, Row
from rocm_perf_lab.trace.model import Trace

MEASURED = "bench_"  # in the names of kernels whose time counts
_SECONDS = 900.0  # for the rows of one kind


class Telling(Protocol):
    def started(self, name: str, position: int, total: int) -> None: ...


@dataclass(frozen=True)
class Timed:
    median_us: float
    spread: float  # of the middle half of the times, as a share of the median
    times: int


@dataclass
class Side:
    """``missing``: rows without a time, and why."""

    name: str  # for people
    prefix: Prefix
    repeats: int
    start: Starter = run_process
    timed: dict[Row, Timed] = field(default_factory=dict)
    missing: dict[Row, str] = field(default_factory=dict)
    device: Optional[DeviceFacts] = None

    @property
    def rocm_version(self) -> Optional[str]:
        return installed_version(self.prefix)

    def measure(self, target: str, rows: Sequence[Row], space: Path, telling: Telling) -> None:
        """Raises when a program cannot be built; a row that fails is without a time."""
        groups = groups_of(rows)
        for position, group in enumerate(groups, 1):
            telling.started(f"{group[0].kind} on {self.name}", position, len(groups))
            program = space / group[0].program
            if not program.exists():
                source = DATA / f"{group[0].program}.hip"
                build_benchmark(self.prefix, target, space, source=source)
            self._measure(program, group, space)

    def _measure(self, program: Path, rows: Sequence[Row], space: Path) -> None:
        """A row that fails takes the rest of its process along: these then run alone."""
        try:
            self._run(program, rows, space)
        except PerfLabError as error:
            if len(rows) > 1:
                for row in rows:
                    self._measure(program, [row], space)
            else:
                self.missing[rows[0]] = _reason(error)

    def _run(self, program: Path, rows: Sequence[Row], space: Path) -> None:
        options = CollectOptions(
            runs=1,
            timeout_s=_SECONDS,
            app_stdout=Stdout.DISCARD,
            echo_stderr=False,
            start=self.start,
        )
        words = [row.word for row in rows]
        with tempfile.TemporaryDirectory(dir=space) as own:
            output = Path(own) / "launches.txt"
            argv = [str(program), str(output), str(self.repeats), *words]
            (run,) = collect_runs(self.prefix, argv, options, Path(own))
            times = times_of(output.read_text("ascii"), run.trace)
        lacking = [word for word in words if len(times.get(word, ())) != self.repeats]
        if lacking:
            raise RecordingError(f"not every launch of {', '.join(lacking)} was recorded")
        self.timed.update({row: _timed(times[row.word]) for row in rows})
        self.device = self.device or _device(run.trace)


def groups_of(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows of one kind are one process."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.program, row.kind), []).append(row)
    return list(groups.values())


def times_of(launches: str, trace: Trace) -> dict[str, list[float]]:
    """Row -> its times in us, without the first, which warms up."""
    found = trace.dispatches
    own = [i for i in range(len(found)) if MEASURED in _symbol(trace, int(found.kernel[i]))]
    own.sort(key=lambda i: int(found.dispatch_id[i]))
    lines = [line.rsplit(" ", 1) for line in launches.splitlines()]
    if sum(int(count) for _, count in lines) != len(own):
        raise RecordingError(f"{len(own)} launches were recorded, the program made others")
    times: dict[str, list[float]] = {}
    at = 0
    for word, count in lines:
        part = own[at : at + int(count)]
        at += int(count)
        ns = max(int(found.end[i]) for i in part) - min(int(found.start[i]) for i in part)
        times.setdefault(word, []).append(ns / 1000)
    return {word: values[1:] for word, values in times.items()}


def _symbol(trace: Trace, kernel: int) -> str:
    return trace.kernels[kernel].symbol or trace.kernels[kernel].name


def _timed(times: Sequence[float]) -> Timed:
    """One disturbed launch must hide no difference: the spread is that of the middle half."""
    middle = median(times)
    if len(times) < 2 or middle <= 0:
        return Timed(middle, 0.0, len(times))
    low, _, high = quantiles(times, n=4, method="inclusive")
    return Timed(middle, (high - low) / middle, len(times))


def _device(trace: Trace) -> Optional[DeviceFacts]:
    agent = next((agent for agent in trace.agents if agent.kind == "GPU"), None)
    if agent is None:
        return None
    return device_facts(agent.name, {"product_name": agent.product, **agent.facts})


def _reason(error: PerfLabError) -> str:
    """What the program said last, where it failed itself."""
    words = [line for line in error.stderr_tail.splitlines() if line.startswith("error: ")]
    return words[-1].partition(" ")[2] if words else error.cause
