"""Reads what the virtual runtime recorded: one file of JSON lines for each process.

Every line is an object with a ``kind``. Times are virtual nanoseconds, ids are those of the HSA
runtime, ``correlation`` is the id of the API call that caused something (0: none)::

    process      pid, ppid, command (list)
    agent        id (node), type ("CPU", "GPU"), name, product, facts (rocprofiler's agent record)
    queue        id, agent
    stream       id
    stream_use   correlation, stream, tid    which stream an operation was given to
    code_object  id, agent, uri, load_base, load_size
    kernel       id, code_object, symbol (with ".kd"), name (demangled), arch_vgpr, accum_vgpr,
                 sgpr, lds, scratch, kernarg_size
    dispatch     id, kernel, agent, queue, correlation, start, end, grid, block, lds, scratch
    copy         direction ("HOST_TO_DEVICE", ...), src_agent, dst_agent, bytes, correlation,
                 start, end
    allocation   operation ("ALLOC", "FREE"), agent, address, bytes, correlation, start, end
    api          id, parent, category ("HIP_RUNTIME_API_EXT", ...), name, tid, start, end,
                 args (list of [name, type, value])
    marker       call ("roctxRangePushA", ...), message, tid, start, end

A process that was killed leaves its last line cut short; everything before it counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

Record = Mapping[str, Any]
KINDS = (
    "process",
    "agent",
    "queue",
    "stream",
    "stream_use",
    "code_object",
    "kernel",
    "dispatch",
    "copy",
    "allocation",
    "api",
    "marker",
)


@dataclass
class ProcessRecords:
    """The records of one process by kind, in the order of the file."""

    pid: int
    by_kind: Mapping[str, list[Record]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    warnings: list[str] = field(default_factory=list)

    def all(self, kind: str) -> list[Record]:
        return self.by_kind[kind]

    @property
    def process(self) -> Record:
        """What the process said about itself; empty when it was killed too early for that."""
        return next(iter(self.by_kind["process"]), {})


def read_folder(folder: Path) -> list[ProcessRecords]:
    """The records of every process that loaded the virtual runtime, by process id."""
    files = [file for file in folder.glob("*.jsonl") if file.stem.isdigit()]
    return [read_file(file) for file in sorted(files, key=lambda file: int(file.stem))]


def read_file(file: Path) -> ProcessRecords:
    records = ProcessRecords(pid=int(file.stem))
    damaged = 0
    for line in _lines(file):
        record = _parse(line)
        kind = record.get("kind") if record is not None else None
        if record is None or kind not in records.by_kind:
            damaged += 1
        else:
            records.by_kind[kind].append(record)
    if damaged:
        records.warnings.append(
            f"process {records.pid} did not finish its records: {damaged} damaged lines are left out"
        )
    return records


def _lines(file: Path) -> Iterator[str]:
    with open(file, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            if line.strip("\0 \t\r\n"):
                yield line


def _parse(line: str) -> Optional[Record]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def integer(record: Record, name: str) -> Optional[int]:
    """A 64-bit integer of the record; None for anything else."""
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 1 << 63:
        return None
    return value


def text(record: Record, name: str) -> Optional[str]:
    value = record.get(name)
    return value if isinstance(value, str) and value else None
