"""The ladder of walls of a kernel: the application runs again with mechanisms of the device free.

Only the virtual device can do that. It is deterministic: one run says what a mechanism costs.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Union

from rocm_perf_lab.analysis.diagnosis.ladder import Candidate, Freed, Ladder, Times, climb
from rocm_perf_lab.analysis.documents.analysis import Missing
from rocm_perf_lab.analysis.documents.deep_analysis import missing
from rocm_perf_lab.arch.ideal import VARIABLE, load_mechanisms
from rocm_perf_lab.collect.rocprof.options import SILENT, Progress, Step
from rocm_perf_lab.collect.rocprof.run import Recorder
from rocm_perf_lab.errors import NothingRecorded, PerfLabError, ToolFailed
from rocm_perf_lab.measure.process_times import process_times
from rocm_perf_lab.trace.model import Trace

NEEDS_VIRTUAL = Missing(
    "a mechanism can be made free on the virtual device only, and these runs were on a GPU",
    'rocm-perf explain --walls --rocm "$(rocm-perf vrocm path)" -- ./app args',
)
_AT_ONCE = 2  # processes: each has threads of its own
_STEADY = {"VROCM_NOISE": ""}  # noise that was asked for would look like gains


def walls_of(
    recorder: Recorder, kernel: str, shown: Trace, progress: Progress
) -> Union[Ladder, Missing]:
    """``shown``: what was recorded of the application as it is."""
    if not shown.is_virtual:
        return NEEDS_VIRTUAL
    try:
        return _climbed(_Meter(recorder, kernel, progress))
    except PerfLabError as error:
        return missing(error)


def _climbed(meter: _Meter) -> Ladder:
    asking = climb(
        [Candidate(one.name, one.may_slow, one.parts) for one in load_mechanisms().values()]
    )
    wanted = next(asking)
    while True:
        times = meter.times(wanted)
        try:
            wanted = asking.send(times)
        except StopIteration as ended:
            ladder: Ladder = ended.value
            return ladder


class _Meter:
    """How long launches of a kernel take on average, with these and those mechanisms free."""

    def __init__(self, recorder: Recorder, kernel: str, progress: Progress) -> None:
        self._recorder = recorder
        self._kernel = kernel
        self._progress = progress
        self._known: dict[Freed, float] = {}
        self._runs = 0

    def times(self, wanted: tuple[Freed, ...]) -> Times:
        new = [freed for freed in wanted if freed not in self._known]
        first = self._runs + 1
        self._runs += len(new)
        with ThreadPoolExecutor(min(_AT_ONCE, os.cpu_count() or 1)) as pool:
            # Who waits hears of the last of them, which ends last as a rule.
            heard = [SILENT] * (len(new) - 1) + [self._progress]
            measured = pool.map(self._measure, new, range(first, first + len(new)), heard)
            self._known.update(zip(new, measured))
        return {freed: self._known[freed] for freed in wanted}

    def _measure(self, freed: Freed, number: int, progress: Progress) -> float:
        recorder = self._recorder.with_environment(_environment(freed), progress)
        run = recorder.record_traces(Step(f"walls, run {number}", 1, 1))
        for folder in {path.parent for path in run.recordings}:
            shutil.rmtree(folder, ignore_errors=True)
        _check_freed(run.trace, freed)
        times = process_times(run.trace).kernels.get(self._kernel)
        if not times:
            raise NothingRecorded(
                f"with {', '.join(sorted(freed)) or 'nothing'} free the application did not "
                f"launch {self._kernel}",
                "does what it does depend on time? Make it repeat the same work",
            )
        return sum(times) / len(times)


def _environment(freed: Freed) -> Mapping[str, str]:
    return {VARIABLE: ",".join(sorted(freed)), **_STEADY}


def _check_freed(trace: Trace, freed: Freed) -> None:
    """A device that does not know the variable would show that nothing gains anything."""
    if freed and not any(" free" in (agent.product or "") for agent in trace.gpu_agents):
        raise ToolFailed(
            f"the virtual device of this prefix does not know {VARIABLE}",
            "build it anew: rocm-perf vrocm path",
        )
