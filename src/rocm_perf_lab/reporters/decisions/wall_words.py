"""The ladder of walls in sentences that are not wrapped yet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.explain import (
    CaptureWallsDocument,
    WallModel,
    WallsModel,
)
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.kernel_names import short_names

_ROUNDING = 1.001
NO_WALL = "no mechanism that can be made free makes it faster by 3 %"
ALL_OF_THEM = "rocm-perf explain --walls -- ./app args"


@dataclass(frozen=True)
class WallStep:
    """A wall taken away, on top of those before it."""

    us: float  # of a launch then
    times: str  # faster than before
    what: str
    place: str  # "" where no line is known
    advice: str


def wall_steps(walls: WallsModel) -> list[WallStep]:
    steps, before = [], walls.now_us
    for wall in walls.walls:
        advice = wall.advice or "No change of the source takes that away."
        times = _times(before, wall.us)
        steps.append(WallStep(wall.us, times, wall.without, _place(wall), advice))
        before = wall.us
    return steps


def wall_lines(walls: Optional[WallsModel], whole: str = "the application") -> list[str]:
    """The lines of a section, when there is one."""
    if walls is None:
        return []
    steps = [f"{tt.duration(walls.now_us * 1e3)} now"]
    for wall in walls.walls:
        together = " (none of them alone)" if len(wall.free) > 1 else ""
        steps.append(f"{tt.duration(wall.us * 1e3)} {wall.without}{together}")
    if not walls.walls:
        return [f"{steps[0]}; {NO_WALL}."]
    return [f"{', '.join(steps)}.", *_each(walls), basis_line(walls, whole)]


def render_capture_walls(document: CaptureWallsDocument) -> str:
    captured = f", captured on {document.captured_on}" if document.captured_on else ""
    grid, block = (" x ".join(map(str, sizes)) for sizes in (document.grid, document.block))
    about = [
        f"Capture: {document.source}{captured}",
        f"Kernel:  {document.kernel}, grid {grid}, block {block}",
        f"Device:  {document.device}",
    ]
    items = [tt.wrap(line, "  ", "  ") for line in wall_lines(document.walls, "replays")]
    return "\n".join([*map(tt.clip, about), "", "Walls", *items, "", _closing(document), ""])


def _closing(document: CaptureWallsDocument) -> str:
    found = "no wall was found, on the model of the virtual device"
    if document.walls.walls:
        found = f"{first_wall(document.walls)}, measured on the model"
    return tt.closing(tt.ascii_only(f"Result: {short_names([document.kernel], 40)[0]}: {found}"))


def first_wall(walls: WallsModel) -> str:
    """Its worth, in the words of a last line."""
    wall = walls.walls[0]
    return f"{_times(walls.now_us, wall.us)} {wall.without}"


def passes_ceiling(walls: Optional[WallsModel], gain: float) -> bool:
    """Whether so many times faster is what the ladder measured, and not a ceiling."""
    if walls is None or not walls.walls or not walls.walls[-1].us:
        return False
    return gain <= _ROUNDING * walls.now_us / walls.walls[-1].us


def _each(walls: WallsModel) -> list[str]:
    return [
        f"{number}. {step.times} {step.what}{step.place and ', '}{step.place}. {step.advice}"
        for number, step in enumerate(wall_steps(walls), start=1)
    ]


def _place(wall: WallModel) -> str:
    if wall.line is None or wall.line_share is None:
        return ""
    return f"{tt.percent(wall.line_share)} of that at {Path(wall.line).name}"


def basis_line(walls: WallsModel, whole: str = "the application") -> str:
    free = ",".join(name for wall in walls.walls for name in wall.free)
    what = f"a replay of launch {walls.launch}" if walls.launch else whole
    more = "" if walls.complete else f" There was no time for more: {ALL_OF_THEM} tries all."
    return (
        f"Measured with {what} on the model of the virtual device, with each of these free, on top "
        "of those before it: limits, which no device reaches. The last one: "
        f"VROCM_IDEAL={free}.{more}"
    )


def _times(before: float, after: float) -> str:
    return "far faster" if after <= 0 else f"{before / after:.2f}x"
