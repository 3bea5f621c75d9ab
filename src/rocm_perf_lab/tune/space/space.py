"""All configurations that can be tried, without a list of them.

A configuration is a row of codes, one per parameter: the place of its value in the list. A space is
a product of parameters under conditions, or an explicit list of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.space.condition import Condition
from rocm_perf_lab.tune.space.parameter import Parameter, Value

Codes = npt.NDArray[np.int32]

_CHUNK = 1 << 18  # rows looked at together: a few MB
_COUNTED = 50_000_000  # more combinations are estimated, not counted
_ESTIMATE = 1 << 18  # draws of an estimate


@dataclass(frozen=True)
class Space:
    parameters: tuple[Parameter, ...]
    conditions: tuple[Condition, ...] = ()
    rows: Optional[Codes] = field(default=None, repr=False, compare=False)  # of an explicit list

    def __post_init__(self) -> None:
        if not self.parameters:
            raise UsageError("the space has no parameters", "give at least one with two values")
        names = [parameter.name for parameter in self.parameters]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise UsageError(f"parameter {twice} is there twice", "rename one of them")

    @cached_property
    def combinations(self) -> int:
        """Of all values, conditions or not."""
        return math.prod(len(parameter.values) for parameter in self.parameters)

    @cached_property
    def size(self) -> int:
        """Configurations that meet the conditions; exact unless ``size_is_estimate``."""
        if self.rows is not None:
            return len(self.rows)
        bound = self._bound
        looked_at = math.prod(len(self.parameters[place].values) for place in bound)
        free = self.combinations // looked_at
        if not self.size_is_estimate:
            return free * sum(int(self.allows(chunk).sum()) for chunk in self._chunks(bound))
        draws = self._draws(np.random.default_rng(0), _ESTIMATE)
        return max(1, round(self.combinations * float(self.allows(draws).mean())))

    @property
    def size_is_estimate(self) -> bool:
        looked_at = math.prod(len(self.parameters[place].values) for place in self._bound)
        return self.rows is None and looked_at > _COUNTED

    def allows(self, codes: Codes) -> npt.NDArray[np.bool_]:
        """Which rows meet all conditions."""
        met = np.ones(len(codes), dtype=bool)
        for condition in self.conditions:
            columns = {
                parameter.name: parameter.column[codes[:, place]]
                for place, parameter in enumerate(self.parameters)
                if parameter.name in condition.names
            }
            met &= condition(columns)
        return met

    def all_rows(self) -> Codes:
        """Every configuration; only for spaces that fit into memory, which callers look up."""
        if self.rows is not None:
            return self.rows
        found = [chunk[self.allows(chunk)] for chunk in self._chunks(range(len(self.parameters)))]
        return np.concatenate(found) if found else np.empty((0, len(self.parameters)), np.int32)

    def sample(self, rng: np.random.Generator, count: int) -> Codes:
        """Different configurations, each as likely as any other; fewer when there are not many."""
        if self.rows is not None:
            return self.rows[rng.permutation(len(self.rows))[:count]]
        found: dict[bytes, Any] = {}
        for _ in range(64):
            draws = self._draws(rng, max(1024, 4 * count))
            for row in draws[self.allows(draws)]:
                found.setdefault(row.tobytes(), row)
                if len(found) == count:
                    break
            if len(found) == count:
                break
        empty = np.empty((0, len(self.parameters)), np.int32)
        return np.array(list(found.values()), np.int32) if found else empty

    def neighbours(self, row: Codes) -> Codes:
        """Configurations that differ in one parameter."""
        if self.rows is not None:
            near: Codes = self.rows[(self.rows != row).sum(axis=1) == 1]
            return near
        found = []
        for place, parameter in enumerate(self.parameters):
            changed = np.repeat(row[None, :], len(parameter.values), axis=0)
            changed[:, place] = np.arange(len(parameter.values))
            found.append(changed[changed[:, place] != row[place]])
        rows = np.concatenate(found)
        allowed: Codes = rows[self.allows(rows)]
        return allowed

    def configuration(self, row: Codes) -> dict[str, Value]:
        return {p.name: p.values[int(code)] for p, code in zip(self.parameters, row)}

    def row_of(self, configuration: Mapping[str, Value]) -> Codes:
        """Raises where a parameter is missing, unknown, or has a value that is not in its list."""
        unknown = sorted(set(configuration) - {p.name for p in self.parameters})
        if unknown:
            raise UsageError(f"{unknown[0]} is not a parameter of the space")
        missing = [p.name for p in self.parameters if p.name not in configuration]
        if missing:
            raise UsageError(f"a configuration without {missing[0]}")
        codes = [p.code_of(configuration[p.name]) for p in self.parameters]
        return np.array(codes, np.int32)

    @cached_property
    def default(self) -> Optional[Codes]:
        """The configuration of all defaults, when the conditions allow it."""
        row = self.row_of({p.name: p.default for p in self.parameters})
        if self.rows is not None:
            return row if (self.rows == row).all(axis=1).any() else None
        return row if self.allows(row[None, :])[0] else None

    @cached_property
    def _bound(self) -> tuple[int, ...]:
        """Places of the parameters that conditions speak of."""
        spoken_of = frozenset().union(*(condition.names for condition in self.conditions))
        return tuple(i for i, p in enumerate(self.parameters) if p.name in spoken_of)

    def _draws(self, rng: np.random.Generator, count: int) -> Codes:
        columns = [rng.integers(0, len(p.values), count) for p in self.parameters]
        return np.ascontiguousarray(np.array(columns, np.int32).T)

    def _chunks(self, places: Sequence[int]) -> Iterator[Codes]:
        """All combinations of these parameters, the others at their first value."""
        counts = [len(self.parameters[place].values) for place in places]
        total = math.prod(counts)
        for start in range(0, total, _CHUNK):
            number = np.arange(start, min(total, start + _CHUNK))
            codes = np.zeros((len(number), len(self.parameters)), np.int32)
            for place, count in zip(reversed(places), reversed(counts)):
                number, codes[:, place] = np.divmod(number, count)
            yield codes
