"""Answers in the order of the questions, whatever order they arrive in.

Each goes to the journal the moment it arrives. The search hears of them in the order in which it
asked, so that what it asks next does not depend on who was quick.
"""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.tune.journal import Journal, key_of
from rocm_perf_lab.tune.measurement import Configuration, Measurement
from rocm_perf_lab.tune.run.workers import Workers


class InOrder:
    def __init__(self, workers: Workers, journal: Journal) -> None:
        self._workers = workers
        self._journal = journal
        self._done: dict[int, Measurement] = {}
        self.resumed = 0  # answered by the journal

    def ask(self, number: int, configuration: Configuration, best: Optional[float]) -> None:
        known = self._journal.known.get(key_of(configuration))
        if known is None:
            self._workers.start(number, configuration, best)
        else:
            self._done[number] = known
            self.resumed += 1

    def answer(self, number: int) -> Measurement:
        while number not in self._done:
            found, measurement = self._workers.next_done()
            self._journal.add(measurement)
            self._done[found] = measurement
        return self._done.pop(number)
