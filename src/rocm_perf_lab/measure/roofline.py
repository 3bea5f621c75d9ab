"""Where the counters and the ceilings of a roofline come from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Callable

from rocm_perf_lab.analysis.documents.roofline import (
    Ceilings,
    target_of,
    with_roofline,
    without_roofline,
)
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.rooflines.roofline import roofline_counters
from rocm_perf_lab.analysis.verdicts.metrics import metric_counters
from rocm_perf_lab.collect.rocprof.counter_plan import plan_passes
from rocm_perf_lab.collect.roof_store import stored_roofs
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.measure.request import KnownCeilings
from rocm_perf_lab.trace.files.packed import packed_or_plain
from rocm_perf_lab.trace.measured_roofs import ROOF_FILE, read_measured_roofs
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Trace

CountingRuns = Callable[[tuple[tuple[str, ...], ...]], Sequence[Trace]]


def counted_roofline(
    profile: ProfileDocument, traces: Sequence[Trace], ceilings: Ceilings, count: CountingRuns
) -> ProfileDocument:
    """Runs the application for the counters. If that fails, the profile stays and says why.

    Those that explain a kernel are collected too: on gfx942 and gfx90a they need no further run.
    """
    target = target_of(traces[0])
    if target is None:
        return without_roofline(profile, "the recording does not say which GPU ran", None)
    try:
        passes = plan_passes([*roofline_counters(target), *metric_counters(target)], target)
        counted = count(passes)
    except PerfLabError as error:
        return without_roofline(profile, error.cause, error.next_step)
    return with_roofline(profile, merge([*traces, *counted], "runs"), ceilings)


def ceilings_beside(recordings: Sequence[Path], known: KnownCeilings) -> Ceilings:
    """What the user knows, what is next to the recordings, and what was measured here before."""
    folders = [path if path.is_dir() else path.parent for path in recordings]
    files = [packed_or_plain(folder / ROOF_FILE) for folder in folders]
    measured = [roofs for file in files if file.is_file() for roofs in read_measured_roofs(file)]
    measured += stored_roofs()
    return Ceilings(measured, known.bandwidth_gbps, known.clock_mhz)
