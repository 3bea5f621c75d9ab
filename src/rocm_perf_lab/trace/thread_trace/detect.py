"""What a thread trace is known by: what is in its files, not what its folder is called."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.trace.files.packed import packed_or_plain, plain_name, read_head

CODE = "code.json"
STATISTICS_COLUMNS = ("Instruction", "Hitcount", "Latency", "Stall", "Idle")
WAVE_FILE = re.compile(r"se(\d{1,4})_sm(\d{1,4})_sl(\d{1,4})_wv(\d+)\.json", re.ASCII)
_FOLDER = re.compile(r"ui_output_agent_[^_]+_dispatch_(\d+)", re.ASCII)
_BESIDE_CODE = ("filenames.json", "occupancy.json", "realtime.json")  # of the same decoder
_STATISTICS = "stats_ui_output_agent_*_dispatch_*.csv"
_KEY = re.compile(rb'\{\s*"(?:code|header|version)"\s*:')
_SNIFFED_BYTES = 4096


def find_thread_traces(path: Path) -> list[Path]:
    """Every decoder folder at or below ``path``, by the number of its dispatch."""
    return by_dispatch(Path(parent) for parent, _, _ in os.walk(path) if is_decoded(Path(parent)))


def by_dispatch(folders: Iterable[Path]) -> list[Path]:
    return sorted(folders, key=lambda folder: (dispatch_number(folder) or 0, str(folder)))


def dispatch_number(folder: Path) -> Optional[int]:
    """Which dispatch of its process a decoder folder is about; from 1, None for another name."""
    match = _FOLDER.fullmatch(folder.name)
    return int(match[1]) if match else None


def is_decoded(folder: Path) -> bool:
    """Whether a decoder wrote the folder: code, and waves or what is said of them beside it."""
    code = packed_or_plain(folder / CODE)
    if not code.is_file():
        return False
    if dispatch_number(folder.resolve()) is not None:  # even if damaged: its reader says so
        return True
    names = [plain_name(name) for name in os.listdir(folder)]
    beside = any(name in _BESIDE_CODE or WAVE_FILE.fullmatch(name) for name in names)
    return beside and _KEY.match(_head(code).lstrip()) is not None


def is_statistics(file: Path) -> bool:
    """The table of costs that the decoder writes beside a folder."""
    if not file.is_file():
        return False
    if file.match(_STATISTICS):
        return True
    lines = _head(file).decode("utf-8-sig", "replace").splitlines()
    try:
        columns = {name.strip() for name in next(csv.reader(lines), [])}
    except csv.Error:
        return False
    return columns.issuperset(STATISTICS_COLUMNS)


def _head(file: Path) -> bytes:
    try:
        return read_head(file, _SNIFFED_BYTES)
    except (OSError, ToolMissing):
        return b""
