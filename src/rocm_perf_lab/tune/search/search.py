"""The search: a spread of first configurations, then always the one that promises most.

``ask`` names configurations to measure, ``tell`` says what came of them. The same seed and the same
answers give the same questions, so that a journal is all that is needed to go on. Nothing is asked
twice, and never more than the budget.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.tune.search.chance import Chance
from rocm_perf_lab.tune.search.features import FeatureMap, StaticFeatures
from rocm_perf_lab.tune.search.outlook import Outlook, told_apart
from rocm_perf_lab.tune.search.surrogate import Surrogate
from rocm_perf_lab.tune.space import Codes, Space

Vector = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

ALL = 20_000  # candidates that are all looked at
_POOL = 4_000  # drawn from larger spaces
_SPREAD_POOL = 600  # from which the first configurations are chosen


@dataclass(frozen=True)
class SearchOptions:
    seed: int = 0
    seed_fraction: float = 0.2  # of the budget, for the first spread
    least_seeds: int = 10
    most_seeds: int = 16
    step_every: int = 2  # questions of which one is a step from the best
    step_part: float = 0.3  # of the largest promise: a step that promises less is not made
    prune_factor: Optional[float] = None  # expected beyond this times the best: never measured

    def seeds(self, budget: int) -> int:
        wanted = max(self.least_seeds, math.ceil(self.seed_fraction * budget))
        return max(1, min(budget, self.most_seeds, wanted))


class Search:
    """Ask, measure, tell. ``value`` is what to make small; None says that it failed."""

    def __init__(
        self,
        space: Space,
        budget: int,
        options: SearchOptions = SearchOptions(),
        first: Sequence[Codes] = (),
        static: Optional[StaticFeatures] = None,
    ) -> None:
        self.space = space
        self.budget = min(budget, space.size)
        self.options = options
        self._rng = np.random.default_rng(options.seed)
        self._static = static
        self._map = FeatureMap(space.parameters, static)
        self._asked: list[Codes] = []
        self._under_way: list[Codes] = []  # asked, not told yet
        self._known: set[bytes] = set()
        self._told: list[tuple[Codes, Optional[float]]] = []
        self._surrogate, self._chance = Surrogate(), Chance()
        self._waiting = [row for row in first if self._mark(row)][: self.budget]
        self._look_at(self._first_candidates())
        self._waiting += self._spread(options.seeds(self.budget) - len(self._waiting))
        self.pruned = 0

    def ask(self, count: int = 1) -> list[Codes]:
        """The next ones; fewer at the end of the budget or of the space, and none behind it."""
        found: list[Codes] = []
        while len(found) < count and len(self._asked) < self.budget:
            row = self._waiting.pop(0) if self._waiting else self._most_promising(self._under_way)
            if row is None:
                break
            self._asked.append(row)
            self._under_way.append(row)
            found.append(row)
        return found

    def tell(self, row: Codes, value: Optional[float]) -> None:
        if value is not None and not (math.isfinite(value) and value > 0):
            raise ValueError(f"{value} is not a run time")
        self._told.append((row, value))
        self._under_way = [one for one in self._under_way if not np.array_equal(one, row)]

    @property
    def asked(self) -> int:
        return len(self._asked)

    @property
    def in_seed_phase(self) -> bool:
        return bool(self._waiting)

    def _mark(self, row: Codes) -> bool:
        """Whether it is new."""
        key = np.ascontiguousarray(row).tobytes()
        if key in self._known:
            return False
        self._known.add(key)
        return True

    def _look_at(self, candidates: Codes) -> None:
        self._candidates = candidates
        self._features = self._map(candidates)
        self._open = np.array([row.tobytes() not in self._known for row in candidates], bool)
        self._surrogate = self._surrogate.at(self._features)
        self._chance = self._chance.at(self._features)

    def _take(self, index: int) -> Codes:
        row: Codes = self._candidates[index]
        self._mark(row)
        self._open[index] = False
        return row

    def _first_candidates(self) -> Codes:
        if self.space.size <= ALL:
            rows = self.space.all_rows()
            return rows if self._static is None else rows[self._static.allows(rows)]
        return self.space.sample(self._rng, _POOL)

    def _spread(self, count: int) -> list[Codes]:
        """Each as far from the others as can be, starting anywhere."""
        if count < 1 or not len(self._candidates):
            return []
        some = self._rng.permutation(len(self._candidates))[:_SPREAD_POOL]
        features = self._features[some]
        chosen = [0]
        distance = np.abs(features - features[0]).sum(axis=1)
        while len(chosen) < min(count, len(some)):
            chosen.append(int(np.argmax(distance)))
            distance = np.minimum(distance, np.abs(features - features[chosen[-1]]).sum(axis=1))
        return [self._take(int(index)) for index in some[chosen] if self._open[index]]

    def _most_promising(self, believed: Sequence[Codes]) -> Optional[Codes]:
        good = [(row, value) for row, value in self._told if value is not None]
        self._refresh(good)
        open_ones = np.flatnonzero(self._open)
        if not len(open_ones):
            return None
        if len(good) < 3:  # nothing to learn from yet
            choice = int(self._rng.choice(open_ones))
        else:
            outlook = self._outlook(good, believed)
            open_ones = self._worth_asking(outlook, open_ones, good)
            if not len(open_ones):
                return None
            choice = self._choice(outlook, open_ones, good)
        return self._take(choice)

    def _choice(
        self, outlook: Outlook, open_ones: Indices, good: Sequence[tuple[Codes, float]]
    ) -> int:
        """Every few questions one step from the best so far: a model is blind to differences that
        are smaller than the noise it believes in. But in a small space the good steps are soon
        made, and the others would use up the budget."""
        best, least = min(good, key=lambda entry: entry[1])
        promise = outlook.promise(math.log(least))
        most = int(open_ones[np.argmax(promise[open_ones])])
        if self.asked % self.options.step_every:
            return most
        near = open_ones[(self._candidates[open_ones] != best).sum(axis=1) == 1]
        step = int(near[np.argmax(promise[near])]) if len(near) else most
        return step if promise[step] >= self.options.step_part * promise[most] else most

    def _worth_asking(
        self, outlook: Outlook, open_ones: Indices, good: Sequence[tuple[Codes, float]]
    ) -> Indices:
        """Without those that are expected to be slower than the factor to prune by."""
        if self.options.prune_factor is None:
            return open_ones
        least = min(value for _, value in good)
        hopeless = outlook.hopeless(math.log(least * self.options.prune_factor))
        self.pruned = int(hopeless.sum())
        return open_ones[~hopeless[open_ones]]

    def _refresh(self, good: Sequence[tuple[Codes, float]]) -> None:
        """Of a large space, other candidates as the search goes on: neighbours of the best ones."""
        if self.space.size <= ALL or not good or len(self._told) % 4:
            return
        best = sorted(good, key=lambda entry: entry[1])[:5]
        near = [self.space.neighbours(row) for row, _ in best]
        drawn = self.space.sample(self._rng, _POOL // 2)
        self._look_at(np.unique(np.concatenate([*near, drawn]), axis=0))

    def _outlook(self, good: Sequence[tuple[Codes, float]], believed: Sequence[Codes]) -> Outlook:
        features = self._map(np.array([row for row, _ in good]))
        values = np.log(np.array([value for _, value in good]))
        # What is to be pruned must be seen to be slower than the limit.
        limit = float(values.min()) + 2 * math.log(self.options.prune_factor or 1)
        mean, deviation = self._surrogate.predict(features, told_apart(values, limit))
        works = self._works()
        for row in believed:  # asked together: near ones would tell the same
            near = self._surrogate.similarity(self._map(row[None, :]))[0]
            works = works * (1 - np.minimum(near, 1))
        return Outlook(mean, deviation, works)

    def _works(self) -> Vector:
        """How likely each candidate runs at all."""
        rows = np.array([row for row, _ in self._told])
        worked = np.array([value is not None for _, value in self._told])
        return self._chance(self._map(rows), worked)
