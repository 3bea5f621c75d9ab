"""A live view of a long search, on a terminal. Without the library rich there are plain lines.

The view is drawn on standard error and gone when the result comes; the outcome of each attempt
stays above it.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Optional

from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.decisions.optimize import SearchProgress
from rocm_perf_lab.reporters.decisions.tuning import TuningLine
from rocm_perf_lab.reporters.progress import PROGRESS

if TYPE_CHECKING:
    from rich.console import RenderableType

    from rocm_perf_lab.optimize.attempt import Attempt
    from rocm_perf_lab.optimize.request import Listener
    from rocm_perf_lab.tune.measurement import Measurement
    from rocm_perf_lab.tune.tuning import TuningProgress

_TONES: Mapping[str, str] = {"accept": "green", "reject": "red"}
_LAST = 5  # measurements that are shown


def search_listener() -> Listener:
    return LiveSearch() if _has_live_view() else SearchProgress()


def tuning_listener() -> TuningProgress:
    return LiveTuning() if _has_live_view() else TuningLine()


def _has_live_view() -> bool:
    watched = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return watched and importlib.util.find_spec("rich") is not None


class _View(ABC):
    """Begins with the first thing that is told, and ends before anything else is printed."""

    def __init__(self) -> None:
        from rich.console import Console

        self._began = time.monotonic()
        self._console = Console(stderr=True, highlight=False)
        self._is_shown = False

    @abstractmethod
    def view(self) -> RenderableType:
        """What is to be seen now; asked again and again."""

    def tell(self) -> None:
        if self._is_shown:
            return
        from rich.live import Live

        live = Live(
            get_renderable=self.view, console=self._console, transient=True, refresh_per_second=4
        )
        PROGRESS.finish()  # the last line of the terminal belongs to the view now
        PROGRESS.at_finish(live.stop)
        live.start()
        self._is_shown = True

    def elapsed(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        return f"{minutes}:{seconds:02}"


class LiveSearch(_View):
    """What an optimizer does: the step, how long it takes, the outcome of the attempts."""

    def __init__(self) -> None:
        super().__init__()
        self._now, self._since = "beginning", time.monotonic()
        self._verdicts: Counter[str] = Counter()
        self._best: Optional[float] = None

    def doing(self, what: str) -> None:
        if what:
            self._now, self._since = tt.ascii_only(what), time.monotonic()
            self.tell()

    def attempted(self, attempt: Attempt) -> None:
        from rich.text import Text

        self.tell()
        self._verdicts[attempt.verdict.replace("_", " ")] += 1
        if attempt.accepted and attempt.speedup is not None:
            self._best = max(self._best or 0.0, attempt.speedup)
        line = Text(f"{self.elapsed():>6}  ")
        line.append(f"{attempt.verdict:12} ", _TONES.get(attempt.verdict, "yellow"))
        line.append(tt.ascii_only(f"{attempt.stage.value:10} {attempt.proposal}: {attempt.reason}"))
        self._console.print(line, no_wrap=True, overflow="ellipsis")

    def view(self) -> RenderableType:
        from rich.console import Group
        from rich.spinner import Spinner
        from rich.text import Text

        counts = ", ".join(f"{count} {verdict}" for verdict, count in self._verdicts.items())
        best = "" if self._best is None else f"; best {self._best:.3f}x"
        seconds = time.monotonic() - self._since
        attempts = f"{sum(self._verdicts.values())} attempts" + (f": {counts}" if counts else "")
        return Group(
            Text(f"optimize {self.elapsed()}  {attempts}{best}", no_wrap=True, overflow="ellipsis"),
            Spinner("line", Text(f"{self._now}, {seconds:.0f} s", overflow="ellipsis")),
        )


class LiveTuning(_View):
    """What a tuning does: how far it is, the best so far, the last measurements."""

    def __init__(self) -> None:
        super().__init__()
        self._stage, self._done, self._all = "beginning", 0, 1
        self._best: Optional[float] = None
        self._last: deque[str] = deque(maxlen=_LAST)
        self._since = time.monotonic()

    def measured(self, number: int, budget: int, last: Measurement, best: Optional[float]) -> None:
        self._best = best
        values = " ".join(f"{name}={value}" for name, value in last.configuration.items())
        result = last.status if last.value is None else f"{last.value:.6g}"
        self._last.append(tt.ascii_only(f"{number:>5}  {result:>12}  {values}"))
        self._at("measuring configurations", number, budget)

    def compiling(self, number: int, count: int) -> None:
        self._at("compiling", number - 1, count)

    def looking(self, kernel: str) -> None:
        self._at(f"configurations of {tt.ascii_only(kernel)}, compiling them", 0, 1)

    def judging(self, block: int, most: int) -> None:
        self._at("the best against the default, blocks", block - 1, most)

    def _at(self, stage: str, done: int, of_all: int) -> None:
        if stage != self._stage:
            self._stage, self._since = stage, time.monotonic()
        self._done, self._all = done, of_all
        self.tell()

    def view(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        best = "none yet" if self._best is None else f"{self._best:.6g}"
        heading = f"autotune {self.elapsed()}  {self._stage}: {self._done} of {self._all}"
        lines = [Text(line, no_wrap=True, overflow="ellipsis") for line in self._last]
        return Group(
            *lines,
            Text(f"{heading}{self._left()}; best so far {best}", no_wrap=True, overflow="ellipsis"),
            ProgressBar(total=self._all, completed=self._done),
        )

    def _left(self) -> str:
        if self._done == 0:
            return ""
        seconds = (time.monotonic() - self._since) / self._done * (self._all - self._done)
        return f", about {seconds:.0f} s left"
