"""Reads what the virtual runtime recorded: a file of JSON lines for each process.

``native/vgpu/hip/record/recorder.h`` says which records there are. A process that was killed leaves
a ``.part`` file whose last line may be cut short; everything before it counts.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

Record = Mapping[str, Any]

# A second program of the same process, after exec, has a number.
_FILE_NAME = re.compile(r"(\d+)(?:\.(\d+))?\.jsonl(?:\.part)?")
_LAST_RECORD = "end"
_LARGEST = (1 << 63) - 1


@dataclass(frozen=True)
class ProcessRecords:
    """The records of one process by kind, in the order in which they were completed."""

    pid: int
    by_kind: Mapping[str, Sequence[Record]]
    warnings: tuple[str, ...] = ()

    def all(self, kind: str) -> Sequence[Record]:
        return self.by_kind.get(kind, ())

    @property
    def process(self) -> Record:
        """What the process said about itself; empty when it was killed too early for that."""
        return next(iter(self.all("process")), {})


def read_folder(folder: Path) -> list[ProcessRecords]:
    """The records of every process that used the virtual runtime, by process id."""
    files = {}
    for file in folder.iterdir():
        name = _FILE_NAME.fullmatch(file.name)
        if name is not None:
            files[int(name[1]), int(name[2] or 1)] = file
    return [_read_file(pid, file) for (pid, _program), file in sorted(files.items())]


def _read_file(pid: int, file: Path) -> ProcessRecords:
    by_kind: dict[str, list[Record]] = defaultdict(list)
    damaged = 0
    for line in _lines(file):
        record = _parse(line)
        kind = None if record is None else text(record, "record")
        if record is None or kind is None:
            damaged += 1
        else:
            by_kind[kind].append(record)
    warnings = []
    if _LAST_RECORD not in by_kind:
        warnings.append(f"process {pid} did not end normally: its recording is not complete")
    if damaged:
        warnings.append(f"process {pid}: {damaged} damaged records are left out")
    return ProcessRecords(pid, dict(by_kind), tuple(warnings))


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


def optional_integer(record: Record, name: str) -> Optional[int]:
    """A number that fits a recording; None for anything else."""
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _LARGEST:
        return None
    return value


def integer(record: Record, name: str, missing: int = -1) -> int:
    value = optional_integer(record, name)
    return missing if value is None else value


def text(record: Record, name: str) -> Optional[str]:
    value = record.get(name)
    return value if isinstance(value, str) and value else None
