"""The log of a search: one JSON object a line, appended the moment something happens.

Each line holds the hash of the line before it, so that a line that is changed, taken out or put in
is seen. A line that was torn by a sudden end is not evidence, and not damage. The last line closes
the log: it counts the candidates and names every bundle by the hash of its list of files, so that
an end that was cut off, a folder that was taken out or one that was put in is seen as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import EvidenceError
from rocm_perf_lab.prove.evidence.durable import append_durable, make_folders
from rocm_perf_lab.prove.evidence.manifest import NAME as MANIFEST
from rocm_perf_lab.prove.evidence.manifest import digest

NAME = "search.jsonl"
CLOSED = "closed"
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
    identity: Optional[str] = None  # the hash of the first line
    closing: Optional[LogLine] = None


class SearchLog:
    """Appends; continues a log that is there and was not closed."""

    def __init__(self, folder: Path) -> None:
        make_folders(folder)
        self.path = folder / NAME
        self._last, self._number = _START, 0
        self.identity: Optional[str] = None  # the hash of the first line: the name of the search
        self._candidates, self._closed = 0, False
        if self.path.exists():
            for text in _texts(self.path.read_bytes()):
                line = _parsed(text)
                if line is not None:
                    self._count(text, str(line["event"]))

    def append(self, event: str, **content: Any) -> None:
        """`event`: tried, refused, measured, judged, kept, ...; a bundle by its folder's name."""
        if self._closed:
            raise EvidenceError(f"{self.path} is closed: nothing is added to it")
        line = {"number": self._number, "before": self._last, "event": event, **content}
        text = json.dumps(line, sort_keys=True).encode()
        append_durable(self.path, text)
        self._count(text, event)

    def close(self) -> None:
        """The last record: how many lines and candidates there are, and every bundle as it is."""
        bundles = {
            folder.name: manifest_hash(folder) for folder in bundle_folders(self.path.parent)
        }
        self.append(
            CLOSED,
            lines=self._number,
            head=self._last,
            candidates=self._candidates,
            bundles=bundles,
        )

    def _count(self, text: bytes, event: str) -> None:
        self._last, self._number = digest(text), self._number + 1
        self.identity = self.identity or self._last
        self._candidates += event == "tried"
        self._closed = self._closed or event == CLOSED


def bundle_folders(search: Path) -> list[Path]:
    return sorted(path.parent for path in search.glob(f"*/{MANIFEST}"))


def manifest_hash(bundle: Path) -> str:
    return digest((bundle / MANIFEST).read_bytes())


def read_log(path: Path) -> ReadLog:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EvidenceError(f"cannot read {path}: {error.strerror}") from error
    lines: list[LogLine] = []
    problems: list[str] = []
    torn, last = 0, _START
    identity, closing = None, None
    for place, text in enumerate(_texts(data), 1):
        line = _parsed(text)
        if closing is not None:
            problems.append(f"line {place} of {path.name} stands behind the closing record")
        if line is None:
            torn += 1
            continue
        if line.get("before") != last or line.get("number") != len(lines):
            problems.append(f"line {place} of {path.name} does not follow the one before it")
        before, last = last, digest(text)
        identity = identity or last
        content = {k: v for k, v in line.items() if k not in ("number", "before", "event")}
        lines.append(LogLine(len(lines), str(line.get("event")), content))
        if lines[-1].event == CLOSED:
            closing = lines[-1]
            problems += _closes_wrongly(lines, before, path.name)
    return ReadLog(tuple(lines), torn, tuple(problems), identity, closing)


def _closes_wrongly(lines: list[LogLine], head: str, name: str) -> Iterator[str]:
    said = lines[-1].content
    tried = sum(line.event == "tried" for line in lines)
    if said.get("lines") != len(lines) - 1 or said.get("head") != head:
        yield f"the closing record of {name} is not that of the lines before it"
    if said.get("candidates") != tried:
        yield f"{name} was closed with {said.get('candidates')} candidates, it names {tried}"


def _texts(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line]


def _parsed(text: bytes) -> Optional[dict[str, Any]]:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) and "event" in line else None
