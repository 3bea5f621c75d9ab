"""One piece of advice: when it applies, what it says, and how much it could gain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Callable, Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import Condition

Figures = Mapping[str, Union[float, str]]
Bound = Callable[[Figures], Optional[float]]  # times faster at most; None: nobody knows

SEEN = 1.1  # of a loss that was counted itself, before what such changes mostly do
EASIER = 1.25  # as much more may another change gain that rewrites a kernel, and come second
# Rounds that are filled are not nearly unfilled, and lanes that are on are not nearly off.
_EXACT = frozenset({"round_fill", "workgroups_per_cu", "rounds", "lanes_of_filled"})
_EASE_OF_LITTLE = 1.5  # times the gain: of twice as fast and more the ease counts in full


@dataclass(frozen=True)
class Row:
    """Texts are filled with figures; a row whose text needs an unknown one is left out.

    ``mend`` names what would be changed: rows of one mend are the same advice in other words.
    """

    mend: str
    what: str
    why: str
    conditions: tuple[Condition, ...] = ()
    bound: Optional[Bound] = None  # without one it is no change, but a next step
    limiter: Optional[str] = None  # of the occupancy
    expected: Optional[Bound] = None  # what it will probably gain; without one: its bound
    # Of two equals the easier and the surer comes first: above 1 where no kernel is rewritten, or
    # where the cause itself was counted.
    ease: float = 1.0


@dataclass(frozen=True)
class Advice:
    mend: str
    what: str
    why: str
    kernel_gain: Optional[float]  # times faster at most; None where it is about no kernel
    gain: Optional[float]  # the same end to end
    expected: Optional[float] = None  # what it will probably gain end to end; never above ``gain``
    ease: float = 1.0

    @property
    def order(self) -> float:
        """What gains next to nothing is no better for being easy."""
        gain = self.expected or 0.0
        return -min(gain * self.ease, max(gain, 1.0 + (gain - 1.0) * _EASE_OF_LITTLE))


def number(figures: Figures, name: str) -> Optional[float]:
    value = figures.get(name)
    return float(value) if isinstance(value, (int, float)) else None


def applies(row: Row, figures: Figures, limiter: Optional[str], *, near: float = 1.0) -> bool:
    """Where all of its numbers are so near to their thresholds, 1: where all hold."""
    if row.limiter not in (None, limiter):
        return False
    values = [(condition, number(figures, condition.metric)) for condition in row.conditions]
    return all(
        value is not None
        and condition.nearness(value) >= (1.0 if condition.metric in _EXACT else near)
        for condition, value in values
    )


def filled(row: Row, figures: Figures) -> Optional[tuple[str, str]]:
    """What it says and why; None where a number of the text is not known."""
    try:
        return row.what.format(**figures), row.why.format(**figures)
    except KeyError:
        return None
