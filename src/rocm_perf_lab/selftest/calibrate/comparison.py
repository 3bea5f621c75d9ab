"""The rows of both sides beside each other, and how near they are by kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Optional

NEAR = 0.25  # of the chip's time: what docs/virtual-device.md counts


@dataclass(frozen=True)
class Compared:
    """A row; times in us."""

    kind: str
    name: str
    parameter: int
    chip_us: float
    chip_spread: float  # of the middle half of the times, as a share of chip_us
    chip_launches: int  # that were timed
    virtual_us: float

    @property
    def word(self) -> str:
        return f"{self.name}={self.parameter}"

    @property
    def ratio(self) -> float:
        """Of the chip's time to the virtual one: 2 where the chip takes twice as long."""
        return self.chip_us / self.virtual_us

    @property
    def error(self) -> float:
        return abs(self.virtual_us / self.chip_us - 1)

    @property
    def is_near(self) -> bool:
        return self.error <= NEAR

    @property
    def differs(self) -> bool:
        """By more than counts as near, and than the chip differs from itself."""
        return self.error > max(NEAR, self.chip_spread)


@dataclass(frozen=True)
class KindFigures:
    kind: str
    rows: int
    near: float  # share of rows within 25 %
    ratio: float  # median of chip to virtual
    worst: str  # the row that is furthest off
    worst_ratio: float


def by_kind(rows: Sequence[Compared]) -> tuple[KindFigures, ...]:
    kinds: dict[str, list[Compared]] = {}
    for row in rows:
        kinds.setdefault(row.kind, []).append(row)
    return tuple(_figures(kind, group) for kind, group in kinds.items())


def _figures(kind: str, rows: Sequence[Compared]) -> KindFigures:
    worst = max(rows, key=lambda row: max(row.ratio, 1 / row.ratio))
    near = sum(row.is_near for row in rows) / len(rows)
    return KindFigures(
        kind, len(rows), near, median(row.ratio for row in rows), worst.word, worst.ratio
    )


@dataclass(frozen=True)
class NotMeasured:
    row: str
    side: str  # "chip" or "virtual"
    reason: str


@dataclass(frozen=True)
class Chip:
    """What may be told of the chip: what it is, never which one or where."""

    product: Optional[str]
    target: str
    compute_units: Optional[int]
    clock_mhz: Optional[float]
    rocm_version: Optional[str]
    rocm_kind: str  # "virtual" for a device that does not exist


@dataclass(frozen=True)
class Calibration:
    chip: Chip
    rows: tuple[Compared, ...]
    missing: tuple[NotMeasured, ...]

    @property
    def differing(self) -> tuple[Compared, ...]:
        return tuple(row for row in self.rows if row.differs)
