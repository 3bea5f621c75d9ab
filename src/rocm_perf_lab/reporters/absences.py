"""Gives everything that is null in a document an entry in its ``unavailable``.

The analysis says what it missed and how to get it. What nobody asked for, or what this kind of
recording never holds, is said here, for readers that are programs: a page for people would be
longer and tell them nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

Reason = tuple[str, Optional[str]]

_NOT_ASKED = "it was not asked for"
_NOT_RECORDED: Reason = ("the recording or the run does not say it", None)
_OF_FIELD: dict[str, Reason] = {
    "roofline": (_NOT_ASKED, "--roofline"),
    "rooflines": (_NOT_ASKED, "--roofline"),
    "critical_path": (_NOT_ASKED, "--critical-path"),
    "att": (_NOT_ASKED, "--deep-analysis"),
    "analysis": (_NOT_ASKED, "--deep-analysis"),
    "walls": (_NOT_ASKED, "--walls"),
    "source": ("the application was run: nothing was read from a recording", None),
    "command": ("the recording does not name one command", None),
    "ranks": ("a single process, or none that exchanges data with others", None),
    "graphs": ("no graph was launched, or API calls were not recorded", None),
}
_OF_NAME: dict[str, Reason] = {
    "symbol": ("the recording has no mangled name", None),
    "cv": ("a single value has no spread", None),
    "stddev_ms": ("a single run has no spread", "--runs 3"),
    "classification": ("a single run has no spread", "--runs 3"),
    "next_up": ("no change of one or two resources gives a higher occupancy", None),
    "rank": ("the recording names no rank", None),
    "collective": ("no collective kernel ran", None),
    "waited_ms": ("there is no other rank to compare with", None),
    "came_last": ("there is no other rank to compare with", None),
    "next": ("there is nothing to do about it", None),
}


def completed(content: dict[str, Any]) -> dict[str, Any]:
    """The same document; documents without such a list stay as they are."""
    listed = content.get("unavailable")
    if not isinstance(listed, list):
        return content
    fields = tuple(entry["field"] for entry in listed)
    found = dict.fromkeys(_nulls(content, ""))
    entries = [_entry(path) for path in found if not _said(path, fields)]
    return {**content, "unavailable": [*listed, *entries]}


def _nulls(value: dict[str, Any], path: str) -> Iterator[str]:
    for name, inner in value.items():
        if name == "unavailable":
            continue
        place = f"{path}{name}"
        if inner is None:
            yield place
        elif isinstance(inner, dict):
            yield from _nulls(inner, place + ".")
        elif isinstance(inner, (list, tuple)):
            yield from _of_rows(inner, place + "[]")


def _of_rows(rows: Any, path: str) -> Iterator[str]:
    for row in rows:
        if row is None:
            yield path
        elif isinstance(row, dict):
            yield from _nulls(row, path + ".")
        elif isinstance(row, (list, tuple)):
            yield from _of_rows(row, path + "[]")


def _said(path: str, fields: tuple[str, ...]) -> bool:
    return any(path == f or path.startswith((f + ".", f + "[")) for f in fields)


def _entry(path: str) -> dict[str, Any]:
    name = path.rpartition(".")[2]
    reason, cure = _OF_FIELD.get(path) or _OF_NAME.get(name) or _NOT_RECORDED
    return {"field": path, "reason": reason, "next": cure}
