"""What a program writes, passed on to our standard error so that people can tell it from ours."""

from __future__ import annotations

import os
import re
from typing import Optional

from rocm_perf_lab.collect.last_line import LAST_LINE

MARK = b"| "  # before every line of the program, on a terminal
_STDERR_FD = 2

# Lines of rocprofv3 about files of its own that are read and deleted at once, and about its own
# time. Its warnings and errors are none of them.
PROFILER_CHATTER = re.compile(
    rb"^(?:[IWE]\d{8}.*|\[rocprofv3\] )(?:Opened result file: |simple_timer\.cpp:\d+\])"
)
_MAY_BEGIN = (b"I", b"W", b"E", b"[")


class Echo:
    """Of one stream of a program. Bytes pass unchanged, but hidden lines, where nobody watches."""

    def __init__(self, hidden: Optional[re.Pattern[bytes]] = None) -> None:
        self._hidden = hidden
        self._mark = MARK if os.isatty(_STDERR_FD) else b""
        self._held = b""  # the beginning of a line that may have to be hidden
        self._at_start = True

    def pass_on(self, chunk: bytes) -> None:
        if not self._mark and self._hidden is None:
            LAST_LINE.pass_on(chunk, self)
            return
        with LAST_LINE.lock:
            LAST_LINE.pass_on(self._marked(chunk), self)

    def _marked(self, chunk: bytes) -> bytes:
        *lines, rest = (self._held + chunk).split(b"\n")
        self._held = b""
        if self._mark and not self._at_start and not LAST_LINE.is_taken_by(self):
            self._at_start = True  # the other stream of the program broke the line
            if lines and not lines[0]:
                del lines[0]
        shown = [self._line(line + b"\n") for line in lines]
        if self._at_start and self._hidden is not None and rest[:1] in _MAY_BEGIN:
            self._held = rest
        elif rest:
            shown.append(self._line(rest))
        return b"".join(shown)

    def end(self) -> None:
        held, self._held = self._held, b""
        if held:
            LAST_LINE.pass_on(self._line(held), self)

    def _line(self, line: bytes) -> bytes:
        begins, self._at_start = self._at_start, line.endswith(b"\n")
        if not begins:
            return line
        if self._hidden is not None and self._hidden.match(line):
            return b""
        return self._mark + line
