"""Ends the programs that we started when we are killed and can end nothing ourselves.

A small shell reads the numbers of the running process groups from a pipe that only we hold. The
kernel closes the pipe however this process ends; the shell then ends the groups that are left.
There is one for the whole process, and it starts with the first program.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator
from typing import Optional

# Lines are "+12" and "-12"; what came and did not go is left.
_PROGRAM = r"""
groups=
while read -r line; do
    group=${line#[+-]}
    case $line in
        +*) groups="$groups $group" ;;
        -*) left=
            for one in $groups; do [ "$one" = "$group" ] || left="$left $one"; done
            groups=$left ;;
    esac
done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -s TERM -- "-$group"; done
sleep 1
for group in $groups; do kill -s KILL -- "-$group"; done
"""


class _Watchdog:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._program: Optional[subprocess.Popen[bytes]] = None

    def tell(self, line: str) -> None:
        """Where it cannot be started (no shell, a full process table) the work goes on."""
        with self._lock, contextlib.suppress(OSError):
            if self._owner != os.getpid():  # a fork shares the pipe, which would stay open
                self._owner = os.getpid()
                self._program = None
                self._program = self._start()
            if self._program is not None and self._program.stdin is not None:
                os.write(self._program.stdin.fileno(), f"{line}\n".encode())

    @staticmethod
    def _start() -> subprocess.Popen[bytes]:
        """It holds none of our streams: whoever reads them waits for their end."""
        return subprocess.Popen(
            ["/bin/sh", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )


_WATCHDOG = _Watchdog()


@contextlib.contextmanager
def group_watched(group: int) -> Iterator[None]:
    """While this is open, the process group ends with us."""
    _WATCHDOG.tell(f"+{group}")
    try:
        yield
    finally:
        _WATCHDOG.tell(f"-{group}")
