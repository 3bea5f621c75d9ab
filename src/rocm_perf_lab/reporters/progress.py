"""Progress of long work: what runs, for how long, and for how much longer.

On a terminal that is one line which is overwritten. Elsewhere a step is silent for two seconds;
from then on it is reported in lines of its own, less and less often.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Callable, Optional

from rocm_perf_lab.collect.last_line import LAST_LINE

if TYPE_CHECKING:
    from rocm_perf_lab.collect.rocprof.options import Step

PATIENCE_S = 2.0  # a step that takes longer is told
_TICK_S = 0.25
_RAREST_S = 60.0
_LEAST_SHARE = 0.02  # before that a forecast would be a guess

Share = Callable[[], Optional[float]]


class _Step:
    def __init__(self, what: str, began: float, share: Optional[Share]) -> None:
        self.what = what
        self.began = began
        self.share = share
        self.due_s = PATIENCE_S  # the next line of its own

    def text(self, now: float) -> str:
        elapsed = now - self.began
        text = self.what if elapsed < 1 else f"{self.what}, {elapsed:.0f} s"
        share = self.share() if self.share is not None else None
        if share is None or elapsed < 1 or share < _LEAST_SHARE:
            return text
        left = elapsed * (1 - share) / share
        return f"{text}, about {left:.0f} s left" if left >= 1 else text


class Progress:
    """The step that is under way, told by a thread that looks at the clock."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._step: Optional[_Step] = None
        self._usual: Optional[str] = None
        self._finished = threading.Event()  # of the thread that looks; set: there is none
        self._finished.set()
        self._endings: list[Callable[[], None]] = []

    def doing(self, what: str, share: Optional[Share] = None) -> None:
        """A new step. ``share``: how much of it is done, asked whenever it is told."""
        with self._lock:
            self._step = _Step(what, time.monotonic(), share)
            LAST_LINE.show(what)
            self._watch()

    def now(self, what: str) -> None:
        """Other words for the same step, whose time goes on."""
        with self._lock:
            if self._step is None:
                self.doing(what)
            else:
                self._step.what = what
                LAST_LINE.show(self._step.text(time.monotonic()))

    def done(self) -> None:
        """The step is over; what comes next is as usual until it has a name."""
        with self._lock:
            LAST_LINE.clear()
            usual = self._usual
            self._step = None if usual is None else _Step(usual, time.monotonic(), None)

    @contextlib.contextmanager
    def usually(self, what: str) -> Iterator[None]:
        """While this goes on, steps that nobody names are called ``what``."""
        with self._lock:
            self._usual = what
            self._step = _Step(what, time.monotonic(), None)
            self._watch()
        try:
            yield
        finally:
            self.finish()

    def finish(self) -> None:
        """Nothing more is told: the result comes, or a question."""
        with self._lock:
            self._usual = self._step = None
            LAST_LINE.clear()
            self._finished.set()
            endings, self._endings = self._endings, []
        for end in endings:
            end()

    def at_finish(self, end: Callable[[], None]) -> None:
        """Something else shows progress until then."""
        with self._lock:
            self._endings.append(end)

    def tell(self, now: float) -> None:
        with self._lock:
            step = self._step
            if step is None or now - step.began < 1:
                return
            if LAST_LINE.is_watched():
                LAST_LINE.show(step.text(now))
            elif now - step.began >= step.due_s:
                step.due_s += min(2 * step.due_s, _RAREST_S)
                with contextlib.suppress(OSError, ValueError):
                    print(f"rocm-perf: {step.text(now)}", file=sys.stderr, flush=True)

    def _watch(self) -> None:
        if self._finished.is_set():  # a thread that was told to end may take a moment to
            self._finished = threading.Event()
            threading.Thread(target=self._look, args=(self._finished,), daemon=True).start()

    def _look(self, finished: threading.Event) -> None:
        while not finished.wait(_TICK_S):
            self.tell(time.monotonic())


PROGRESS = Progress()


class BuildProgress:
    """One build of several parts, of which some tell a percentage."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._part: Optional[str] = None
        self._share: Optional[float] = None

    def now(self, state: str) -> None:
        """``configure ...`` or ``libraries 45% ...``"""
        percent = re.search(r" (\d+)%", state)
        self._share = int(percent[1]) / 100 if percent else None
        part = state.partition(" ")[0]
        if part != self._part:
            self._part = part
            PROGRESS.doing(f"{self._what}: {state}", lambda: self._share)
        else:
            PROGRESS.now(f"{self._what}: {state}")


class RunProgress:
    """Tells which run of the application is under way; with ``debug`` also the command lines."""

    def __init__(self, debug: bool) -> None:
        self._debug = debug
        self._taken_s: dict[str, list[float]] = {}

    def started(self, step: Step, command: tuple[str, ...]) -> None:
        if self._debug:
            from rocm_perf_lab.redaction import redacted_words

            print(f"+ {shlex.join(redacted_words(command))}", file=sys.stderr)
        else:
            PROGRESS.doing(_named(step), step.share or self._share(step, time.monotonic()))

    def finished(self, step: Step, wall_ns: int) -> None:
        PROGRESS.done()
        self._taken_s.setdefault(step.label, []).append(wall_ns / 1e9)
        if self._debug:
            print(f"  {step.label} {step.position}: {wall_ns / 1e9:.3f} s", file=sys.stderr)

    def _share(self, step: Step, began: float) -> Optional[Share]:
        """Of all that is still to be run of this kind, by how long those before it took."""
        taken = self._taken_s.get(step.label)
        if not taken:
            return None
        expected = sum(taken) / len(taken) * (step.total - step.position + 1)
        return lambda: (time.monotonic() - began) / expected if expected else None


def _named(step: Step) -> str:
    return step.label if step.total == 1 else f"{step.label} {step.position} of {step.total}"
