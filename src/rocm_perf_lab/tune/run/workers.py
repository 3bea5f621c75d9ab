"""Who measures: this process, a process per GPU, or the workers of a cluster.

Questions have numbers. Answers come in any order, each once.
"""

from __future__ import annotations

from collections import deque
from typing import Optional, Protocol

from rocm_perf_lab.tune.measurement import Configuration, Evaluator, Measurement

MOST_LOST = 3  # workers that may end while they measure one configuration


class Workers(Protocol):
    def start(self, number: int, configuration: Configuration, best: Optional[float]) -> None: ...

    def next_done(self) -> tuple[int, Measurement]:
        """Waits for one that was started; only called while there is one."""
        ...


class Here:
    """One after the other, when the answer is wanted."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._waiting: deque[tuple[int, Configuration, Optional[float]]] = deque()

    def start(self, number: int, configuration: Configuration, best: Optional[float]) -> None:
        self._waiting.append((number, configuration, best))

    def next_done(self) -> tuple[int, Measurement]:
        number, configuration, best = self._waiting.popleft()
        return number, self._evaluator.measure(configuration, best)


def lost(configuration: Configuration) -> Measurement:
    """Of a configuration that took its worker down each time it was tried."""
    return Measurement(
        configuration, "failed", reason="its worker ended every time it was measured"
    )
