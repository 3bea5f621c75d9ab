"""Starting a foreign program, watching it, and ending it together with its children.

Every program runs in a session of its own. A time limit or Ctrl-C therefore ends exactly the
program and what it started: SIGTERM first, so that a profiler can close its files, and SIGKILL
after a short grace. There is never a shell in between.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import FrameType
from typing import IO, Optional, Union

from rocm_perf_lab.collect.echo import Echo
from rocm_perf_lab.collect.last_line import LAST_LINE
from rocm_perf_lab.collect.own_input import OWN_INPUT
from rocm_perf_lab.collect.watchdog import group_watched

STDERR_TAIL_BYTES = 8192  # what an error report quotes at most
GRACE_SECONDS = 3.0  # from SIGTERM to SIGKILL
QUESTION_TIMEOUT_S = 30.0  # --version is quick, but network file systems are slow
_DRAIN_SECONDS = 1.0  # a background child may hold a pipe open for ever
_STDERR_FD = 2


class Stdout(Enum):
    """Where the standard output of the program goes."""

    INHERIT = "inherit"
    TO_STDERR = "stderr"  # keeps our own standard output to the result alone
    CAPTURE = "capture"
    DISCARD = "discard"


@dataclass(frozen=True)
class ProcessResult:
    """How a program ended. Exactly one of ``exit_code`` and ``signal`` is set."""

    argv: tuple[str, ...]
    exit_code: Optional[int]
    signal: Optional[int]
    timed_out: bool
    wall_ns: int
    stderr_tail: str
    stdout: bytes = b""  # only with Stdout.CAPTURE

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and not self.timed_out

    @property
    def answer(self) -> str:
        return self.stdout.decode("utf-8", errors="replace")

    @property
    def ending(self) -> str:
        """For people: 'exit code 3', 'signal 11 (SIGSEGV)' or 'stopped at its time limit'."""
        if self.timed_out:
            return "stopped at its time limit"
        if self.signal is None:
            return f"exit code {self.exit_code}"
        return f"signal {self.signal} ({signal_name(self.signal)})"


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unnamed"


def run_process(
    argv: Sequence[str],
    *,
    env: Optional[Mapping[str, str]] = None,
    cwd: Optional[Path] = None,
    timeout_s: Optional[float] = None,
    stdout: Stdout = Stdout.INHERIT,
    echo_stderr: bool = True,
    stdin_closed: bool = False,
    stdin_from: Optional[Path] = None,
    most_stdout: Optional[int] = None,
    most_stderr: int = STDERR_TAIL_BYTES,
    hidden: Optional[re.Pattern[bytes]] = None,
) -> ProcessResult:
    """Run ``argv`` to its end, or to ``timeout_s``. Raises ``OSError`` when it cannot start.

    Standard input is ours, from its beginning for every program (``own_input``), a file
    (``stdin_from``), or empty with ``stdin_closed``. Standard error is passed on as it comes
    (unless ``echo_stderr`` is off) while its last bytes are kept for error reports; lines that
    begin like ``hidden`` are not passed on. On a terminal all lines of the program are marked. Of
    a captured standard output the last ``most_stdout`` bytes are kept, of standard error the last
    ``most_stderr``.
    """
    with contextlib.ExitStack() as inputs, _Interrupts() as interrupts:
        start = time.perf_counter_ns()
        process = subprocess.Popen(
            list(argv),
            env=None if env is None else dict(env),
            cwd=cwd,
            stdin=_stdin(inputs, stdin_closed, stdin_from),
            stdout=_stdout(stdout),
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        said = Echo(hidden) if echo_stderr else None
        tail = _Reader(process.stderr, keep=most_stderr, echo=said)
        if stdout is Stdout.CAPTURE:
            output = _Reader(process.stdout, keep=most_stdout, echo=None)
        else:
            output = _Reader(process.stdout, keep=1, echo=Echo(hidden))
        if process.stdin is not None:
            inputs.callback(OWN_INPUT.feed(process.stdin).close)
        watch = _Watch(process, timeout_s)
        with group_watched(process.pid):
            watch.wait(interrupts)
    code = process.wait()
    written, last_words = output.content(), tail.text()
    LAST_LINE.end_taken()
    return ProcessResult(
        argv=tuple(argv),
        exit_code=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        timed_out=watch.timed_out,
        wall_ns=watch.ended_ns - start,
        stderr_tail=last_words,
        stdout=written if stdout is Stdout.CAPTURE else b"",
    )


def ask_program(
    argv: Sequence[str],
    *,
    env: Optional[Mapping[str, str]] = None,
    timeout_s: float = QUESTION_TIMEOUT_S,
) -> ProcessResult:
    """Run a program for its answer on stdout; the user sees nothing of it."""
    return run_process(
        argv,
        env=env,
        timeout_s=timeout_s,
        stdout=Stdout.CAPTURE,
        echo_stderr=False,
        stdin_closed=True,
    )


def _stdout(where: Stdout) -> Optional[int]:
    """Where a person watches, lines have to be marked, and come through us for that."""
    if where is Stdout.TO_STDERR:
        return subprocess.PIPE if os.isatty(_STDERR_FD) else _STDERR_FD
    return {
        Stdout.INHERIT: None,
        Stdout.CAPTURE: subprocess.PIPE,
        Stdout.DISCARD: subprocess.DEVNULL,
    }[where]


def _stdin(
    inputs: contextlib.ExitStack, closed: bool, path: Optional[Path]
) -> Union[IO[bytes], int, None]:
    if path is not None:
        return inputs.enter_context(path.open("rb"))
    return subprocess.DEVNULL if closed else OWN_INPUT.target()


class _Watch:
    """Waits for the session leader and ends its whole group at the time limit.

    The leader is observed with WNOWAIT and stays a zombie until ``Popen.wait``: as long as that
    is so, its group id cannot be given to strangers, and signalling the group is safe.
    Blocking in waitid (a timer thread holds the limit) also keeps the wall time exact;
    ``Popen.wait(timeout)`` would poll every 50 ms.
    """

    def __init__(self, process: subprocess.Popen[bytes], timeout_s: Optional[float]) -> None:
        self.timed_out = False
        self.ended_ns = 0
        self._process = process
        self._group = process.pid  # start_new_session makes the leader's id the group's
        self._ended = threading.Event()
        self._limit: Optional[threading.Timer] = None
        if timeout_s is not None:
            self._limit = threading.Timer(timeout_s, self._on_limit)
            self._limit.daemon = True
            self._limit.start()

    def wait(self, interrupts: _Interrupts) -> None:
        try:
            interrupts.allow()
            os.waitid(os.P_PID, self._group, os.WEXITED | os.WNOWAIT)
            self.ended_ns = time.perf_counter_ns()
            self._ended.set()
            self._drop_limit()
        except BaseException:
            try:
                self._drop_limit()
            finally:
                self._end_group()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(GRACE_SECONDS)
            raise

    def _drop_limit(self) -> None:
        """From here on nobody but us signals the group, so that the leader may be reaped."""
        if self._limit is not None:
            self._limit.cancel()
            self._limit.join()

    def _on_limit(self) -> None:
        if not self._ended.is_set():
            self.timed_out = True
            self._end_group()

    def _end_group(self) -> None:
        try:
            self._signal_group(signal.SIGTERM)
            deadline = time.monotonic() + GRACE_SECONDS
            while not self._leader_ended() and time.monotonic() < deadline:
                self._ended.wait(0.01)
        finally:  # a second Ctrl-C cuts the grace short
            self._signal_group(signal.SIGKILL)

    def _leader_ended(self) -> bool:
        flags = os.WEXITED | os.WNOWAIT | os.WNOHANG
        return self._ended.is_set() or os.waitid(os.P_PID, self._group, flags) is not None

    def _signal_group(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._group, number)


class _Reader:
    """Reads a pipe in the background; passes it on to our stderr and keeps its end."""

    def __init__(
        self, pipe: Optional[IO[bytes]], *, keep: Optional[int], echo: Optional[Echo]
    ) -> None:
        self._pipe = pipe
        self._keep = keep
        self._echo = echo
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        if pipe is not None:
            self._thread.start()

    def content(self) -> bytes:
        if self._pipe is None:
            return b""
        self._thread.join(_DRAIN_SECONDS)
        data = b"".join(list(self._chunks))
        return data if self._keep is None else data[-self._keep :]

    def text(self) -> str:
        return self.content().decode("utf-8", errors="replace")

    def _read(self) -> None:
        assert self._pipe is not None
        with self._pipe as pipe:
            while True:
                chunk = os.read(pipe.fileno(), 65536)
                self._remember(chunk)
                self._pass_on(chunk)
                if not chunk:
                    return

    def _remember(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._keep is not None and self._size - len(self._chunks[0]) >= self._keep:
            self._size -= len(self._chunks.popleft())

    def _pass_on(self, chunk: bytes) -> None:
        if self._echo is None:
            return
        try:
            if chunk:
                self._echo.pass_on(chunk)
            else:
                self._echo.end()
        except OSError:  # our own stderr is gone; the application must not notice
            self._echo = None


class _Interrupts:
    """Turns Ctrl-C, SIGTERM and SIGHUP into exceptions, but only once somebody can clean up.

    An exception between the birth of the program and the start of the watch would leave it
    running for ever; such a signal is held back until ``allow``. (Blocking the signals instead
    is no way: the program would inherit that.) A signal that somebody handles or ignores, as
    nohup does, stays as it is. Only the main thread ever receives signals.
    """

    def __init__(self) -> None:
        self._allowed = False
        self._pending: Optional[int] = None
        self._previous: dict[int, Callable[[int, Optional[FrameType]], object] | int | None] = {}

    def __enter__(self) -> _Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                    self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_exception: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        if not self._allowed:  # the program could not start
            self.allow()

    def allow(self) -> None:
        self._allowed = True
        if self._pending is not None:
            self._raise(self._pending)

    def _handle(self, number: int, _frame: Optional[FrameType]) -> None:
        if self._allowed:
            self._raise(number)
        self._pending = number

    @staticmethod
    def _raise(number: int) -> None:
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)
