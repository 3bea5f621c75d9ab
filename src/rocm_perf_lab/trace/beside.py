"""Writing files so that nobody ever sees half of one, and only their owner any of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A path beside ``path`` to write to. It becomes ``path`` if all goes well, else it is gone.

    Only its owner may read it: what we write tells what somebody runs.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        os.close(os.open(beside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        yield beside
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def make_private(folder: Path) -> None:
    """Only the owner may read it, whoever wrote into it."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
