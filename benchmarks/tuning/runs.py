"""Runs as lines of a file, so that a long comparison can be stopped and gone on with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Optional

import numpy as np

OURS = "autotune"


@dataclass(frozen=True)
class Run:
    space: str
    strategy: str
    budget: int
    seed: int
    best: Optional[float]
    asked: int  # different configurations, failing ones among them
    failed: int
    seconds: float  # of the processor
    fault: Optional[str] = None


@dataclass(frozen=True)
class Row:
    """Regret in percent, over seeds."""

    strategy: str
    regrets: Sequence[float] = field(repr=False)
    failed: float
    asked: float

    @property
    def median(self) -> float:
        return float(np.percentile(self.regrets, 50))

    @property
    def tail(self) -> float:
        return float(np.percentile(self.regrets, 90))

    @property
    def optimum(self) -> float:
        return 100 * float(np.mean(np.array(self.regrets) < 1e-9))


def read_runs(path: Path) -> list[Run]:
    if not path.exists():
        return []
    return [Run(**json.loads(line)) for line in path.read_text().splitlines()]


def add_runs(path: Path, runs: Iterable[Run]) -> None:
    with path.open("a") as file:
        file.writelines(json.dumps(asdict(run)) + "\n" for run in runs)


def rows_of(runs: Iterable[Run], space: str, budget: int, best: float) -> list[Row]:
    """Ours first, the others by their median."""
    chosen: dict[str, dict[int, Run]] = {}
    for run in runs:
        if (run.space, run.budget) == (space, budget):
            chosen.setdefault(run.strategy, {}).setdefault(run.seed, run)
    rows = [_row(name, list(one.values()), best) for name, one in chosen.items()]
    return sorted(rows, key=lambda row: (row.strategy != OURS, row.median, row.tail))


def _row(strategy: str, runs: Sequence[Run], best: float) -> Row:
    """A run that found nothing that works has lost without bound."""
    regrets = [100 * (run.best / best - 1) if run.best else float("inf") for run in runs]
    failed, asked = ([getattr(run, name) for run in runs] for name in ("failed", "asked"))
    return Row(strategy, regrets, float(np.mean(failed)), float(np.mean(asked)))
