"""G4: the application with a candidate launches and copies what it did without it.

Two traces are compared stream by stream, because streams have no order among each other. Numbers
that the runtime gives (queues, streams) are distinguished by their first use, not by their value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.optimize.refusal import Refusal, Stage
from rocm_perf_lab.trace.model import UNKNOWN, Trace


@dataclass(frozen=True)
class Event:
    """A launch or a copy, with everything of it that a change of one body leaves as it is."""

    what: str
    shape: tuple[object, ...]

    def __str__(self) -> str:
        return f"{self.what} {' '.join(str(part) for part in self.shape)}"


@dataclass(frozen=True)
class Recorded:
    """The events of one process on one stream of one device, in order."""

    lanes: dict[tuple[int, int, int], list[Event]]


def check_launches(before: Trace, after: Trace, kernel: Optional[str] = None) -> Optional[Refusal]:
    """``kernel`` is the name of the changed one: its static LDS may be another."""
    if not len(before.dispatches):
        return Refusal(Stage.LAUNCH, "nothing-recorded", "the baseline's trace has no dispatches")
    for name, old, new in (
        ("processes", len(before.processes), len(after.processes)),
        ("dispatches", len(before.dispatches), len(after.dispatches)),
        ("copies", len(before.copies), len(after.copies)),
    ):
        if old != new:
            more = _surplus(before, after) if name == "dispatches" else ""
            return Refusal(Stage.LAUNCH, f"count-of-{name}", f"{new} {name} instead of {old}{more}")
    return _order(_dispatches(before, kernel), _dispatches(after, kernel), "launch") or _order(
        _copies(before), _copies(after), "copy"
    )


def _surplus(before: Trace, after: Trace) -> str:
    old, new = (
        Counter(trace.kernels[k].name for k in trace.dispatches.kernel) for trace in (before, after)
    )
    parts = [
        f"{new[name] - old[name]:+d} {name}"
        for name in sorted({*old, *new})
        if old[name] != new[name]
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _order(before: Recorded, after: Recorded, what: str) -> Optional[Refusal]:
    old_lanes, new_lanes = list(before.lanes.items()), list(after.lanes.items())
    if len(old_lanes) != len(new_lanes):
        message = f"{what}es on {len(new_lanes)} streams instead of {len(old_lanes)}"
        return Refusal(Stage.LAUNCH, "streams", message.replace("copyes", "copies"))
    if Counter(tuple(lane) for _, lane in old_lanes) == Counter(
        tuple(lane) for _, lane in new_lanes
    ):
        return None  # which of two streams is first may differ from run to run
    for number, ((_, old), (_, new)) in enumerate(zip(old_lanes, new_lanes)):
        for place, pair in enumerate(_longest(old, new)):
            if pair[0] != pair[1]:
                return Refusal(
                    Stage.LAUNCH,
                    what,
                    f"{what} {place} of stream {number} is {pair[1] or 'missing'}, "
                    f"it was {pair[0] or 'none'}",
                )
    return None


def _longest(
    old: Sequence[Event], new: Sequence[Event]
) -> Iterator[tuple[Optional[Event], Optional[Event]]]:
    for place in range(max(len(old), len(new))):
        yield (
            old[place] if place < len(old) else None,
            new[place] if place < len(new) else None,
        )


def _dispatches(trace: Trace, changed: Optional[str]) -> Recorded:
    rows = trace.dispatches
    events = []
    for row in range(len(rows)):
        kernel = trace.kernels[rows.kernel[row]]
        lds = int(rows.lds[row])
        if kernel.name == changed and kernel.static_lds is not None and lds != UNKNOWN:
            lds = max(0, lds - kernel.static_lds)
        is_graph = bool(len(rows.graph_exec)) and int(rows.graph_exec[row]) > 0
        shape = (
            f"grid {tuple(int(v) for v in rows.grid[row])}",
            f"block {tuple(int(v) for v in rows.block[row])}",
            f"LDS {lds}",
            "in a graph" if is_graph else "",
        )
        place = (
            int(rows.process[row]),
            int(rows.agent[row]),
            int(rows.stream[row]),
            int(rows.queue[row]),
        )
        events.append((place, Event(kernel.name, shape)))
    order = np.argsort(rows.start, kind="stable")
    return _lanes([events[row] for row in order])


def _copies(trace: Trace) -> Recorded:
    rows = trace.copies
    events = []
    for row in range(len(rows)):
        shape = (
            f"{int(rows.bytes[row])} bytes",
            f"from {int(rows.source_agent[row])} to {int(rows.target_agent[row])}",
        )
        place = (int(rows.process[row]), UNKNOWN, int(rows.stream[row]), UNKNOWN)
        events.append((place, Event(_text(trace, int(rows.direction[row])), shape)))
    order = np.argsort(rows.start, kind="stable")
    return _lanes([events[row] for row in order])


def _text(trace: Trace, index: int) -> str:
    return trace.strings[index] if 0 <= index < len(trace.strings) else "copy"


def _lanes(events: Sequence[tuple[tuple[int, int, int, int], Event]]) -> Recorded:
    """Lanes in the order of their first event. Where streams were not recorded, queues stand in."""
    lanes: dict[tuple[int, int, int], list[Event]] = {}
    for (process, agent, stream, queue), event in events:
        lane = (process, agent, stream if stream != UNKNOWN else queue)
        lanes.setdefault(lane, []).append(event)
    return Recorded(lanes)
