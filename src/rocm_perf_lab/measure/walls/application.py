"""The application runs again and again, with mechanisms of the device free: for launches that
cannot be replayed alone."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from rocm_perf_lab.analysis.diagnosis.ladder import Freed
from rocm_perf_lab.collect.rocprof.options import Progress, Step
from rocm_perf_lab.collect.rocprof.run import Recorder
from rocm_perf_lab.errors import NothingRecorded
from rocm_perf_lab.measure.process_times import process_times
from rocm_perf_lab.measure.walls.climbing import check_known, environment_of


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
        times = process_times(run.trace).kernels.get(self.kernel)
        if not times:
            raise NothingRecorded(
                f"with {', '.join(sorted(freed)) or 'nothing'} free the application did not "
                f"launch {self.kernel}",
                "does what it does depend on time? Make it repeat the same work",
            )
        return sum(times) / len(times)
