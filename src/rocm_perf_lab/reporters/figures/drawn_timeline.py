"""One run as a drawing of characters: a row for each stream, below it where the path runs."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.report.timeline import COPIES, OTHERS, WAITS, Timeline
from rocm_perf_lab.reporters import terminal
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.kernel_names import short_names

_FIXED = {COPIES: "c", WAITS: "w", OTHERS: "o"}
_LETTERS = "ABCDEFGHIJ"
_MOST_LANES, _MOST_LANE_NAME = 12, 16
_UNICODE, _ASCII = "·━", ".="  # nothing runs; the critical path is here


def drawn_timeline(timeline: Timeline) -> str:
    nothing, on_path = tuple(_UNICODE if terminal.draws(sys.stdout, _UNICODE) else _ASCII)
    lanes = tt.clipped(timeline.lanes[:_MOST_LANES], _MOST_LANE_NAME)
    margin = max(map(len, lanes)) + 1
    columns = terminal.prose_width() - margin
    letters = _letters(timeline)
    filled = _filled(timeline, len(lanes), columns)
    path = _path(timeline, len(lanes), columns)
    lines = ["One run by stream"]
    for lane, name in enumerate(lanes):
        most, label = filled[:, lane].max(axis=0), filled[:, lane].argmax(axis=0)
        shown = [letters[one] if ns > 0 else nothing for one, ns in zip(label, most)]
        lines.append(f"{name:<{margin}}{''.join(shown)}")
        if path[lane].any():
            marks = "".join(on_path if here else " " for here in path[lane])
            lines.append(f"{'':<{margin}}{marks}".rstrip())
    lines.append(f"{'':<{margin}}0{tt.duration(timeline.span_ns):>{columns - 1}}")
    names = short_names([bars.label for bars in timeline.bars], terminal.roomy(32))
    listed = [f"{letter}: {name}" for letter, name in zip(letters, names)]
    legend = [f"{on_path * 2} critical path", *(tt.wrap(one, "", "   ") for one in listed)]
    hidden = len(timeline.lanes) - len(lanes)
    more = [f"... and {hidden} more streams (see report)"] if hidden > 0 else []
    return "\n".join([*lines, *more, *legend])


def _letters(timeline: Timeline) -> list[str]:
    free = iter(_LETTERS)
    return [_FIXED.get(bars.label) or next(free) for bars in timeline.bars]


def _filled(timeline: Timeline, lanes: int, columns: int) -> npt.NDArray[np.float64]:
    """How long each label ran, by lane and column; a short one still fills a part of one."""
    filled = np.zeros((len(timeline.bars), lanes, columns))
    width = max(timeline.span_ns, 1) / columns
    for number, bars in enumerate(timeline.bars):
        for lane, begin, end, busy in zip(bars.lane, bars.begin, bars.end, bars.busy):
            if lane < lanes:
                first = min(int(begin / width), columns - 1)
                last = min(max(int(np.ceil(end / width)), first + 1), columns)
                filled[number, lane, first:last] += max(float(busy), 1.0) / (last - first)
    return filled


def _path(timeline: Timeline, lanes: int, columns: int) -> npt.NDArray[np.bool_]:
    found = np.zeros((lanes, columns), dtype=bool)
    width = max(timeline.span_ns, 1) / columns
    line = timeline.path
    for lane, begin, end in zip(line.lane, line.begin, line.end):
        if 0 <= lane < lanes:
            first = min(int(begin / width), columns - 1)
            found[lane, first : max(int(np.ceil(end / width)), first + 1)] = True
    return found
