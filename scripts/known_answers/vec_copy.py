"""vecCopy on an MI300X and an MI200: all dispatches and counters, summed over instances."""

from __future__ import annotations

from pathlib import Path

from known_answers.files import Files
from known_answers.roofs import first_device
from known_answers.workload import launches, workload_files
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.selection import select_process

_FOLDERS = ("dispatch_0", "kernel", "no_roof")
_BOARDS = ("MI200", "MI300X_A1")


def vec_copy(recordings: Path) -> Files:
    files: Files = {}
    for board in _BOARDS:
        for folder in _FOLDERS:
            name = f"veccopy-counters/{board}/{folder}"
            trace = load([recordings / name])
            timed, counted = (launches(select_process(trace, process)) for process in (0, 1))
            roofs = first_device(recordings / name)
            files.update(workload_files(name, trace.agents[0], counted, timed, roofs))
    return files
