"""Which of our own outputs a path is; what is none of them is taken for a recording."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import Optional

from rocm_perf_lab.history.store import is_history
from rocm_perf_lab.prove.evidence import manifest, search_log

PROFILE_FILE = "profile.json"
_CAPTURE_FILE = "dispatch.json"
_BUNDLE_FILES = ("proposal.json", "decision.json", "change.diff")
_MOST_BYTES = 64 << 20  # of a document of rocm-perf; a larger file is a recording


class Kind(enum.Enum):
    RECORDING = "recording"
    PROFILE = "profile"
    SEARCH = "search"
    BUNDLE = "bundle"
    JOURNAL = "journal"
    CAPTURE = "capture"
    HISTORY = "history"


def kind_of(path: Path) -> Kind:
    if path.is_dir():
        return _folder_kind(path)
    return (_file_kind(path) if path.is_file() else None) or Kind.RECORDING


def _folder_kind(folder: Path) -> Kind:
    if (folder / search_log.NAME).is_file():
        return Kind.SEARCH
    if (folder / _CAPTURE_FILE).is_file():
        return Kind.CAPTURE
    if (folder / PROFILE_FILE).is_file():
        return Kind.PROFILE
    if (folder / manifest.NAME).is_file() and any((folder / f).is_file() for f in _BUNDLE_FILES):
        return Kind.BUNDLE
    return Kind.RECORDING


def _file_kind(path: Path) -> Optional[Kind]:
    if is_history(path):
        return Kind.HISTORY
    with path.open("rb") as file:
        first = file.readline(1 << 20)
    if not first.lstrip().startswith(b"{"):
        return None
    if "journal" in (_object(first) or ()):
        return Kind.JOURNAL
    if path.stat().st_size > _MOST_BYTES:
        return None
    document = _object(path.read_bytes()) or {}
    is_profile = {"schema_version", "kernels", "timing", "stability"} <= document.keys()
    return Kind.PROFILE if is_profile else None


def _object(data: bytes) -> Optional[dict[str, object]]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
