"""How well modelled times stand for recorded ones: size of the error, order, and choice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.truth.table import Row

NEAR, FAR = 1.25, 1.5


@dataclass(frozen=True)
class Pair:
    row: Row
    modelled: float

    @property
    def ratio(self) -> float:
        return self.modelled / self.row.recorded


@dataclass(frozen=True)
class Figures:
    """``choice``: the recorded time of what the model calls fastest, to the fastest recorded; None
    where there is nothing to choose from."""

    count: int
    ratio: float
    near: float
    far: float
    correlation: float | None  # of ranks; of fewer than three rows there is none
    choice: float | None


def within(ratio: float, times: float) -> bool:
    """25 % off is an error of 25 % of the recorded time, as in docs/virtual-device.md."""
    return abs(ratio - 1) <= times - 1


def ranks(values: Sequence[float]) -> list[float]:
    """From 1; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda n: values[n])
    found = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for place in range(first, last + 1):
            found[order[place]] = (first + last) / 2 + 1
        first = last + 1
    return found


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    if len(one) < 3:
        return None
    first, second = ranks(one), ranks(other)
    middle = (len(one) + 1) / 2
    shared = sum((a - middle) * (b - middle) for a, b in zip(first, second))
    spread = sum((a - middle) ** 2 for a in first) * sum((b - middle) ** 2 for b in second)
    return shared / math.sqrt(spread) if spread > 0 else None


def figures_of(pairs: Sequence[Pair]) -> Figures:
    recorded = [pair.row.recorded for pair in pairs]
    chosen = min(pairs, key=lambda pair: pair.modelled)
    return Figures(
        len(pairs),
        median(pair.ratio for pair in pairs),
        sum(within(pair.ratio, NEAR) for pair in pairs) / len(pairs),
        sum(within(pair.ratio, FAR) for pair in pairs) / len(pairs),
        spearman(recorded, [pair.modelled for pair in pairs]),
        chosen.row.recorded / min(recorded) if len(pairs) > 1 else None,
    )
