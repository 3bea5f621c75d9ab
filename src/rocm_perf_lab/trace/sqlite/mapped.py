"""A SQLite file in memory: its header checked, its bytes read in any place and in large numbers."""

from __future__ import annotations

import mmap
import os
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.trace.sqlite.stored import Bytes, Offsets, PagesUnsupported

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100


class PageFile:
    """A mapped SQLite file whose header has been checked."""

    def __init__(self, path: Path) -> None:
        if os.path.exists(f"{path}-journal"):
            raise PagesUnsupported("a rollback journal is next to the file")
        wal = Path(f"{path}-wal")
        if wal.exists() and wal.stat().st_size > 0:
            raise PagesUnsupported("a write-ahead log is next to the file")
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size < 2 * 512:
                raise PagesUnsupported("too small for a table")
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.data: Bytes = np.frombuffer(self._map, dtype=np.uint8)
        header = self._map[:_HEADER_BYTES]
        size = int.from_bytes(header[16:18], "big")
        self.page_size = 65536 if size == 1 else size
        self.usable = self.page_size - header[20]
        sane_size = 512 <= self.page_size <= 65536 and self.page_size & (self.page_size - 1) == 0
        if header[:16] != _MAGIC or not sane_size or self.usable < 480:
            raise PagesUnsupported("not a SQLite header")
        if len(self._map) % self.page_size:
            raise PagesUnsupported("the last page is incomplete")
        self.page_count = len(self._map) // self.page_size

    def gather(self, at: Offsets, width: int) -> Bytes:
        """The ``width`` bytes from each of these offsets on, a row for each."""
        if width > len(self.data):
            raise PagesUnsupported("a record is longer than the file")
        windows: npt.NDArray[np.void] = np.ndarray(
            (len(self.data) - width + 1,), f"V{width}", buffer=self._map, strides=(1,)
        )
        return windows[at].view(np.uint8).reshape(-1, width)

    def big_endian(self, at: Offsets, kind: str) -> Offsets:
        """The numbers of NumPy type ``kind`` (such as ``u2``) that start at these offsets."""
        gathered = self.gather(at, int(kind[1:])).view(kind).reshape(-1)
        if sys.byteorder == "little":
            gathered.byteswap(inplace=True)
        return gathered.astype(np.int64, copy=False)
