"""Runs the profiled application: same terminal, same process group, no shell in between."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

# What ends a program politely. It ends the application, never this program, which has still to
# write the recording.
_PASSED_ON = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
_WATCHED = _PASSED_ON | {signal.SIGCHLD}
# Python ignores these two; a program must not inherit that.
_RESTORED = (signal.SIGPIPE, signal.SIGXFSZ)
# Ctrl-C, and a signal to the group, reach the application without us. It gets this long to end
# by itself before it is sent the signal once more, in case that we alone were meant.
_GRACE_SECONDS = 0.25
_POLL_SECONDS = 0.5  # in a program with threads, another one may take our SIGCHLD
SIGNAL_BASE = 128  # a shell's exit status of a program that a signal ended


@dataclass(frozen=True)
class Ending:
    """How the application ended: by an exit code, or by a signal."""

    exit_code: int
    signal_number: int = 0

    @property
    def status(self) -> int:
        return SIGNAL_BASE + self.signal_number if self.signal_number else self.exit_code

    @property
    def signal_name(self) -> str:
        try:
            return signal.Signals(self.signal_number).name
        except ValueError:  # real-time signals have no names
            return f"signal {self.signal_number}"


def run_application(argv: Sequence[str], environment: Mapping[str, str]) -> Ending:
    """Run to the end. Raises ``OSError`` when it cannot be started."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, children would leave no status
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    try:
        pid = os.posix_spawnp(
            argv[0], list(argv), dict(environment), setsigmask=before, setsigdef=_RESTORED
        )
        return _wait(pid)
    finally:
        _drop_pending()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _wait(pid: int) -> Ending:
    while True:
        arrived = signal.sigtimedwait(_WATCHED, _POLL_SECONDS)
        ending = _ending(pid)
        if ending is None and arrived is not None and arrived.si_signo in _PASSED_ON:
            signal.sigtimedwait({signal.SIGCHLD}, _GRACE_SECONDS)
            ending = _ending(pid)
            if ending is None and arrived.si_code <= 0:  # sent by a process, not by a terminal
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, arrived.si_signo)
        if ending is not None:
            return ending


def _ending(pid: int) -> Optional[Ending]:
    waited, status = os.waitpid(pid, os.WNOHANG)
    if waited != pid:
        return None
    if os.WIFSIGNALED(status):
        return Ending(0, os.WTERMSIG(status))
    return Ending(os.WEXITSTATUS(status))


def _drop_pending() -> None:
    """Signals that the application has already answered must not end the writing."""
    while signal.sigtimedwait(_WATCHED, 0) is not None:
        pass
