"""The log of a search: one JSON object a line, appended the moment something happens.

Each line holds the hash of the line before it, so that a line that is changed, taken out or put in
is seen. A line that was torn by a sudden end is not evidence, and not damage.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import EvidenceError
from rocm_perf_lab.prove.evidence.durable import append_durable, make_folders
from rocm_perf_lab.prove.evidence.manifest import digest

NAME = "search.jsonl"
_START = "0" * 64


@dataclass(frozen=True)
class LogLine:
    number: int
    event: str
    content: Mapping[str, Any]


@dataclass(frozen=True)
class ReadLog:
    lines: tuple[LogLine, ...]
    torn: int  # lines that a sudden end left behind
    problems: tuple[str, ...]


class SearchLog:
    """Appends; continues a log that is there."""

    def __init__(self, folder: Path) -> None:
        make_folders(folder)
        self.path = folder / NAME
        self._last, self._number = _START, 0
        if self.path.exists():
            for text in _texts(self.path.read_bytes()):
                if _parsed(text) is not None:
                    self._last, self._number = digest(text), self._number + 1

    def append(self, event: str, **content: Any) -> None:
        """`event`: tried, refused, measured, judged, kept, ...; a bundle by its folder's name."""
        line = {"number": self._number, "before": self._last, "event": event, **content}
        text = json.dumps(line, sort_keys=True).encode()
        append_durable(self.path, text)
        self._last, self._number = digest(text), self._number + 1


def read_log(path: Path) -> ReadLog:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EvidenceError(f"cannot read {path}: {error.strerror}") from error
    lines: list[LogLine] = []
    problems: list[str] = []
    torn, last = 0, _START
    texts = _texts(data)
    for place, text in enumerate(texts, 1):
        line = _parsed(text)
        if line is None:
            torn += 1
            continue
        if line.get("before") != last or line.get("number") != len(lines):
            problems.append(f"line {place} of {path.name} does not follow the one before it")
        last = digest(text)
        content = {k: v for k, v in line.items() if k not in ("number", "before", "event")}
        lines.append(LogLine(len(lines), str(line.get("event")), content))
    return ReadLog(tuple(lines), torn, tuple(problems))


def _texts(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line]


def _parsed(text: bytes) -> Optional[dict[str, Any]]:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) and "event" in line else None
