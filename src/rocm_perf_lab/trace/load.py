"""From files to a ``Trace``: finds the recordings under the given paths and reads them all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Callable

import numpy as np
from msgspec.structs import replace

from rocm_perf_lab.errors import RecordingError, UsageError
from rocm_perf_lab.trace.csv.dialects import ROCPROFV2, process_prefix
from rocm_perf_lab.trace.discover import (
    JSON,
    KINETO,
    ROCPD,
    WORKLOAD,
    Recording,
    find_recordings,
)
from rocm_perf_lab.trace.files.foreign import HOW_TO_RECORD
from rocm_perf_lab.trace.files.packed import unpacked
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.files.recordings_apart import Apart, Read, apart, ask_which
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.naming.distinct_names import with_distinct_names

_MOST_LISTED = 4


def load(paths: Sequence[Path], *, parts: Parts = Parts.EVERYTHING) -> Trace:
    """Read every recording under ``paths`` (files or folders) into one Trace.

    Raises ``RecordingError`` when nothing can be read. A damaged file beside good ones is named
    in the warnings of the Trace.
    """
    groups, failures = _recordings(paths, parts)
    traces = [trace for group in groups for trace in group.traces]
    return _merged(traces, ", ".join(map(str, paths)), failures)


def load_runs(paths: Sequence[Path], *, parts: Parts = Parts.EVERYTHING) -> list[Trace]:
    """As ``load``, but each recording of the same kernels that a folder holds is one Trace."""
    groups, failures = _recordings(paths, parts)
    source = ", ".join(map(str, paths))
    return [_merged(group.traces, source, failures) for group in groups]


def _recordings(paths: Sequence[Path], parts: Parts) -> tuple[list[Apart], list[RecordingError]]:
    read: list[Read] = []
    failures: list[RecordingError] = []
    for recording in find_recordings(paths):
        file = recording.files[0]
        try:
            found = _read(recording, parts)
        except RecordingError as error:
            failures.append(error)
            continue
        read.extend(Read(process_prefix(file), file, trace) for trace in found)
    if not read:
        raise failures[0]
    _ask_which_program(paths, [one.trace for one in read])
    groups = apart(read)
    ask_which(paths[0], groups)
    return groups, failures


def _merged(traces: Sequence[Trace], source: str, failures: Sequence[RecordingError]) -> Trace:
    trace = with_distinct_names(merge(traces, source))
    return replace(trace, warnings=trace.warnings + tuple(error.cause for error in failures))


def _ask_which_program(paths: Sequence[Path], traces: Sequence[Trace]) -> None:
    """Folders below one that was named, with no kernel in common, are of different programs."""
    names: dict[Path, set[str]] = {}
    for trace in traces:
        source = Path(trace.source)
        own = names.setdefault(source.parent if source.is_file() else source, set())
        launched = np.flatnonzero(np.bincount(trace.dispatches.kernel)).tolist()
        own.update(trace.kernels[i].name for i in launched if not trace.kernels[i].is_runtime_blit)
    kept = {folder: own for folder, own in names.items() if own}
    everything = sum(map(len, kept.values()))
    if len(paths) == 1 and len(kept) > 1 and len(set().union(*kept.values())) == everything:
        listed = ", ".join(folder.name for folder in list(kept)[:_MOST_LISTED])
        raise UsageError(
            f"{paths[0]} holds recordings in {len(kept)} folders ({listed}) without a kernel in "
            "common, which may be of different programs",
            f"name the one you mean: --from {next(iter(kept))}",
        )


def _read(recording: Recording, parts: Parts) -> list[Trace]:
    try:
        return _reader(recording.kind)(recording, parts)
    except OSError as error:
        raise RecordingError(
            f"{recording.files[0]} cannot be read: {error.strerror or error}", HOW_TO_RECORD
        ) from error


def _reader(kind: str) -> Callable[[Recording, Parts], list[Trace]]:
    """Imports no other reader than the one that is needed, for a quick start."""
    if kind == ROCPD:
        return lambda recording, parts: _read_database(recording.files[0], parts)
    if kind == JSON:
        from rocm_perf_lab.trace.rocprof_json.reader import read_json

        return lambda recording, parts: read_json(recording.files[0], parts)
    if kind == KINETO:
        from rocm_perf_lab.trace.kineto.reader import read_kineto

        return lambda recording, parts: read_kineto(recording.files[0], parts)
    if kind == WORKLOAD:
        from rocm_perf_lab.trace.workload.folder import read_workload

        return lambda recording, _parts: [read_workload(recording.files[0].parent)]
    if kind == ROCPROFV2:
        from rocm_perf_lab.trace.workload.rocprofv2 import read_rocprofv2

        return lambda recording, _parts: [read_rocprofv2(file) for file in recording.files]
    from rocm_perf_lab.trace.csv.folder import read_csv

    return lambda recording, parts: [read_csv(recording.files, parts)]


def _read_database(file: Path, parts: Parts) -> list[Trace]:
    """A compressed database is read from an unpacked copy, and named as what the user named."""
    from rocm_perf_lab.trace.rocpd.reader import read_rocpd

    plain = unpacked(file)
    traces = read_rocpd(plain, parts)
    return traces if plain == file else [_renamed(trace, file) for trace in traces]


def _renamed(trace: Trace, file: Path) -> Trace:
    processes = tuple(replace(process, source=str(file)) for process in trace.processes)
    return replace(trace, source=str(file), processes=processes)
