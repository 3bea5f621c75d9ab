"""``profile`` as a function: what ran on the GPU, for how long, and how well it filled it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from msgspec import Struct

from rocm_perf_lab import __version__
from rocm_perf_lab.analysis.documents.profile import Origin, build_profile, build_timing_only
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.measure.request import ProfileRequest, Recordings
from rocm_perf_lab.measure.runs import collect_options, opened

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.path.run_path import RunPath
    from rocm_perf_lab.collect.rocprof.application_runs import Application

# What only some requests need is imported where they ask for it: it takes longer to import than a
# small recording to read.


class Profiled(Struct, frozen=True):
    """The document, and the graph behind its critical path, which is too large for it."""

    profile: ProfileDocument
    path: Optional[RunPath] = None


def profile(request: ProfileRequest) -> Profiled:
    if request.timing_only and not isinstance(request.source, Recordings):
        return Profiled(_timing_only(request, request.source))
    with opened(request.source, with_path=request.critical_path, part=request.part) as runs:
        found = build_profile(runs.inputs, runs.origin, request.kernel)
        path = None
        if request.critical_path:
            from rocm_perf_lab.analysis.documents.critical_path import with_critical_path
            from rocm_perf_lab.analysis.path.run_path import path_of_runs

            path = path_of_runs([run.trace for run in runs.inputs])
            found = with_critical_path(found, path, request.scenarios)
        if request.roofline:
            found = runs.with_roofline(found, request.ceilings)
        if request.deep_analysis:
            from rocm_perf_lab.analysis.documents.verdicts.models import (
                judge_profile,
                with_verdicts,
            )

            found = runs.with_analysis(found)
            found = with_verdicts(found, judge_profile(found, runs.everything()))
        return Profiled(found, path)


def _timing_only(request: ProfileRequest, application: Application) -> ProfileDocument:
    from rocm_perf_lab.analysis.documents.analysis import without_analysis
    from rocm_perf_lab.analysis.documents.critical_path import without_critical_path
    from rocm_perf_lab.collect.rocprof.timing_only import time_runs

    options = collect_options(application, frozenset())
    timed = time_runs(application.argv, options, application.progress)
    why, cure = "the profiler was switched off with --no-rocprof", "run without --no-rocprof"
    origin = Origin("hardware", __version__, application.argv)
    found = build_timing_only([run.wall_ns for run in timed], origin, why, cure)
    if request.critical_path:
        found = without_critical_path(found, why, cure)
    if request.deep_analysis:
        found = without_analysis(found, why, cure)
    return found
