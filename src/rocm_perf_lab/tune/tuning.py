"""One tuning: ask the search, measure, write it down, tell the search; until the budget is used.

Some questions may be under way at a time. How many is said by the request and not by how many
workers there are: a question is asked when all but so many before it are answered, in their order,
so that the same request asks the same questions wherever it is measured.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional, Protocol

from threadpoolctl import threadpool_limits

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.journal import Journal
from rocm_perf_lab.tune.measurement import Evaluator, Measurement
from rocm_perf_lab.tune.run.in_order import InOrder
from rocm_perf_lab.tune.run.workers import Here, Workers
from rocm_perf_lab.tune.search.features import StaticFeatures
from rocm_perf_lab.tune.search.quality import ModelQuality, model_quality
from rocm_perf_lab.tune.search.search import Search, SearchOptions
from rocm_perf_lab.tune.space import Codes, Space

DEFAULT_FRACTION = 0.2


class TuningProgress(Protocol):
    def measured(
        self, number: int, budget: int, last: Measurement, best: Optional[float]
    ) -> None: ...

    def compiling(self, number: int, count: int) -> None: ...

    def looking(self, kernel: str) -> None: ...

    def judging(self, block: int, most: int) -> None: ...


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

    @property
    def machines(self) -> Mapping[str, int]:
        """What the times were measured on, and how many on each."""
        return dict(Counter(one.machine for one in self.measurements if one.machine))

    @property
    def default(self) -> Optional[Measurement]:
        """What the user has today: the configuration of all defaults, when it was measured."""
        row = self.space.default
        if row is None:
            return None
        wanted = self.space.configuration(row)
        found = (one for one in self.measurements if dict(one.configuration) == wanted)
        return next((one for one in found if one.value is not None), None)

    @property
    def pareto(self) -> tuple[Measurement, ...]:
        """Those that no other one beats in both objectives, the fastest first."""
        both = [one for one in self.measurements if one.value is not None and one.second]
        found: list[Measurement] = []
        for one in sorted(both, key=lambda one: (one.value or 0.0, one.second or 0.0)):
            if not found or (one.second or 0.0) < (found[-1].second or 0.0):
                found.append(one)
        return tuple(found)


@dataclass
class Tuner:
    """``evaluator`` measures here, one after the other, unless there are ``workers``. ``first`` is
    measured before the search chooses by itself."""

    space: Space
    evaluator: Evaluator
    journal: Journal
    budget: int
    options: SearchOptions = field(default_factory=SearchOptions)
    progress: Optional[TuningProgress] = None
    workers: Optional[Workers] = None
    ahead: int = 1  # questions under way at a time
    first: Sequence[Codes] = ()
    static: Optional[StaticFeatures] = None  # beside the parameters

    def run(self) -> Tuning:
        """The default configuration is the first one: the others are compared with it.

        Algebra on one thread: small matrices gain nothing from more, and sums in one order make
        the same seed give the same questions on every machine with the same libraries."""
        with threadpool_limits(1):
            return self._run()

    def _run(self) -> Tuning:
        default = self.space.default
        first = [*([] if default is None else [default]), *self.first]
        search = Search(self.space, self.budget, self.options, first, self.static)
        answers = InOrder(self.workers or Here(self.evaluator), self.journal)
        rows: list[Codes] = []
        found: list[Measurement] = []
        under_way: deque[Codes] = deque()
        best: Optional[float] = None
        while True:
            while len(under_way) < self.ahead and (asked := search.ask()):
                answers.ask(search.asked, self.space.configuration(asked[0]), best)
                under_way.append(asked[0])
            if not under_way:
                break
            row = under_way.popleft()
            measurement = answers.answer(len(found) + 1)
            search.tell(row, _to_make_small(measurement))
            rows.append(row)
            found.append(measurement)
            if measurement.value is not None and (best is None or measurement.value < best):
                best = measurement.value
            if self.progress is not None:
                self.progress.measured(len(found), search.budget, measurement, best)
        good = [(row, one.value) for row, one in zip(rows, found) if one.value is not None]
        quality = model_quality(self.space, [row for row, _ in good], [value for _, value in good])
        return Tuning(
            self.space, search.budget, tuple(found), quality, answers.resumed, search.pruned
        )


def _to_make_small(measurement: Measurement) -> Optional[float]:
    """Of two objectives the geometric mean: a search between both ends."""
    if measurement.value is None or measurement.second is None:
        return measurement.value
    return math.sqrt(measurement.value * measurement.second)


def budget_of(words: Optional[str], size: int) -> int:
    """``--budget``: a number of configurations, a fraction (0.1) or a percentage (10%)."""
    wrong = UsageError(
        f"--budget {words} is not a number, fraction or percentage", "such as 40 or 10%"
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
