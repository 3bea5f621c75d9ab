"""Writing files so that nobody ever sees half of one, and only their owner any of it.

All names beside a file are made here. They are new and cannot be foretold: a link that somebody
planted under a name that we would use must not be followed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_LONGEST_NAME = 200  # of 255 that file systems allow, which leaves room for a suffix


def open_beside(path: Path, ending: str = "") -> tuple[int, Path]:
    """A new file beside ``path``, open for writing, and its path; only its owner may read it."""
    handle, name = tempfile.mkstemp(prefix=_prefix(path), suffix=ending, dir=path.parent)
    return handle, Path(name)


@contextlib.contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A path beside ``path`` to write to. It becomes ``path`` if all goes well, else it is gone.

    Only its owner may read it: what we write tells what somebody runs.
    """
    handle, beside = open_beside(path)
    os.close(handle)
    try:
        yield beside
        os.replace(beside, path)
    except OSError as error:
        if error.filename is None:  # a failed write does not say whose it was
            error.filename = str(path)
        raise
    finally:
        beside.unlink(missing_ok=True)


@contextlib.contextmanager
def folder_beside(folder: Path) -> Iterator[Path]:
    """The same for a folder; an older one in its place goes."""
    beside = Path(tempfile.mkdtemp(prefix=_prefix(folder), dir=folder.parent))
    try:
        yield beside
        shutil.rmtree(folder, ignore_errors=True)
        beside.rename(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _prefix(path: Path) -> str:
    return f".{os.fsdecode(os.fsencode(path.name)[:_LONGEST_NAME])}."


def make_private(folder: Path) -> None:
    """Only the owner may read it, whoever wrote into it."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
