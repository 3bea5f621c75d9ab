"""The line of the source that a wall sits on: with its instructions free, the wall costs little."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Optional

from rocm_perf_lab.analysis.diagnosis.ladder import Freed, Ladder, Place
from rocm_perf_lab.collect.rocprof.options import Progress, Step
from rocm_perf_lab.measure.walls.climbing import AT_ONCE
from rocm_perf_lab.measure.walls.replayed import Replay

MOST_LINES = 3
_MOST_OF_IT = 0.5
_SAME = 0.02  # loaded elsewhere, code takes as long but for its caches


def place_of(
    replay: Replay, ladder: Ladder, lines: Sequence[str], folder: Path, progress: Progress
) -> Optional[Place]:
    """Of the first wall; ``lines``: where the kernel spends most, the first most."""
    asked = [line for line in lines if "," not in line][:MOST_LINES]
    if not ladder.walls or not asked:
        return None
    nothing: Freed = frozenset()
    wall: Freed = frozenset(ladder.walls[0].together)
    loaded = replay.loaded(folder)  # of code in plain memory no line is known
    wanted = [("", nothing), *((line, freed) for line in asked for freed in (nothing, wall))]
    step = Step("walls, lines", 1, 1)
    progress.started(step, ("replay", *asked))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ns = dict(zip(wanted, pool.map(lambda one: loaded.at(one[0], one[1]), wanted)))
    progress.finished(step, 0)
    if abs(ns["", nothing] - ladder.now_ns) > _SAME * ladder.now_ns:
        return None
    whole = ladder.now_ns - ladder.walls[0].ns
    shares = {line: 1 - (ns[line, nothing] - ns[line, wall]) / whole for line in asked}
    best = max(asked, key=lambda line: shares[line])
    return Place(best, min(1.0, shares[best])) if shares[best] >= _MOST_OF_IT else None
