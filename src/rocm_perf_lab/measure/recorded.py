"""Runs read from recordings: what was kept beside them is all that can be known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.analysis.documents.profile import Origin, RunInput
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.measure.request import KnownCeilings, Recordings
from rocm_perf_lab.trace.csv.dialects import process_prefix
from rocm_perf_lab.trace.files.packed import plain_name
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.load import load_runs
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.part import Part, part_of
from rocm_perf_lab.trace.thread_trace.files import TraceFiles, separate
from rocm_perf_lab.trace.workload.sniff import COUNTER_FILES

if TYPE_CHECKING:
    from rocm_perf_lab.analysis.documents.analysis import Missing
    from rocm_perf_lab.arch.named import NamedGpu
    from rocm_perf_lab.measure.findings import Traces

# Roofs, counters and traces are imported where they are asked for: see ``measure.profile``.


WHOLE = Part()


class RecordedRuns:
    def __init__(
        self,
        recordings: Recordings,
        files: TraceFiles,
        inputs: Sequence[RunInput],
        counted: Sequence[Trace] = (),
    ) -> None:
        self._counted = tuple(counted)
        self._paths = recordings.paths
        self._rocm = recordings.rocm
        self._gpu = recordings.gpu
        self._files = files
        self.inputs = list(inputs)
        source = [str(path) for path in recordings.paths]
        self.origin = Origin("recorded", __version__, common_command(inputs), source)

    @property
    def has_traces(self) -> bool:
        return bool(self._files.traces)

    def with_roofline(self, profile: ProfileDocument, known: KnownCeilings) -> ProfileDocument:
        from rocm_perf_lab.analysis.documents.roofline import with_roofline
        from rocm_perf_lab.measure.roofline import ceilings_beside

        return with_roofline(profile, self.everything(), ceilings_beside(self._paths, known))

    offers_traces = False  # what was not recorded is not available

    def with_analysis(
        self, profile: ProfileDocument, kernel: Optional[str] = None, *, code: bool = True
    ) -> ProfileDocument:
        """With the thread traces and code objects that are next to the recordings: of all kernels,
        as nothing has to be made."""
        from rocm_perf_lab.analysis.thread_traces.matching import match_traces
        from rocm_perf_lab.collect.kernel_code import find_code_objects
        from rocm_perf_lab.measure.findings import code_uris, prefix_if_any, with_findings
        from rocm_perf_lab.measure.thread_traces import read_traces, trace_folders, why_none

        read, troubles = read_traces(self._files)
        matched = match_traces({row.name: row.symbol for row in profile.kernels}, read)
        why = why_none(self._files, troubles)
        traces: Traces = {row.name: matched.by_kernel.get(row.name, why) for row in profile.kernels}
        notes = [f"another thread trace is not shown: {trace.source}" for trace in matched.others]
        uris = code_uris([run.trace for run in self.inputs])
        objects = find_code_objects(trace_folders(self._files), uris)
        return with_findings(profile, traces, objects, prefix_if_any(self._rocm), notes)

    offers_walls = False

    def walls(self, kernel: str, seconds: Optional[float], lines: Sequence[str]) -> Missing:
        from rocm_perf_lab.analysis.documents.analysis import Missing

        del seconds, lines
        return Missing(
            f"nothing runs {kernel} again",
            "rocm-perf explain --walls -- ./app args, without --from",
        )

    def choose(self, part: Part) -> None:
        self.inputs = [RunInput(part_of(run.trace, part)) for run in self.inputs]
        self.__dict__.pop("_merged", None)

    def everything(self) -> Trace:
        return self._merged

    @cached_property
    def _merged(self) -> Trace:
        """Folders of kept runs have their counter passes beside the runs."""
        from rocm_perf_lab.trace.merge import merge

        folders = [found for path in self._paths for found in sorted(path.glob("counters_*"))]
        kept = [t for folder in folders for t in _load([folder], Parts.COUNTERS, self._gpu)]
        runs = [run.trace for run in self.inputs]
        return merge([*runs, *self._counted, *kept], "recordings")


def read_runs(recordings: Recordings, *, with_path: bool, part: Part = WHOLE) -> RecordedRuns:
    parts = Parts.COUNTERS | Parts.COPIES | Parts.SAMPLES
    if with_path:
        parts |= Parts.LINKS | Parts.API_CALLS | Parts.OPERATORS | Parts.MARKERS
    files = separate(recordings.paths)
    if not files.recordings:
        raise UsageError(
            f"{files.traces[0]} is a thread trace, not a recording of a run",
            "rocm-perf profile --deep-analysis --from PATH",
        )
    named = files_together(runs_of(files.recordings))
    traces = [trace for paths in named for trace in _load(paths, parts, recordings.gpu)]
    timed = [trace for trace in traces if _has_times(trace)] or traces
    counted = [trace for trace in traces if not any(trace is one for one in timed)]
    runs = _ranks_together(timed, recordings.paths)
    inputs = [RunInput(part_of(run, part)) for run in runs]
    return RecordedRuns(recordings, files, inputs, counted)


def files_together(paths: Sequence[Path]) -> list[tuple[Path, ...]]:
    """CSV files of one process are one recording, named one by one or by their folder."""
    found: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        is_table = plain_name(path.name).endswith(".csv") and path.name not in COUNTER_FILES
        name = process_prefix(path) if is_table and path.is_file() else str(path)
        found.setdefault((path.parent, name), []).append(path)
    return [tuple(group) for group in found.values()]


def _load(paths: Sequence[Path], parts: Parts, gpu: Optional[NamedGpu]) -> list[Trace]:
    traces = load_runs(paths, parts=parts)
    if gpu is None:
        return traces
    from rocm_perf_lab.trace.naming.named_gpu import with_gpu

    return [with_gpu(trace, gpu) for trace in traces]


def _has_times(trace: Trace) -> bool:
    """Counter passes are no runs: they belong to the runs that were timed."""
    from rocm_perf_lab.analysis.path.timed import counting_processes

    return bool(set(range(len(trace.processes))) - counting_processes(trace))


def _ranks_together(traces: Sequence[Trace], paths: Sequence[Path]) -> list[Trace]:
    """Recordings of different ranks are of one run, whichever way they are named."""
    ranks = [process.rank for trace in traces for process in trace.processes]
    if len(traces) < 2 or None in ranks or len(set(ranks)) < len(ranks):
        return list(traces)
    from rocm_perf_lab.trace.merge import merge

    return [merge(traces, ", ".join(map(str, paths)))]


def runs_of(paths: Iterable[Path]) -> list[Path]:
    """A folder of kept runs holds one folder per run; anything else is one run."""
    found: list[Path] = []
    for path in paths:
        # Folders: rocprofv3 -o run writes files of such names.
        inner = sorted(inside for inside in path.glob("run_*") if inside.is_dir())
        found.extend(inner or [path])
    return found


def common_command(runs: Iterable[RunInput]) -> Optional[list[str]]:
    """The recorded command line as one word: how it was split is not in the recording."""
    commands = {p.command for run in runs for p in run.trace.processes if p.command}
    return [commands.pop()] if len(commands) == 1 else None
