"""Distinguishes what was named on a command line: recordings of runs, and decoded thread traces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.discover import find_recordings
from rocm_perf_lab.trace.thread_trace.detect import (
    by_dispatch,
    find_thread_traces,
    is_decoded,
    is_statistics,
)

_RAW = "*.att*"  # compressed ones too


class TraceFiles(Struct, frozen=True):
    recordings: tuple[Path, ...]
    traces: tuple[Path, ...]  # decoder folders, or statistics tables that were named


def separate(paths: Sequence[Path]) -> TraceFiles:
    """A decoder folder, and a folder that holds nothing else, is not a recording of a run."""
    recordings: list[Path] = []
    traces: dict[Path, None] = {}
    for path in paths:
        found = _traces_at(path)
        traces.update(dict.fromkeys(found))
        if not found or (not _is_trace(path) and _holds_recording(path)):
            recordings.append(path)
    return TraceFiles(tuple(recordings), tuple(traces))


def holds_undecoded(paths: Sequence[Path]) -> bool:
    """Whether raw thread traces are there; what is decoded is found by ``separate``."""
    return any(path.is_dir() and any(path.rglob(_RAW)) for path in paths)


def _traces_at(path: Path) -> list[Path]:
    """At or below a folder; right beside a file."""
    if _is_trace(path):
        return [path]
    if path.is_dir():
        return find_thread_traces(path)
    if not path.is_file():
        return []
    return by_dispatch(f for f in path.parent.iterdir() if f.is_dir() and is_decoded(f))


def _is_trace(path: Path) -> bool:
    return is_decoded(path) if path.is_dir() else is_statistics(path)


def _holds_recording(path: Path) -> bool:
    try:
        return bool(find_recordings([path]))
    except RecordingError:
        return False
