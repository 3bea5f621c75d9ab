"""Runs made now: the application can run again for counters and for a thread trace."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Optional, Union

from rocm_perf_lab import __version__
from rocm_perf_lab.analysis.diagnosis.ladder import Climbed
from rocm_perf_lab.analysis.documents.analysis import Missing
from rocm_perf_lab.analysis.documents.deep_analysis import missing
from rocm_perf_lab.analysis.documents.profile import Origin, RunInput
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.kernels.typical_launch import typical_launch
from rocm_perf_lab.collect.kernel_code import find_code_objects
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.collect.process import Stdout
from rocm_perf_lab.collect.rocprof.application_runs import Application as Application
from rocm_perf_lab.collect.rocprof.options import CollectOptions
from rocm_perf_lab.collect.rocprof.run import Recorder, Run, collect_counters
from rocm_perf_lab.collect.rocprof.thread_trace import (
    TracedKernel,
    collect_thread_trace,
    decodes_thread_traces,
)
from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.measure.findings import HOW_TO_TRACE, Traces, code_uris, with_findings
from rocm_perf_lab.measure.request import KnownCeilings
from rocm_perf_lab.measure.roofline import ceilings_beside, counted_roofline
from rocm_perf_lab.measure.walls.walls import Subject, walls_of
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.part import Part, part_of

WHOLE = Part()


class LiveRuns:
    """``recorded`` are the timed runs; everything else is made when it is asked for."""

    def __init__(
        self,
        application: Application,
        prefix: Prefix,
        options: CollectOptions,
        space: Path,
        recorded: Sequence[Run],
        part: Part = WHOLE,
    ) -> None:
        self._application = application
        self._prefix = prefix
        self._options = options
        self._space = space
        self._counted: list[Trace] = []
        self.inputs = [
            RunInput(part_of(run.trace, part), run.wall_ns, run.notes) for run in recorded
        ]
        self.origin = Origin("hardware", __version__, application.argv)

    has_traces = False  # none before one is made

    def with_roofline(self, profile: ProfileDocument, known: KnownCeilings) -> ProfileDocument:
        traces = [run.trace for run in self.inputs]
        return counted_roofline(profile, traces, ceilings_beside((), known), self._count)

    @property
    def offers_traces(self) -> bool:
        return decodes_thread_traces(self._prefix, os.environ)

    def with_analysis(
        self, profile: ProfileDocument, kernel: Optional[str] = None, *, code: bool = True
    ) -> ProfileDocument:
        shown = self.inputs[profile.timing.run].trace
        traces = self._trace_one(profile, shown, kernel)
        if not code:
            return with_findings(profile, traces, None, self._prefix)
        kept = sorted(self._space.glob("thread_trace_*"))
        program = _program(self._application.argv)
        objects = find_code_objects(kept, code_uris([shown]), program)
        return with_findings(profile, traces, objects, self._prefix)

    @property
    def offers_walls(self) -> bool:
        return self.inputs[0].trace.is_virtual

    def walls(
        self, kernel: str, seconds: Optional[float], lines: Sequence[str]
    ) -> Union[Climbed, Missing]:
        application, first = self._application, self.inputs[0]
        options = replace(self._options, trace=frozenset(), app_stdout=Stdout.DISCARD)
        subject = Subject(
            application.argv,
            self._prefix,
            kernel,
            first.trace,
            self._space,
            lambda: Recorder(self._prefix, application.argv, options, self._space),
            (first.wall_ns or 0) / 1e9,
            application.timeout_s,
            lines,
        )
        return walls_of(subject, application.progress, seconds)

    def choose(self, part: Part) -> None:
        self.inputs = [
            RunInput(part_of(run.trace, part), run.wall_ns, run.notes) for run in self.inputs
        ]

    def everything(self) -> Trace:
        return merge([*(run.trace for run in self.inputs), *self._counted], "runs")

    def _count(self, passes: tuple[tuple[str, ...], ...]) -> Sequence[Trace]:
        if self._counted:  # for another part of the runs
            return self._counted
        application = self._application
        wanted = replace(self._options, pmc=passes)
        runs = collect_counters(
            self._prefix, application.argv, wanted, self._space, application.progress
        )
        self._counted.extend(run.trace for run in runs)
        return self._counted

    def _trace_one(self, profile: ProfileDocument, shown: Trace, name: Optional[str]) -> Traces:
        """If it cannot be traced, the profile stays and says why."""
        others = Missing("one kernel is traced at a time, and it was another", HOW_TO_TRACE)
        traces: Traces = {row.name: others for row in profile.kernels}
        wanted = name or profile.kernel.name
        row = next(row for row in profile.kernels if row.name == wanted)
        kernel = TracedKernel(row.name, row.symbol, typical_launch(shown, row.name))
        application = self._application
        try:
            traces[row.name] = collect_thread_trace(
                self._prefix,
                application.argv,
                kernel,
                self._options,
                self._space,
                application.progress,
            )
        except PerfLabError as error:
            traces[row.name] = missing(error)
        return traces


def _program(argv: Sequence[str]) -> Optional[Path]:
    found = shutil.which(argv[0])
    return Path(found) if found else None
