"""The last line of standard error's terminal: progress overwrites it, others write above it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading

_STDERR_FD = 2
_ERASE = "\r\033[K"


class LastLine:
    """There is one for the whole program; its users may be threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # for those who look at it and then write
        self._shown = ""
        self._taken_by: object = None  # whose line has not ended yet

    def is_watched(self) -> bool:
        return sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Nothing where nobody watches: a file keeps what a terminal overwrites."""
        with self.lock:
            if self.is_watched() and self._taken_by is None:
                fitting = text[: shutil.get_terminal_size().columns - 1]
                if fitting != self._shown:
                    self._shown = fitting
                    self._write(_ERASE + fitting)

    def clear(self) -> None:
        with self.lock:
            if self._shown:
                self._shown = ""
                self._write(_ERASE)

    def pass_on(self, text: bytes, by: object = "somebody") -> None:
        """What another program wrote goes above. Raises ``OSError`` when nobody takes it."""
        if not text:
            return
        with self.lock:
            shown = self._shown
            self.clear()
            broken = self._taken_by not in (None, by) and self.is_watched()
            left = b"\n" + text if broken else text
            while left:
                left = left[os.write(_STDERR_FD, left) :]
            self._taken_by = None if text.endswith(b"\n") else by
            if shown:
                self.show(shown)

    def end_taken(self) -> None:
        """The other program has ended: whatever it began there, the line is ours again."""
        with self.lock:
            if self._taken_by is not None and self.is_watched():
                self._write("\n")
            self._taken_by = None

    def is_taken_by(self, by: object) -> bool:
        return self._taken_by is by

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()


LAST_LINE = LastLine()
