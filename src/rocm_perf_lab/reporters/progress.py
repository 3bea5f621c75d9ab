"""Progress of long work: one line on a terminal, silence when piped."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Optional, TextIO

from rocm_perf_lab.redaction import redacted_words

if TYPE_CHECKING:
    from rocm_perf_lab.collect.rocprof.options import Step


class ProgressLine:
    """Overwrites one line on stderr. Anything that is not a terminal sees nothing of it."""

    def __init__(self, stream: Optional[TextIO] = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._active = self._stream.isatty()
        self._width = 0

    def show(self, text: str) -> None:
        if self._active:
            self._stream.write("\r" + text.ljust(self._width))
            self._stream.flush()
            self._width = len(text)

    def clear(self) -> None:
        if self._active and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0


class RunProgress:
    """Tells which run of the application is under way; with ``debug`` also the command lines."""

    def __init__(self, debug: bool) -> None:
        self._debug = debug
        self._line = ProgressLine()

    def started(self, step: Step, command: tuple[str, ...]) -> None:
        if self._debug:
            print(f"+ {shlex.join(redacted_words(command))}", file=sys.stderr)
        else:
            self._line.show(f"{step.label} {step.position} of {step.total} ...")

    def finished(self, step: Step, wall_ns: int) -> None:
        self._line.clear()
        if self._debug:
            print(f"  {step.label} {step.position}: {wall_ns / 1e9:.3f} s", file=sys.stderr)
