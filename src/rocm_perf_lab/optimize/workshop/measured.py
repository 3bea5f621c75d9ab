"""One version of the program, profiled in its box: times, counters, what limits each kernel."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.analysis.documents.critical_path import with_critical_path
from rocm_perf_lab.analysis.documents.profile import build_profile
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.documents.verdicts.models import judge_profile, with_verdicts
from rocm_perf_lab.analysis.path.run_path import path_of_runs
from rocm_perf_lab.analysis.verdicts.kernels import KernelVerdict
from rocm_perf_lab.collect.process import Stdout
from rocm_perf_lab.collect.rocprof.options import CollectOptions
from rocm_perf_lab.collect.rocprof.run import collect_runs
from rocm_perf_lab.measure.live import Application, LiveRuns
from rocm_perf_lab.measure.request import KnownCeilings
from rocm_perf_lab.measure.runs import PATH_TRACES
from rocm_perf_lab.optimize.workshop.boxed_application import BoxedApplication
from rocm_perf_lab.trace.model import Trace


@dataclass(frozen=True)
class Measured:
    profile: ProfileDocument
    verdicts: tuple[KernelVerdict, ...]  # the kernel that is most worth working on first
    trace: Trace  # of a run without counters: what was launched and copied

    def verdict_of(self, kernel: str) -> KernelVerdict:
        return next(found for found in self.verdicts if found.kernel.name == kernel)


def measured(
    application: BoxedApplication, argv: tuple[str, ...], timeout_s: float, *, hot_lines: bool
) -> Measured:
    """With ``hot_lines`` also a thread trace of the dominant kernel."""
    space = emptied(application.recordings)
    prefix = application.prefix
    options = CollectOptions(
        runs=1,
        timeout_s=timeout_s,
        trace=PATH_TRACES,
        app_stdout=Stdout.DISCARD,
        echo_stderr=False,
        start=application.start,
    )
    recorded = collect_runs(prefix, argv, options, space)
    source = Application(argv, rocm=prefix.path, runs=1, timeout_s=timeout_s)
    runs = LiveRuns(source, prefix, options, space, recorded)
    profile = build_profile(runs.inputs, runs.origin)
    profile = with_critical_path(profile, path_of_runs([run.trace for run in runs.inputs]), ())
    profile = runs.with_roofline(profile, KnownCeilings())
    if hot_lines:
        profile = runs.with_analysis(profile)
    # All of them: the one to work on is the user's choice.
    verdicts = judge_profile(profile, runs.everything(), most=len(profile.kernels))
    if hot_lines:
        profile = with_verdicts(profile, verdicts)
    return Measured(profile, verdicts, recorded[0].trace)


def emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
