"""Climbing a ladder of walls: measures what is asked for, a few at a time, within its time."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Optional, Union

from rocm_perf_lab.analysis.diagnosis.ladder import (
    MOST_WALLS,
    Candidate,
    Freed,
    Ladder,
    TimeIsUp,
    Times,
    climb,
)
from rocm_perf_lab.analysis.documents.analysis import Missing
from rocm_perf_lab.arch.ideal import VARIABLE, load_mechanisms
from rocm_perf_lab.collect.rocprof.options import SILENT, Progress
from rocm_perf_lab.errors import ToolFailed

AT_ONCE = 2  # processes: each has threads of its own
STEADY = {"VROCM_NOISE": ""}  # noise that was asked for would look like gains
# ns of a launch with these free; the number of the measurement is for people who wait.
Measure = Callable[[Freed, int, Progress], float]


def ladder_of(
    measure: Measure,
    progress: Progress,
    seconds: Optional[float] = None,
    most: int = MOST_WALLS,
    clock: Callable[[], float] = time.monotonic,
) -> Ladder:
    """``seconds``: after that many nothing new is begun; ``None``: as long as it takes."""
    meter = _Meter(measure, progress, clock)
    asking = climb(
        [Candidate(one.name, one.may_slow, one.parts) for one in load_mechanisms().values()], most
    )
    until = math.inf if seconds is None else clock() + seconds
    wanted = next(asking)
    while True:
        late = clock() + meter.takes(wanted) > until
        try:
            wanted = asking.throw(TimeIsUp()) if late else asking.send(meter.times(wanted))
        except StopIteration as ended:
            ladder: Ladder = ended.value
            return ladder


def found_in_time(
    ladder: Ladder, seconds: Optional[float], next_step: str
) -> Union[Ladder, Missing]:
    """A ladder without a wall says nothing unless it was climbed to its end."""
    if ladder.whole or ladder.walls:
        return ladder
    return Missing(f"no mechanism was found within {seconds:g} s", next_step)


def environment_of(freed: Freed) -> Mapping[str, str]:
    return {VARIABLE: ",".join(sorted(freed)), **STEADY}


def check_known(freed: Freed, product: Optional[str]) -> None:
    """A device that does not know the variable would show that nothing gains anything."""
    if freed and " free" not in (product or ""):
        raise ToolFailed(
            f"the virtual device of this prefix does not know {VARIABLE}",
            "build it anew: rocm-perf vrocm path",
        )


class _Meter:
    """How long a launch takes with these and those mechanisms free, each measured once."""

    def __init__(self, measure: Measure, progress: Progress, clock: Callable[[], float]) -> None:
        self._measure = measure
        self._progress = progress
        self._clock = clock
        self._known: dict[Freed, float] = {}
        self._runs = 0
        self._round_s = 0.0  # of the last one: as many at a time as run at once

    def takes(self, wanted: tuple[Freed, ...]) -> float:
        return self._round_s * math.ceil(len(self._new(wanted)) / AT_ONCE)

    def times(self, wanted: tuple[Freed, ...]) -> Times:
        new = self._new(wanted)
        first = self._runs + 1
        self._runs += len(new)
        began = self._clock()
        with ThreadPoolExecutor(min(AT_ONCE, os.cpu_count() or 1)) as pool:
            # Who waits hears of the last of them, which ends last as a rule.
            heard = [SILENT] * (len(new) - 1) + [self._progress]
            measured = pool.map(self._measure, new, range(first, first + len(new)), heard)
            self._known.update(zip(new, measured))
        if new:
            self._round_s = (self._clock() - began) / math.ceil(len(new) / AT_ONCE)
        return {freed: self._known[freed] for freed in wanted}

    def _new(self, wanted: tuple[Freed, ...]) -> list[Freed]:
        return [freed for freed in wanted if freed not in self._known]
