"""Files with holes: where their data lies, and copies that keep the holes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

_CHUNK = 8 << 20


def data_extents(descriptor: int) -> Iterator[tuple[int, int]]:
    """Begin and end of every part of a file that is not a hole."""
    size = os.fstat(descriptor).st_size
    end = 0
    while end < size:
        try:
            begin = os.lseek(descriptor, end, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but a hole follows
                return
            raise
        end = os.lseek(descriptor, begin, os.SEEK_HOLE)
        yield begin, end


def copy_sparse(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as old, target.open("xb") as new:
        new.truncate(os.fstat(old.fileno()).st_size)
        for begin, end in data_extents(old.fileno()):
            for offset in range(begin, end, _CHUNK):
                old.seek(offset)
                new.seek(offset)
                new.write(old.read(min(_CHUNK, end - offset)))
