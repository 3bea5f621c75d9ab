"""One tuning: ask the search, measure, write it down, tell the search; until the budget is used."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Optional, Protocol

from threadpoolctl import threadpool_limits

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.journal import Journal, key_of
from rocm_perf_lab.tune.measurement import Evaluator, Measurement
from rocm_perf_lab.tune.search.quality import ModelQuality, model_quality
from rocm_perf_lab.tune.search.search import Search, SearchOptions
from rocm_perf_lab.tune.space import Codes, Space

DEFAULT_FRACTION = 0.2


class TuningProgress(Protocol):
    def measured(
        self, number: int, budget: int, last: Measurement, best: Optional[float]
    ) -> None: ...


@dataclass(frozen=True)
class Tuning:
    """``measurements`` in the order in which they were asked for."""

    space: Space
    budget: int
    measurements: tuple[Measurement, ...]
    quality: ModelQuality
    resumed: int = 0  # answered by the journal
    pruned: int = 0  # expected too slow to be measured, at the end

    @property
    def best(self) -> Optional[Measurement]:
        good = [one for one in self.measurements if one.value is not None]
        return min(good, key=lambda one: one.value or math.inf, default=None)


@dataclass
class Tuner:
    space: Space
    evaluator: Evaluator
    journal: Journal
    budget: int
    options: SearchOptions = field(default_factory=SearchOptions)
    progress: Optional[TuningProgress] = None

    def run(self) -> Tuning:
        """The default configuration is the first one: the others are compared with it.

        Algebra on one thread: small matrices gain nothing from more, and sums in one order make
        the same seed give the same questions on every machine with the same libraries."""
        with threadpool_limits(1):
            return self._run()

    def _run(self) -> Tuning:
        default = self.space.default
        search = Search(self.space, self.budget, self.options, [] if default is None else [default])
        rows: list[Codes] = []
        found: list[Measurement] = []
        resumed, best = 0, None
        while True:
            asked = search.ask()
            if not asked:
                break
            measurement, was_known = self._measure(asked[0], best)
            resumed += was_known
            search.tell(asked[0], measurement.value)
            rows.append(asked[0])
            found.append(measurement)
            if measurement.value is not None and (best is None or measurement.value < best):
                best = measurement.value
            if self.progress is not None:
                self.progress.measured(len(found), search.budget, measurement, best)
        good = [(row, one.value) for row, one in zip(rows, found) if one.value is not None]
        quality = model_quality(self.space, [row for row, _ in good], [value for _, value in good])
        return Tuning(self.space, search.budget, tuple(found), quality, resumed, search.pruned)

    def _measure(self, row: Codes, best: Optional[float]) -> tuple[Measurement, bool]:
        configuration = self.space.configuration(row)
        known = self.journal.known.get(key_of(configuration))
        if known is not None:
            return known, True
        measurement = self.evaluator.measure(configuration, best)
        self.journal.add(measurement)
        return measurement, False


def budget_of(words: Optional[str], size: int) -> int:
    """``--budget``: a number of configurations, a fraction (0.1) or a percentage (10%)."""
    wrong = UsageError(
        f"--budget {words} is no number, fraction or percentage", "such as 40 or 10%"
    )
    if words is None:
        part = DEFAULT_FRACTION
    else:
        try:
            number = float(words.rstrip("%")) / (100 if words.endswith("%") else 1)
        except ValueError:
            raise wrong from None
        if not math.isfinite(number) or number <= 0:
            raise wrong
        is_count = number >= 1 and not words.endswith("%")
        if is_count and number != int(number):
            raise wrong
        if is_count:
            return _below(int(number), size)
        part = number
    return _below(max(1, math.floor(part * size)), size)


def _below(budget: int, size: int) -> int:
    """Never the full space: with one configuration there is nothing to tune."""
    if size < 2:
        raise UsageError("the space has one configuration: there is nothing to tune")
    return min(budget, size - 1)
