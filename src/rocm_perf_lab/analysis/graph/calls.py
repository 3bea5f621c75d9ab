"""What the API calls of a process say about order: waits, event records, stream handles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.analysis.graph.dag import NONE
from rocm_perf_lab.trace.arguments import argument_columns
from rocm_perf_lab.trace.lookup import positions_of
from rocm_perf_lab.trace.model import UNKNOWN, IntColumn, Trace

DEVICE_WAITS = frozenset(("hipDeviceSynchronize", "hipFree", "hipCtxSynchronize"))
NAMED_WAITS = frozenset(("hipStreamSynchronize", "hipEventSynchronize"))  # of one stream, event
# Copies that return when the copy has ended; hipMemset does not wait.
BLOCKING_COPIES = frozenset(
    (
        "hipMemcpy",
        "hipMemcpy2D",
        "hipMemcpy3D",
        "hipMemcpyDtoH",
        "hipMemcpyHtoD",
        "hipMemcpyDtoD",
        "hipMemcpyToSymbol",
        "hipMemcpyFromSymbol",
        "hipMemcpyWithStream",
    )
)
EVENT_RECORDS = frozenset(("hipEventRecord", "hipEventRecordWithFlags"))
STREAM_WAIT_EVENT = "hipStreamWaitEvent"
STREAM_CREATIONS = frozenset(
    ("hipStreamCreate", "hipStreamCreateWithFlags", "hipStreamCreateWithPriority")
)
SET_DEVICE = "hipSetDevice"
GRAPH_LAUNCH = "hipGraphLaunch"
NON_BLOCKING_FLAG = 1  # hipStreamNonBlocking
DEFAULT_HANDLES = (0, 1)  # a null stream, hipStreamLegacy
_DEEPEST_NESTING = 4
_ARGUMENTS = ("stream", "event", "flags")  # of the calls that order work
_LARGEST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Calls:
    """The API calls of one process that order GPU work, each group in order of time."""

    trace: Trace
    rows: IntColumn  # all calls of the process
    waits: IntColumn
    records: IntColumn
    event_waits: IntColumn
    creations: IntColumn
    device_choices: IntColumn
    asked: IntColumn  # calls whose arguments were fetched together, in ascending order
    answers: Mapping[str, IntColumn]

    def is_named(self, rows: IntColumn, names: Iterable[str]) -> npt.NDArray[np.bool_]:
        return _named(self.trace, rows, frozenset(names))

    def numbers(self, rows: IntColumn, *names: str) -> tuple[IntColumn, ...]:
        """A column for each of these arguments of the calls, NONE where it was not recorded."""
        if len(self.asked) and self.answers.keys() >= set(names):
            place = np.searchsorted(self.asked, rows).clip(max=len(self.asked) - 1)
            if bool((self.asked[place] == rows).all()):
                return tuple(self.answers[name][place] for name in names)
        found = _numbers(self.trace, rows, names)
        return tuple(found[name] for name in names)


def calls_of(trace: Trace, process: int) -> Calls:
    calls = trace.api_calls
    rows = np.flatnonzero(calls.process == process)
    groups: dict[str, frozenset[str]] = {
        "waits": DEVICE_WAITS | NAMED_WAITS | BLOCKING_COPIES,
        "records": EVENT_RECORDS,
        "event_waits": frozenset((STREAM_WAIT_EVENT,)),
        "creations": STREAM_CREATIONS,
        "device_choices": frozenset((SET_DEVICE,)),
    }
    ordering = rows[_named(trace, rows, frozenset().union(*groups.values()))]
    ordering = ordering[np.argsort(calls.start[ordering], kind="stable")]
    found = {group: ordering[_named(trace, ordering, names)] for group, names in groups.items()}
    named = found["waits"][_named(trace, found["waits"], NAMED_WAITS)]
    asked = np.sort(
        np.concatenate([found["records"], found["event_waits"], found["creations"], named])
    )
    return Calls(trace, rows, **found, asked=asked, answers=_numbers(trace, asked, _ARGUMENTS))


def _numbers(trace: Trace, rows: IntColumn, names: Sequence[str]) -> dict[str, IntColumn]:
    found = argument_columns(trace.api_arguments, rows, names)
    table = np.array([*(_parsed(text) for text in found.texts), NONE], dtype=np.int64)
    return {name: table[column] for name, column in found.columns.items()}


def _named(trace: Trace, rows: IntColumn, names: frozenset[str]) -> npt.NDArray[np.bool_]:
    table = np.array([text in names for text in trace.strings] or [False], dtype=bool)
    return np.asarray(table[trace.api_calls.name[rows]], dtype=bool)


def non_blocking_streams(calls: Calls) -> set[int]:
    """Ids of streams that the default stream does not wait for.

    rocprofv3 numbers streams in the order of their creation, from 1.
    """
    (flags,) = calls.numbers(calls.creations, "flags")
    return {int(place) + 1 for place in np.flatnonzero(flags == NON_BLOCKING_FLAG)}


@dataclass(frozen=True)
class StreamHandles:
    """Which stream a handle means at a time: an address can be used again after a destroy."""

    seen: dict[int, list[tuple[int, int]]]  # handle -> (first use, stream), in order of time

    def streams(self, handle: int, times: IntColumn) -> IntColumn:
        """NONE where nothing was launched through the handle."""
        uses = self.seen.get(handle)
        if not uses:
            return np.full(len(times), NONE, dtype=np.int64)
        first, stream = np.array(uses, dtype=np.int64).T
        latest = np.searchsorted(first, times, side="right").clip(min=1) - 1
        return np.asarray(stream[latest], dtype=np.int64)


def stream_handles(calls: Calls, stream: IntColumn, launch: IntColumn) -> StreamHandles:
    """Learns handles from one launch on each stream: its argument and the stream of its work."""
    launched = np.flatnonzero(launch != NONE)[::-1]
    first = np.full(int(stream.max(initial=NONE)) + 2, NONE, dtype=np.int64)
    first[stream[launched]] = launched  # what is written last counts: the first launch
    chosen = first[first != NONE]
    rows = launch[chosen]
    seen: dict[int, list[tuple[int, int]]] = {}
    (handles,) = calls.numbers(rows, "stream")
    times = calls.trace.api_calls.start[rows]
    for place in np.argsort(times, kind="stable").tolist():
        handle = int(handles[place])
        if handle not in (NONE, *DEFAULT_HANDLES):
            seen.setdefault(handle, []).append((int(times[place]), int(stream[chosen[place]])))
    return StreamHandles(seen)


def launching_calls(calls: Calls, stack_id: IntColumn) -> IntColumn:
    """Row of the HIP call that submitted each piece of work, NONE when not recorded.

    Work names the innermost traced call, which may be an HSA call inside a HIP call.
    """
    parents = calls.trace.api_calls.parent_stack_id
    known = calls.trace.api_calls.stack_id[calls.rows]

    def find(wanted: IntColumn) -> IntColumn:
        position = positions_of(wanted, known)
        found = (position != UNKNOWN) & (wanted > 0)
        return np.where(found, calls.rows[position], NONE) if len(known) else position

    launch = find(stack_id)
    if not (parents > 0).any():
        return launch
    for _ in range(_DEEPEST_NESTING):
        inner = np.flatnonzero(launch != NONE)
        inner = inner[parents[launch[inner]] > 0]
        outer = find(parents[launch[inner]])
        moved = (outer != NONE) & (outer != launch[inner])
        if not moved.any():
            break
        launch[inner[moved]] = outer[moved]
    return launch


def _parsed(value: str) -> int:
    try:
        number = int(value, 0)
    except ValueError:
        return 0 if value.strip("()<>") in ("nil", "null", "nullptr") else NONE
    return number if 0 <= number <= _LARGEST else NONE
