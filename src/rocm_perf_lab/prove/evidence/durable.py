"""Files that are whole or not there, also after kill -9 or a power cut."""

from __future__ import annotations

import os
from pathlib import Path

from rocm_perf_lab.trace.files.beside import open_beside

BESIDE = ".writing"  # suffix of what is not finished


def write_durable(path: Path, data: bytes) -> None:
    """Beside, to the disk, then renamed; only the owner may read it."""
    handle, beside = open_beside(path, BESIDE)
    try:
        _write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
    os.replace(beside, path)
    sync_folder(path.parent)


def make_folders(folder: Path) -> None:
    """With those above it that are missing; only the owner may look into them."""
    for missing in reversed([folder, *folder.parents]):
        if not missing.is_dir():
            missing.mkdir(mode=0o700)


def append_durable(path: Path, line: bytes) -> None:
    """One line more. A line that was torn by a sudden end stays alone on its line."""
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600)
    try:
        size = os.fstat(handle).st_size
        torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        _write_all(handle, (b"\n" if torn else b"") + line + b"\n")
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]
