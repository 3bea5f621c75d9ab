"""One figure of the calibration: what was published, what the model says, how far apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

EXACT = 0.0


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
    allowed: Optional[float]  # relative error; None: shown, not judged
    note: str = ""

    @property
    def error(self) -> float:
        """Relative to the nearest published value; 0 inside the published range."""
        nearest = min(max(self.modelled, self.published.low), self.published.high)
        if nearest == 0:
            return 0.0 if self.modelled == 0 else float("inf")
        return (self.modelled - nearest) / nearest

    @property
    def holds(self) -> bool:
        return self.allowed is None or abs(self.error) <= self.allowed

    @property
    def verdict(self) -> str:
        if self.allowed is None:
            return "not judged"
        return "ok" if self.holds else "MISS"

    @property
    def allowed_text(self) -> str:
        if self.allowed is None:
            return "-"
        return "exact" if self.allowed == EXACT else f"{self.allowed * 100:g} %"

    def cells(self) -> list[str]:
        return [
            f"{self.name} ({self.unit})" if self.unit else self.name,
            str(self.published),
            text_of(self.modelled),
            f"{self.error * 100:+.1f} %",
            self.allowed_text,
            self.verdict,
        ]


@dataclass(frozen=True)
class Section:
    title: str
    text: str  # how it was measured, and what differs and why
    quantities: Sequence[Quantity]

    @property
    def missed(self) -> int:
        return sum(not quantity.holds for quantity in self.quantities)


def text_of(value: float) -> str:
    """Whole numbers as they are, others with four significant digits."""
    return f"{value:.0f}" if value == int(value) else f"{value:.4g}"
