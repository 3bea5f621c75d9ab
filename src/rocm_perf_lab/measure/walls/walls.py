"""What the walls of a kernel are measured with: a replay of one launch, else the application."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional, Union

from rocm_perf_lab.analysis.diagnosis.ladder import MOST_WALLS, Climbed
from rocm_perf_lab.analysis.documents.analysis import Missing
from rocm_perf_lab.analysis.documents.deep_analysis import missing
from rocm_perf_lab.analysis.kernels.typical_launch import TypicalLaunch, typical_launch_of
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.rocprof.options import Progress, Step
from rocm_perf_lab.collect.rocprof.run import Recorder
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.measure.walls.application import RunAgain
from rocm_perf_lab.measure.walls.climbing import found_in_time, ladder_of
from rocm_perf_lab.measure.walls.place import place_of
from rocm_perf_lab.measure.walls.replayed import Replay, captured, like_the_application
from rocm_perf_lab.trace.model import Trace

QUICK_S = 20.0  # of a ladder that nobody asked for
_LEAST_RUNS = 24  # of an application that a ladder of one wall needs
ALL_THE_TIME = "rocm-perf explain --walls -- ./app args (takes as long as it needs)"
NEEDS_VIRTUAL = Missing(
    "a mechanism can be made free on the virtual device only, and these runs were on a GPU",
    'rocm-perf explain --walls --rocm "$(rocm-perf vrocm path)" -- ./app args, or capture the '
    "launch (rocm-perf isolate) and rocm-perf explain --from CAPTURE",
)


@dataclass(frozen=True)
class Subject:
    """An application that ran, and its kernel whose walls are asked for."""

    argv: Sequence[str]
    prefix: Prefix
    kernel: str
    shown: Trace  # of a run as it is
    space: Path  # for files
    recorder: Callable[[], Recorder]
    wall_s: float  # of a run
    timeout_s: Optional[float] = None
    lines: Sequence[str] = ()  # FILE:LINE, where it spends most, the first most


def walls_of(
    subject: Subject, progress: Progress, seconds: Optional[float] = None, most: int = MOST_WALLS
) -> Union[Climbed, Missing]:
    """``seconds``: as long as it may take; ``None``: as long as it needs."""
    if not subject.shown.is_virtual:
        return NEEDS_VIRTUAL
    try:
        launch = typical_launch_of(subject.shown, subject.kernel)
        with _replay(subject, launch, progress) as replay:
            found = found_in_time(ladder_of(replay, progress, seconds, most), seconds, ALL_THE_TIME)
            if isinstance(found, Missing):
                return found
            lines = subject.lines if found.whole else ()  # those take time as well
            place = place_of(replay, found, lines, subject.space / "walls_code", progress)
            return Climbed(found, launch.number, place)
    except PerfLabError as error:
        why = error
    if seconds is not None and subject.wall_s * _LEAST_RUNS > seconds:
        return Missing(f"the launch cannot be replayed alone: {why.cause}", ALL_THE_TIME)
    try:
        again = RunAgain(subject.recorder(), subject.kernel)
        found = found_in_time(ladder_of(again, progress, seconds, most), seconds, ALL_THE_TIME)
        return found if isinstance(found, Missing) else Climbed(found)
    except PerfLabError as error:
        return missing(error)


@contextlib.contextmanager
def _replay(subject: Subject, launch: TypicalLaunch, progress: Progress) -> Iterator[Replay]:
    folder = subject.space / "walls_capture"
    step = Step("walls, capture", 1, 1)
    progress.started(step, tuple(subject.argv))
    name = next(one for one in subject.shown.kernels if one.name == subject.kernel)
    try:
        capture = captured(
            subject.argv,
            subject.prefix,
            (name.symbol or name.name).removesuffix(".kd"),
            launch.number,
            folder,
            subject.timeout_s,
        )
        progress.finished(step, 0)
        yield like_the_application(capture, subject.prefix, launch.ns)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
