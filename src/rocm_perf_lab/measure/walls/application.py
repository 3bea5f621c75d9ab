"""The application runs again and again, with mechanisms of the device free: for launches that
cannot be replayed alone."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocm_perf_lab.analysis.diagnosis.ladder import Freed
from rocm_perf_lab.analysis.path.timed import timed_trace
from rocm_perf_lab.collect.rocprof.options import Progress, Step
from rocm_perf_lab.collect.rocprof.run import Recorder
from rocm_perf_lab.errors import NothingRecorded
from rocm_perf_lab.measure.walls.climbing import check_known, environment_of
from rocm_perf_lab.trace.model import Trace


@dataclass(frozen=True)
class RunAgain:
    """The virtual device is deterministic: one run says what a mechanism costs."""

    recorder: Recorder
    kernel: str

    def __call__(self, freed: Freed, number: int, progress: Progress) -> float:
        recorder = self.recorder.with_environment(environment_of(freed), progress)
        run = recorder.record_traces(Step(f"walls, run {number}", 1, 1))
        for folder in {path.parent for path in run.recordings}:
            shutil.rmtree(folder, ignore_errors=True)
        products = [agent.product or "" for agent in run.trace.gpu_agents]
        check_known(freed, ", ".join(products))
        times = _times(run.trace, self.kernel)
        if not len(times):
            raise NothingRecorded(
                f"with {', '.join(sorted(freed)) or 'nothing'} free the application did not "
                f"launch {self.kernel}",
                "does what it does depend on time? Make it repeat the same work",
            )
        return float(times.mean())


def _times(trace: Trace, kernel: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    timed = timed_trace(trace)
    same = [number for number, one in enumerate(timed.kernels) if one.name == kernel]
    rows = timed.dispatches
    found: np.ndarray[Any, np.dtype[np.int64]] = rows.duration[np.isin(rows.kernel, same)]
    return found
