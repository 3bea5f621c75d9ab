"""How often a choice made on the virtual device is right on a real chip, as measured last.

``benchmarks.calibration --write`` and ``benchmarks.truth --publish`` write the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Optional

from rocm_perf_lab.arch.data_file import read_data_file
from rocm_perf_lab.arch.target import DATA_DIRECTORY

FIDELITY_FILE = DATA_DIRECTORY / "fidelity" / "gfx942.json"
PAGE = "docs/virtual-device.md"


@dataclass(frozen=True)
class Share:
    right: int
    of: int

    def __str__(self) -> str:
        return f"{self.right} of {self.of}"


@dataclass(frozen=True)
class RecordedTable:
    """Recorded times of one kind of kernel, of rows that nothing was fitted to. ``choice_*``: the
    recorded time of what the virtual device calls fastest, in multiples of the fastest. None where
    no rows compete."""

    kind: str
    rows: int  # that were run
    of: int  # that there are
    within_25_percent: int
    rank_correlation: Optional[float]  # the lowest of its groups
    choice_median: Optional[float]
    choice_worst: Optional[float]


@dataclass(frozen=True)
class Fidelity:
    pairs: Share  # of versions of which the faster one is known
    timings: Share  # published ones within 25 %
    tables: Mapping[str, RecordedTable]


@cache
def load_fidelity(path: Path = FIDELITY_FILE) -> Fidelity:
    raw = read_data_file(path)
    return Fidelity(
        Share(**raw["pairs"]),
        Share(**raw["timings"]),
        {name: RecordedTable(**table) for name, table in raw["tables"].items()},
    )
