"""Writes thread traces as rocprofv3 does: a folder for viewers, a table, and the code objects."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rocm_perf_lab.trace.files.beside import folder_beside, written_beside
from rocm_perf_lab.vrocm.att.code import Code, CodeRow, list_code
from rocm_perf_lab.vrocm.att.file import ThreadTrace
from rocm_perf_lab.vrocm.att.waitcnt import WaitLinks
from rocm_perf_lab.vrocm.att.waves import (
    VERSION,
    filenames_document,
    list_waves,
    occupancy_document,
    state_documents,
    wave_document,
)

_CODE_HEADER = "ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle"
_STATS_HEADER = (
    "CodeObj",
    "Vaddr",
    "Instruction",
    "Hitcount",
    "Latency",
    "Stall",
    "Idle",
    "Source",
)
_INLINED_INTO = " -> "
_REALTIME_HZ = 100_000_000


@dataclass(frozen=True)
class TracedDispatch:
    """What the recording knows about a dispatch with a thread trace."""

    agent: int
    number: int
    kernel: str  # symbol
    start_ns: int
    code_objects: Mapping[int, int]  # ids by the address at which they were loaded

    @property
    def folder(self) -> str:
        return f"ui_output_agent_{self.agent}_dispatch_{self.number}"


def write_dispatch(trace: ThreadTrace, dispatch: TracedDispatch, directory: Path) -> list[Path]:
    """The folder and the table, new or in the place of older ones. Raises ``OSError``."""
    code = list_code(trace, dispatch.code_objects)
    folder, table = directory / dispatch.folder, directory / f"stats_{dispatch.folder}.csv"
    directory.mkdir(parents=True, exist_ok=True)
    with folder_beside(folder) as beside:
        _write_folder(trace, dispatch, code, beside)
    _write_stats(code.rows, table)
    return [folder, table]


def _write_folder(trace: ThreadTrace, dispatch: TracedDispatch, code: Code, folder: Path) -> None:
    waves, waits = list_waves(trace), WaitLinks(code.texts)
    for file in waves:
        _write_json(folder / file.name, wave_document(file, code, waits))
    documents: dict[str, Any] = {
        "code.json": _code_document(code),
        "filenames.json": filenames_document(waves),
        "occupancy.json": occupancy_document(trace, dispatch.kernel),
        "realtime.json": _realtime_document(trace, dispatch.start_ns),
        **state_documents(waves),
    }
    snapshots = _copy_sources(code.rows, folder)
    if snapshots:
        documents["snapshots.json"] = snapshots
    for name, content in documents.items():
        _write_json(folder / name, content)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, sort_keys=True, separators=(",", ":")), encoding="utf-8")


def _code_document(code: Code) -> dict[str, Any]:
    rows = [
        [r.text, 0, r.line, r.source, r.code_object, r.address, r.hits, r.latency, r.stall, r.idle]
        for r in code.rows
    ]
    return {"code": rows or None, "header": _CODE_HEADER, "version": VERSION}


def _realtime_document(trace: ThreadTrace, start_ns: int) -> dict[str, Any]:
    """Two readings of both clocks for each shader engine, at the begin and behind the end."""
    nanoseconds = 1_000_000_000 // _REALTIME_HZ
    cycles_per_tick = trace.clock_ghz * nanoseconds
    first = start_ns // nanoseconds
    document: dict[str, Any] = {
        "metadata": {"descriptor": "[gfx_clock, realtime_clock]", "frequency": _REALTIME_HZ}
    }
    for engine in sorted({event.engine for event in trace.occupancy}):
        last = max(event.time for event in trace.occupancy if event.engine == engine)
        ticks = int(last / cycles_per_tick) + 1
        document[f"SE{engine}"] = [[0, first], [round(ticks * cycles_per_tick), first + ticks]]
    return document


def _write_stats(rows: Iterable[CodeRow], path: Path) -> None:
    with written_beside(path) as beside, open(beside, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writerow(_STATS_HEADER)
        writer.writerows(
            (r.code_object, r.address, r.text, r.hits, r.latency, r.stall, r.idle, r.source)
            for r in rows
        )


def _copy_sources(rows: Iterable[CodeRow], folder: Path) -> dict[str, Any]:
    """Copies of the sources that are still there to read, and the tree of their names."""
    positions = {
        part
        for row in rows
        if not row.text.startswith(";")
        for part in row.source.split(_INLINED_INTO)
    }
    files = sorted({position.rpartition(":")[0] for position in positions} - {""})
    tree: dict[str, Any] = {}
    copied = 0
    for source in map(Path, files):
        try:
            content = source.read_bytes()
        except (OSError, ValueError):
            continue
        name = f"source_{copied}_{source.name}"
        copied += 1
        (folder / name).write_bytes(content)
        level = tree
        for part in source.parts[:-1]:
            level = level.setdefault(part, {})
        level[source.name] = name
    return tree
