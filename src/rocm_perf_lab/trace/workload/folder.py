"""Reader of the workload folders of rocprof-compute, old and new, into one Trace.

``pmc_perf.csv`` holds the counters of all passes, one row per dispatch and one column per counter
(or per counter and instance: ``TCC_HIT[3]``). Its times are those of ``timestamps.csv`` where that
file exists: a run without counters. It becomes a process of its own, so that times and counters
stay apart as in any other recording. Version 3 has no such run; its times come from the passes.
"""

from __future__ import annotations

import csv
from pathlib import Path

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.files.packed import packed_or_plain
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.workload.rows import DispatchRows
from rocm_perf_lab.trace.workload.sniff import COUNTER_FILES, counter_file
from rocm_perf_lab.trace.workload.system import System

_TIMES, _SYSTEM = "timestamps.csv", "sysinfo.csv"
_HOW_TO_RECORD = "record with: rocprof-compute profile -n NAME -- ./app"


def read_workload(folder: Path) -> Trace:
    """Times and counters of the folder, as the processes of one Trace."""
    counters = counter_file(folder)
    if counters is None:
        raise RecordingError(f"{folder} holds no {COUNTER_FILES[0]}", _HOW_TO_RECORD)
    try:
        return _read(folder, counters)
    except (OSError, EOFError, UnicodeError, csv.Error) as error:
        raise RecordingError(f"{folder} cannot be read: {error}", _HOW_TO_RECORD) from error


def _read(folder: Path, counters: Path) -> Trace:
    system = System.read(packed_or_plain(folder / _SYSTEM))
    counted = _rows(counters, system)
    counted.read(counters)
    for level in sorted(folder.glob("SQ*LEVEL*.csv*")):
        counted.read_level(level)
    traces = [counted.build()]
    if not len(traces[0].dispatches):
        raise RecordingError(f"{counters} holds no dispatch", _HOW_TO_RECORD)
    times = packed_or_plain(folder / _TIMES)
    if times.is_file():
        timed = _rows(times, system)
        timed.read(times, with_counters=False)
        traces.insert(0, timed.build())
    return merge(traces, str(folder))


def _rows(file: Path, system: System) -> DispatchRows:
    rows = DispatchRows(file, system)
    if system.target is None:
        rows.warnings.append(
            f"{file.parent}: no {_SYSTEM} that names the GPU: its hardware is unknown unless "
            "--gpu names it"
        )
    return rows
