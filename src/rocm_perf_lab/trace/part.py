"""A part of what was recorded: ranges of a name, what comes after the first launches, or single
dispatches. Work belongs to a range if its launching call began in it, whenever it ran."""

from __future__ import annotations

import re
from typing import Any, Optional

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.trace.lookup import distinct, positions_of
from rocm_perf_lab.trace.model import UNKNOWN, IntColumn, Trace
from rocm_perf_lab.trace.selection import Renumbered, of_dispatches, renumbered

_EVENTS = ("dispatches", "copies", "allocations", "api_calls", "markers", "operators")
_MOST_LISTED = 5
_ALWAYS = np.iinfo(np.int64).max

Rows = npt.NDArray[np.bool_]


class Part(Struct, frozen=True):
    """What of a run is analysed; each process has its own."""

    region: Optional[str] = None  # the text of ROCTx ranges, * stands for anything
    after: int = 0  # so many ranges, or launches, are left out at the beginning
    dispatches: Optional[tuple[int, int]] = None  # first and last of those that match, from 0
    kernel: Optional[str] = None  # a regular expression: only these count as dispatches

    @property
    def is_all(self) -> bool:
        return self.region is None and not self.after and self.dispatches is None


def part_of(trace: Trace, part: Part) -> Trace:
    """Processes that collected counters stay as they are, if others were timed."""
    if part.is_all:
        return trace
    counting = distinct(trace.dispatches.process[trace.counters.dispatch])
    timed = ~np.isin(trace.dispatches.process, counting)
    if not timed.any():
        timed, counting = ~timed, counting[:0]
    kept = {name: np.ones(len(getattr(trace, name)), dtype=bool) for name in _EVENTS}
    for process in sorted(set(range(len(trace.processes))) - set(counting.tolist())):
        _keep(trace, part, process, kept)
    if not (kept["dispatches"] & timed).any():
        raise _nothing_left(trace, part)
    return _with_rows(trace, kept)


def _keep(trace: Trace, part: Part, process: int, kept: dict[str, Rows]) -> None:
    own = {name: getattr(trace, name).process == process for name in _EVENTS}
    called = {name: _called(trace, name, process) for name in ("dispatches", "copies")}
    begins, ends = _stretches(trace, part, process, called["dispatches"])
    for name in _EVENTS:
        time = called.get(name, getattr(trace, name).start)
        kept[name] &= ~own[name] | _inside(time, begins, ends)
    if part.dispatches is None:
        return
    chosen = _numbered(trace, part, own["dispatches"] & kept["dispatches"])
    kept["dispatches"] &= ~own["dispatches"] | chosen
    times = called["dispatches"][chosen]
    first, last = (times.min(), times.max()) if len(times) else (1, 0)
    for name in ("copies", "allocations", "api_calls", "operators"):
        time = called.get(name, getattr(trace, name).start)
        kept[name] &= ~own[name] | ((time >= first) & (time <= last))


def _stretches(
    trace: Trace, part: Part, process: int, called: IntColumn
) -> tuple[IntColumn, IntColumn]:
    if part.region is not None:
        named = np.array([_is_named(text, part.region) for text in trace.strings] or [False])
        markers = trace.markers
        rows = np.flatnonzero((markers.process == process) & named[markers.message])
        rows = rows[np.argsort(markers.start[rows], kind="stable")][part.after :]
        return markers.start[rows], markers.end[rows]
    own = trace.dispatches.process == process
    later = called[own][np.argsort(trace.dispatches.start[own], kind="stable")][part.after :]
    since = later.min() if len(later) else _ALWAYS
    return np.array([since]), np.array([_ALWAYS])


def _is_named(text: str, pattern: str) -> bool:
    expression = ".*".join(map(re.escape, pattern.split("*")))
    return re.fullmatch(expression, text, re.DOTALL) is not None


def _called(trace: Trace, name: str, process: int) -> IntColumn:
    """When the call began that launched it; when it began itself where that is not known."""
    rows, calls = getattr(trace, name), trace.api_calls
    own = np.flatnonzero(calls.process == process)
    time: IntColumn = rows.start.copy()
    if not len(own) or len(rows.stack_id) != len(rows):
        return time
    place = positions_of(rows.stack_id, calls.stack_id[own])
    known = (place != UNKNOWN) & (rows.stack_id > 0) & (rows.process == process)
    time[known] = calls.start[own[place[known]]]
    return time


def _inside(time: IntColumn, begins: IntColumn, ends: IntColumn) -> Rows:
    """In any of these stretches, which may overlap; ordered by their begin."""
    if not len(begins):
        return np.zeros(len(time), dtype=bool)
    reach = np.maximum.accumulate(ends)
    slot = np.searchsorted(begins, time, side="right") - 1
    return np.asarray((slot >= 0) & (time <= reach[slot]), dtype=bool)


def _numbered(trace: Trace, part: Part, among: Rows) -> Rows:
    assert part.dispatches is not None
    first, last = part.dispatches
    pattern = re.compile(part.kernel or "")
    named = np.array([bool(pattern.search(kernel.name)) for kernel in trace.kernels] + [False])
    rows = np.flatnonzero(among & named[trace.dispatches.kernel])
    rows = rows[np.argsort(trace.dispatches.start[rows], kind="stable")]
    chosen = np.zeros(len(among), dtype=bool)
    chosen[rows[first : last + 1]] = True
    return chosen


def _with_rows(trace: Trace, kept: dict[str, Rows]) -> Trace:
    rows = {name: np.flatnonzero(mask) for name, mask in kept.items()}
    new_row = renumbered(len(trace.dispatches), rows["dispatches"])
    new_operator = renumbered(len(trace.operators), rows["operators"])
    origins = of_dispatches(trace.origins, new_row)
    return replace(
        trace,
        counters=of_dispatches(trace.counters, new_row),
        bounds=of_dispatches(trace.bounds, new_row),
        samples=of_dispatches(trace.samples, new_row),
        origins=replace(origins, operator=new_operator[origins.operator]),
        api_arguments=Renumbered(trace.api_arguments, rows["api_calls"]),
        **{name: _picked(getattr(trace, name), rows[name]) for name in _EVENTS},
    )


def _picked(table: Any, rows: IntColumn) -> Any:
    columns = {name: getattr(table, name) for name in table.__struct_fields__}
    picked = {name: column[rows] for name, column in columns.items() if len(column) == len(table)}
    return replace(table, **picked)


def _nothing_left(trace: Trace, part: Part) -> UsageError:
    names = dict.fromkeys(trace.strings[index] for index in trace.markers.message.tolist())
    if part.region is not None and not any(_is_named(name, part.region) for name in names):
        listed = ", ".join(list(names)[:_MOST_LISTED]) or "none"
        return UsageError(f"no range is called '{part.region}'", f"recorded ranges: {listed}")
    return UsageError(
        f"no dispatch is left of {len(trace.dispatches)}",
        "choose another part: --region, --after, --dispatch",
    )
