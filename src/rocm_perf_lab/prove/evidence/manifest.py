"""The list of a bundle's files with their hashes, version 1.0.

It is written before a file is (as `pending`) and after it, so that at every moment each file of the
bundle is in the list, and at most the pending one is listed but not there yet.
"""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath
from typing import Final, Literal, Optional

from rocm_perf_lab.errors import EvidenceError
from rocm_perf_lab.prove.evidence.durable import write_durable
from rocm_perf_lab.strict_json import Strict, as_text, read_strict

SCHEMA_VERSION: Final = "1.0"
NAME: Final = "manifest.json"
State = Literal["open", "complete"]


class FileEntry(Strict):
    path: str
    bytes: int
    sha256: str


class Manifest(Strict):
    schema_version: Literal["1.0"]
    state: State
    files: tuple[FileEntry, ...]
    pending: Optional[FileEntry] = None
    bundle: Optional[str] = None  # the folder's name
    search: Optional[str] = None  # the hash of the first line of its search's log


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def entry_of(path: str, data: bytes) -> FileEntry:
    return FileEntry(path=path, bytes=len(data), sha256=digest(data))


def is_inside(name: str) -> bool:
    """Is this the name of a file below the bundle's folder?"""
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def write_manifest(folder: Path, manifest: Manifest) -> None:
    write_durable(folder / NAME, (as_text(manifest, indent=1) + "\n").encode())


def read_manifest(folder: Path) -> Manifest:
    path = folder / NAME
    try:
        return read_strict(Manifest, path.read_bytes())
    except OSError as error:
        raise EvidenceError(
            f"{folder} is not evidence: {NAME} cannot be read ({error.strerror})",
            "name the folder of one candidate",
        ) from error
    except ValueError as error:
        first = str(error).splitlines()[0]
        raise EvidenceError(f"{path} is damaged: {first}") from error
