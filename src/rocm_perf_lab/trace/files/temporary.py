"""Temporary folders that do not outlive us for long, however we end.

Each is locked as long as its maker lives. A maker that was killed leaves a folder whose lock is
free: the next process that makes one removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "rocm-perf-own-"  # of no other version: those do not lock


@contextlib.contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """A new folder of our own in the place for temporary files; it is gone afterwards."""
    _remove_abandoned(tempfile.gettempdir())
    folder, lock = _locked_folder(purpose)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


@functools.cache  # once in a place: an oracle makes hundreds of folders
def _remove_abandoned(place: str) -> None:
    """Removes what killed processes of the same user left behind."""
    with contextlib.suppress(OSError):
        for folder in Path(place).glob(f"{_PREFIX}*"):
            _remove_if_abandoned(folder)


def _locked_folder(purpose: str) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-")).resolve()
        # In the moments before it is locked somebody may take it for abandoned: then another.
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        with contextlib.suppress(OSError):  # a file system without locks: nobody else gets one
            fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder, lock
        os.close(lock)


def _remove_if_abandoned(folder: Path) -> None:
    with contextlib.suppress(OSError):
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(lock).st_uid == os.getuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
