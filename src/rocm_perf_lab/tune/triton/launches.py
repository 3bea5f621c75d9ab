"""The times of a process, by the key of each launch."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.measure.process_times import ProcessTimes
from rocm_perf_lab.tune.triton.report import read_report

_NS_PER_MS = 1e6


@dataclass(frozen=True)
class LaunchLog:
    path: Path
    kernel: str

    def forget(self) -> None:
        """Each process has its own log."""
        self.path.unlink(missing_ok=True)

    def parts(self, times: ProcessTimes) -> Mapping[str, float]:
        """Milliseconds of a launch, the median of each key. Nothing where launches and dispatches
        are not as many: then nobody knows which is which."""
        launches = read_report(self.path).launches
        durations = times.kernels.get(self.kernel, ())
        if len(launches) != len(durations):
            return {}
        found: dict[str, list[float]] = {}
        for launch, duration in zip(launches, durations):
            if launch.chosen:
                found.setdefault(launch.key, []).append(duration / _NS_PER_MS)
        return {key: statistics.median(group) for key, group in found.items()}
