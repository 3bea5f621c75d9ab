"""One figure of the calibration: what was published, what the model says, how far apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.calibrate.limits import LIMITS, NEEDS_A_REASON, Group, Kind, limit_text


@dataclass(frozen=True)
class Published:
    """A figure, or the range that several sources span."""

    low: float
    high: float
    source: str

    def __str__(self) -> str:
        low = text_of(self.low)
        return low if self.low == self.high else f"{low} to {text_of(self.high)}"


def figure(value: float, source: str) -> Published:
    return Published(value, value, source)


@dataclass(frozen=True)
class Quantity:
    name: str
    unit: str
    published: Published
    modelled: float
    group: Group
    kind: Kind
    note: str = ""
    reason: str = ""  # why it is off; shown when it is off by more than NEEDS_A_REASON
    counts_as: str = ""  # figures that are equal by construction share it and count once

    def __post_init__(self) -> None:
        if (self.group, self.kind) not in LIMITS:
            raise ValueError(f"{self.name}: no limit for a {self.kind.value}, {self.group.value}")

    @property
    def error(self) -> float:
        """Relative to the nearest published value; 0 inside the published range."""
        nearest = min(max(self.modelled, self.published.low), self.published.high)
        if nearest == 0:
            return 0.0 if self.modelled == 0 else float("inf")
        return (self.modelled - nearest) / nearest

    @property
    def limit(self) -> float:
        return LIMITS[self.group, self.kind]

    @property
    def holds(self) -> bool:
        return abs(self.error) <= self.limit

    @property
    def needs_a_reason(self) -> bool:
        return not self.holds and abs(self.error) > NEEDS_A_REASON

    @property
    def title(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def cells(self) -> list[str]:
        return [
            self.title,
            str(self.published),
            text_of(self.modelled),
            f"{self.error * 100:+.1f} %",
            self.group.value,
            self.kind.value,
            limit_text(self.limit),
            "ok" if self.holds else "MISS",
        ]


@dataclass(frozen=True)
class Section:
    title: str
    text: str  # how it was measured, and what differs and why
    quantities: Sequence[Quantity]


@dataclass(frozen=True)
class Score:
    held: int
    counted: int

    def __str__(self) -> str:
        return f"{self.held} of {self.counted}"


def score(quantities: Iterable[Quantity]) -> Score:
    """Figures that are equal by construction are one, which holds when each of them does."""
    verdicts: dict[str, bool] = {}
    for quantity in quantities:
        key = quantity.counts_as or quantity.name
        verdicts[key] = verdicts.get(key, True) and quantity.holds
    return Score(sum(verdicts.values()), len(verdicts))


def text_of(value: float) -> str:
    """Whole numbers as they are, others with four significant digits."""
    return f"{value:.0f}" if value == int(value) else f"{value:.4g}"
