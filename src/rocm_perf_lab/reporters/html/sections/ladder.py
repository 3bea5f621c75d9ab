"""The ladder of walls: how long a launch takes with one mechanism free, then the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.explain import WallsModel
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.decisions.wall_words import NO_WALL, basis_line, wall_steps
from rocm_perf_lab.reporters.kernel_names import shorten

_NAME_WIDTH = 60


@dataclass(frozen=True)
class Rung:
    what: str
    time: str
    times: str  # faster than the rung before; "" for the first one
    left: float  # percent of the time with nothing free
    taken: float  # percent that this wall took away
    detail: str


@dataclass(frozen=True)
class Ladder:
    kernel: str
    rungs: tuple[Rung, ...]
    basis: str


def ladder_of(walls: Optional[WallsModel]) -> Optional[Ladder]:
    if walls is None:
        return None
    rungs = [Rung("now", tt.duration(walls.now_us * 1e3), "", 100.0, 0.0, "")]
    if not walls.walls:
        return Ladder(shorten(walls.kernel, _NAME_WIDTH), tuple(rungs), f"Here {NO_WALL}.")
    for step in wall_steps(walls):
        left = round(100 * step.us / walls.now_us, 2) if walls.now_us else 0.0
        detail = f"{step.place}. {step.advice}" if step.place else step.advice
        rungs.append(
            Rung(
                step.what,
                tt.duration(step.us * 1e3),
                step.times,
                left,
                round(max(rungs[-1].left - left, 0.0), 2),
                detail[0].upper() + detail[1:],
            )
        )
    return Ladder(shorten(walls.kernel, _NAME_WIDTH), tuple(rungs), basis_line(walls))
