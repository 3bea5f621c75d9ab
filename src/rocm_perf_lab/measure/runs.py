"""Runs of one application, either made now or read from recordings: one interface for both."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Optional, Protocol, Union

from rocm_perf_lab.analysis.documents.profile import Origin, RunInput
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.measure.request import KnownCeilings, Recordings, Source
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.part import Part

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.diagnosis.ladder import Climbed
    from rocm_perf_lab.analysis.documents.analysis import Missing
    from rocm_perf_lab.collect.rocprof.application_runs import Application
    from rocm_perf_lab.collect.rocprof.options import CollectOptions

# What rocprofv3 has to record for a critical path besides kernels: calls order work, copies are
# work.
PATH_TRACES = frozenset(("hip", "memory-copy"))


WHOLE = Part()


class Runs(Protocol):
    """The timed runs, and what more they can tell: by running again, or from what was kept."""

    @property
    def inputs(self) -> Sequence[RunInput]: ...

    @property
    def origin(self) -> Origin: ...

    @property
    def has_traces(self) -> bool:
        """Thread traces are next to the recordings."""
        ...

    def with_roofline(self, profile: ProfileDocument, known: KnownCeilings) -> ProfileDocument: ...

    @property
    def offers_traces(self) -> bool:
        """A thread trace can be made now, and decoded."""
        ...

    def with_analysis(
        self, profile: ProfileDocument, kernel: Optional[str] = None, *, code: bool = True
    ) -> ProfileDocument:
        """With thread traces and, if asked for, the code of the kernels. A trace that is made now
        is of ``kernel``, else of the dominant one."""
        ...

    @property
    def offers_walls(self) -> bool:
        """Mechanisms of the device can be made free."""
        ...

    def walls(
        self, kernel: str, seconds: Optional[float], lines: Sequence[str]
    ) -> Union[Climbed, Missing]:
        """What the kernel takes with mechanisms of the device made free, one after the other.
        ``seconds``: for as long at most; ``lines`` of the source: where it spends most."""
        ...

    def choose(self, part: Part) -> None:
        """From now on only this part of the runs is analysed."""
        ...

    def everything(self) -> Trace:
        """The runs and the counter passes made so far, as one."""
        ...


@contextlib.contextmanager
def opened(source: Source, *, with_path: bool, part: Part = WHOLE) -> Iterator[Runs]:
    """Runs the application, or reads the recordings; ``with_path``: enough for a critical path.
    ``part``: what of each run is analysed."""
    with_path |= not part.is_all  # the launching call tells what work belongs to
    if isinstance(source, Recordings):
        from rocm_perf_lab.measure.recorded import read_runs

        yield read_runs(source, with_path=with_path, part=part)
        return
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.collect.rocprof.run import collect_runs
    from rocm_perf_lab.collect.rocprof.space import recording_space
    from rocm_perf_lab.measure.live import LiveRuns

    ranges = frozenset(() if part.region is None else ("marker",))
    options = collect_options(source, ranges | (PATH_TRACES if with_path else frozenset()))
    prefix = find_prefix(source.rocm)
    with recording_space(source.keep) as space:
        recorded = collect_runs(prefix, source.argv, options, space, source.progress)
        yield LiveRuns(source, prefix, options, space, recorded, part)


def collect_options(application: Application, trace: frozenset[str]) -> CollectOptions:
    from rocm_perf_lab.collect.echo import PROFILER_CHATTER
    from rocm_perf_lab.collect.process import run_process
    from rocm_perf_lab.collect.rocprof.options import CollectOptions

    return CollectOptions(
        runs=application.runs,
        warmup=application.warmup,
        timeout_s=application.timeout_s,
        trace=trace,
        app_stdout=application.stdout,
        start=run_process if application.debug else partial(run_process, hidden=PROFILER_CHATTER),
    )
