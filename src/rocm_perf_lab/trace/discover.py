"""Finds recordings under files and folders, by what the files hold and not by their names.

Compressed files (gzip, Zstandard) count as what is in them. rocprofv3 names its files
``<prefix>_results.db``, ``<prefix>_results.json`` and ``<prefix>_kernel_trace.csv`` (and more CSV
files); files with one folder and prefix are outputs
of one process. When it was told to write several formats, only one of them is read, or every
dispatch would count twice. A workload folder of rocprof-compute is one recording, and so is a
PyTorch trace; a folder with several of those holds several programs, which are never mixed.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Optional

from msgspec import Struct

from rocm_perf_lab.errors import RecordingError, UsageError
from rocm_perf_lab.trace.csv.dialects import ROCPROFV2, csv_kind, process_prefix
from rocm_perf_lab.trace.files.foreign import HOW_TO_RECORD, PROGRAM, named
from rocm_perf_lab.trace.files.packed import is_packed, plain_name, read_head
from rocm_perf_lab.trace.kineto.sniff import are_of_ranks, is_kineto
from rocm_perf_lab.trace.workload.sniff import COUNTER_FILES, counter_file

ROCPD, JSON, CSV, WORKLOAD, KINETO = "rocpd", "json", "csv", "workload", "kineto"
_PREFERENCE = (ROCPD, JSON, CSV, ROCPROFV2, WORKLOAD, KINETO)  # most complete first
_WHOLE_PROGRAMS = {WORKLOAD: "workloads of rocprof-compute", KINETO: "PyTorch traces"}
_SNIFFED_BYTES = 16384
_SQLITE_MAGIC = b"SQLite format 3\0"
_JSON_ROOT = b'"rocprofiler-sdk-tool"'
_CANDIDATES = (".db", ".json", ".csv")
_RESULT_FILES = {"_results.db": ROCPD, "_results.json": JSON}
_MOST_LISTED = 4


class Recording(Struct, frozen=True):
    """The files of one process in one format."""

    kind: str
    files: tuple[Path, ...]


def find_recordings(paths: Sequence[Path]) -> list[Recording]:
    """Every recording under the paths; raises when a path holds none."""
    if not paths:
        raise RecordingError("no recording was named", HOW_TO_RECORD)
    found: dict[tuple[Path, str], dict[str, list[Path]]] = {}
    for path in paths:
        for file, kind in _recording_files(path):
            group = found.setdefault((file.parent, process_prefix(file)), {})
            files = group.setdefault(kind, [])
            if file not in files:
                files.append(file)
    return [_preferred(group) for group in found.values()]


def _recording_files(path: Path) -> list[tuple[Path, str]]:
    if path.is_dir():
        in_folder = list(_in_folder(path))
        if not in_folder:
            raise _nothing_in(path)
        _ask_which(path, in_folder)
        return in_folder
    if not path.exists():
        raise RecordingError(f"{path} does not exist", HOW_TO_RECORD)
    if not path.is_file():
        raise RecordingError(f"{path} is neither a file nor a folder", HOW_TO_RECORD)
    if path.name in COUNTER_FILES:
        return [(path.resolve(), WORKLOAD)]
    kind = sniff(path)
    if kind is None:
        raise _why_not(path)
    return [(path.resolve(), kind)]


def _ask_which(folder: Path, found: Sequence[tuple[Path, str]]) -> None:
    for kind, what in _WHOLE_PROGRAMS.items():
        files = [file.parent if kind == WORKLOAD else file for file, own in found if own == kind]
        if len(files) > 1 and not (kind == KINETO and are_of_ranks(files)):
            listed = ", ".join(str(file.name) for file in files[:_MOST_LISTED])
            more = ", ..." if len(files) > _MOST_LISTED else ""
            raise UsageError(
                f"{folder} holds {len(files)} {what} ({listed}{more}), which may be of different "
                "programs",
                f"name the one you mean: --from {files[0]}",
            )


def _nothing_in(folder: Path) -> RecordingError:
    """Names a file that is something else than a recording, if there is one."""
    found = []
    for parent, folders, names in os.walk(folder):
        folders.sort()
        found += [(name, what) for name in sorted(names) if (what := named(Path(parent, name)))]
    # Code objects are next to what was recorded: they are the last thing to name.
    for name, foreign in sorted(found, key=lambda one: one[1] is PROGRAM):
        return RecordingError(
            f"{folder} holds no recording; {name} in it is {foreign.what}", foreign.next_step
        )
    return RecordingError(f"{folder} holds no rocprofv3 recording", HOW_TO_RECORD)


def _in_folder(folder: Path) -> Iterator[tuple[Path, str]]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        counters = counter_file(Path(parent))
        if counters is not None:  # the other files of the folder belong to it
            yield counters.resolve(), WORKLOAD
            continue
        for name in sorted(names):
            file = Path(parent, name)
            if plain_name(name).endswith(_CANDIDATES) and file.is_file():
                kind = _sniff_or_suffix(file)
                if kind is not None:
                    yield file.resolve(), kind


def _sniff_or_suffix(file: Path) -> Optional[str]:
    """A file with the name of a recording is one, even if damaged: its reader says what ails it."""
    try:
        kind = sniff(file)
    except RecordingError:
        kind = None
    name = plain_name(file.name)
    return kind or _RESULT_FILES.get(name[name.rfind("_") :])


def sniff(file: Path) -> Optional[str]:
    """The format of a file from its first bytes, None for something else."""
    try:
        head = read_head(file, _SNIFFED_BYTES)
    except OSError as error:
        why = error.strerror or error
        raise RecordingError(f"{file} cannot be read: {why}", HOW_TO_RECORD) from error
    if head.startswith(_SQLITE_MAGIC):
        return ROCPD
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"{"):
        if _JSON_ROOT in head:
            return JSON
        return KINETO if is_kineto(file, head) else None
    table = csv_kind(_header(head))
    return CSV if table not in (None, ROCPROFV2) else table


def _header(head: bytes) -> tuple[str, ...]:
    lines = head.decode("utf-8-sig", "replace").splitlines()
    try:
        return tuple(name.strip() for name in next(csv.reader(lines), []))
    except csv.Error:
        return ()


def _why_not(path: Path) -> RecordingError:
    if path.stat().st_size == 0:
        return RecordingError(
            f"{path} is empty: the application recorded nothing or was killed while writing",
            HOW_TO_RECORD,
        )
    if is_packed(path) and not read_head(path, _SNIFFED_BYTES):
        return RecordingError(
            f"{path} is compressed, but cut or damaged", "copy or compress the recording again"
        )
    foreign = named(path)
    if foreign is not None:
        return RecordingError(f"{path} is {foreign.what}", foreign.next_step)
    return RecordingError(
        f"{path} is not a rocprofv3 recording (SQLite, JSON or CSV), a workload of "
        "rocprof-compute or a PyTorch trace",
        HOW_TO_RECORD,
    )


def _preferred(group: dict[str, list[Path]]) -> Recording:
    kind = next(kind for kind in _PREFERENCE if kind in group)
    return Recording(kind, tuple(group[kind]))
