"""Recordings and reports of the roots as resources: a list of them, and the text of those that are
text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from rocm_perf_lab.agent.roots import Roots
from rocm_perf_lab.errors import RecordingError, UsageError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

LIST = "rocm-perf://files"
FILE = "rocm-perf://file/{+path}"
_TEXTS = {".json", ".jsonl", ".csv", ".md", ".html", ".svg", ".txt", ".hip", ".diff", ".patch"}
_RECORDINGS = {".db", ".rocpd", ".att", ".pftrace"}
_MOST = 500  # in the list
_DEEPEST = 4  # folders below a root


class FileEntry(BaseModel):
    path: str
    bytes: int
    readable: bool  # as a resource; recordings are read by profile, explain and roofline


@dataclass(frozen=True)
class Files:
    roots: Roots
    most_bytes: int

    def offer(self, server: MCPServer[Any]) -> None:
        server.resource(LIST, mime_type="application/json")(self.files)
        server.resource(FILE, mime_type="text/plain")(self.text)

    def files(self) -> list[FileEntry]:
        """Recordings, documents and reports below the roots, at most 500."""
        found: list[FileEntry] = []
        for root in self.roots.folders:
            for path in _below(root, _DEEPEST):
                if path.suffix in _TEXTS | _RECORDINGS and len(found) < _MOST:
                    size = path.stat().st_size
                    readable = path.suffix in _TEXTS and size <= self.most_bytes
                    found.append(FileEntry(path=str(path), bytes=size, readable=readable))
        return found

    def text(self, path: str) -> str:
        """The text of a file below the roots."""
        place = self.roots.inside(path)
        if place.suffix not in _TEXTS or not place.is_file():
            raise UsageError(f"{path} is not a text file that this server shows", f"read {LIST}")
        if place.stat().st_size > self.most_bytes:
            raise RecordingError(f"{path} has more than {self.most_bytes} bytes", None)
        return place.read_text(errors="replace")


def _below(folder: Path, deep: int) -> Iterator[Path]:
    """Files in order of their names; links and hidden folders are left out."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
        elif deep and entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from _below(Path(entry.path), deep - 1)
