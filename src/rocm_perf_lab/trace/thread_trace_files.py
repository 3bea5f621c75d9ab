"""Tells apart what was named on a command line: recordings of runs, and decoded thread traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.discover import find_recordings
from rocm_perf_lab.trace.thread_trace import dispatch_number, find_thread_traces

_STATISTICS = "stats_ui_output_agent_*_dispatch_*.csv"
_RAW = "*.att"


@dataclass(frozen=True)
class TraceFiles:
    recordings: tuple[Path, ...]
    traces: tuple[Path, ...]  # decoder folders, or statistics tables that were named
    undecoded: bool  # thread traces were recorded, but nothing of what is there is decoded


def separate(paths: Sequence[Path]) -> TraceFiles:
    """A decoder folder, and a folder that holds nothing else, is no recording of a run."""
    recordings: list[Path] = []
    traces: dict[Path, None] = {}
    for path in paths:
        found = _traces_at(path)
        traces.update(dict.fromkeys(found))
        if not found or (not _is_trace(path) and _holds_recording(path)):
            recordings.append(path)
    undecoded = not traces and any(path.is_dir() and any(path.rglob(_RAW)) for path in paths)
    return TraceFiles(tuple(recordings), tuple(traces), undecoded)


def _traces_at(path: Path) -> list[Path]:
    """At or below a folder; right beside a file."""
    if _is_trace(path):
        return [path]
    if path.is_dir():
        return find_thread_traces(path)
    return [folder for folder in find_thread_traces(path.parent) if folder.parent == path.parent]


def _is_trace(path: Path) -> bool:
    if path.is_dir():
        return dispatch_number(path.resolve()) is not None
    return path.is_file() and path.match(_STATISTICS)


def _holds_recording(path: Path) -> bool:
    try:
        return bool(find_recordings([path]))
    except RecordingError:
        return False
