"""Our standard input, the same for every program that is started with it.

A measured application runs several times. What a pipe gave to the first run is gone for the
second, so that it would read an end where the first read data. Here a file is wound back before
each run, and a pipe is kept as it is read: every run gets it from its beginning, and nothing is
asked of it that no run has read. A terminal is passed on as it is.
"""

from __future__ import annotations

import contextlib
import os
import select
import stat
import subprocess
import tempfile
import threading
from typing import IO, Optional

_INPUT = 0
_CHUNK = 65536
_PATIENCE_S = 0.02  # so soon is noticed that a program ended without reading on


class Feed:
    """Writes the input to one program until it ends or wants no more."""

    def __init__(self, kept: _Kept, pipe: IO[bytes]) -> None:
        self._kept = kept
        self._pipe = pipe
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stopped.set()
        self._thread.join(1.0)  # a child in the background may hold a full pipe for ever

    def _write(self) -> None:
        place = 0
        with contextlib.suppress(OSError), self._pipe as pipe:  # OSError: nobody reads any more
            while True:
                chunk = self._kept.read(place, self._stopped)
                if not chunk:
                    return
                place += len(chunk)
                while chunk:
                    chunk = chunk[os.write(pipe.fileno(), chunk) :]


class _Kept:
    """What was read of a pipe so far, in a file that has no name."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # as long as we live
        self._size = 0
        self._lock = threading.Lock()

    def read(self, place: int, stopped: threading.Event) -> bytes:
        """Some bytes from ``place`` on; none at the end of the input, or when stopped."""
        while not stopped.is_set():
            with self._lock:
                if place < self._size:
                    return os.pread(self._file.fileno(), _CHUNK, place)
                ready, _, _ = select.select([_INPUT], [], [], _PATIENCE_S)
                chunk = os.read(_INPUT, _CHUNK) if ready else b""
                if ready and not chunk:
                    return b""
                self._size += os.pwrite(self._file.fileno(), chunk, self._size)
        return b""


class _OwnInput:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._start: Optional[int] = None
        self._kept: Optional[_Kept] = None

    def target(self) -> Optional[int]:
        """What ``Popen`` takes as stdin: None where ours is passed on."""
        try:
            mode = os.fstat(_INPUT).st_mode
        except OSError:
            return subprocess.DEVNULL
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            return subprocess.PIPE
        if stat.S_ISREG(mode):
            self._wind_back()
        return None

    def feed(self, pipe: IO[bytes]) -> Feed:
        with self._lock:
            self._kept = self._kept or _Kept()
        return Feed(self._kept, pipe)

    def _wind_back(self) -> None:
        with self._lock:
            if self._start is None:
                self._start = os.lseek(_INPUT, 0, os.SEEK_CUR)
            os.lseek(_INPUT, self._start, os.SEEK_SET)


OWN_INPUT = _OwnInput()
