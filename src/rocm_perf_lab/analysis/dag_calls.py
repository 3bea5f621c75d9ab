"""What the API calls of a process say about order: waits, event records, stream handles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.analysis.dag import NONE
from rocm_perf_lab.trace.arguments import arguments_of
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

    def is_named(self, rows: IntColumn, names: Iterable[str]) -> npt.NDArray[np.bool_]:
        wanted = frozenset(names)
        table = np.array([text in wanted for text in self.trace.strings] or [False], dtype=bool)
        return np.asarray(table[self.trace.api_calls.name[rows]], dtype=bool)

    def numbers(self, rows: IntColumn, *names: str) -> list[tuple[Optional[int], ...]]:
        """These arguments of each call as numbers, None where they were not recorded."""
        found = arguments_of(self.trace.api_arguments, rows.tolist())
        return [tuple([_number(arguments, name) for name in names]) for arguments in found]


def calls_of(trace: Trace, process: int) -> Calls:
    calls = trace.api_calls
    rows = np.flatnonzero(calls.process == process)
    name = calls.name[rows]

    def named(wanted: Iterable[str]) -> IntColumn:
        texts = frozenset(wanted)
        table = np.array([text in texts for text in trace.strings] or [False], dtype=bool)
        chosen = rows[table[name]]
        order = np.argsort(calls.start[chosen], kind="stable")
        return np.asarray(chosen[order], dtype=np.int64)

    return Calls(
        trace,
        rows,
        waits=named((*DEVICE_WAITS, *NAMED_WAITS, *BLOCKING_COPIES)),
        records=named(EVENT_RECORDS),
        event_waits=named((STREAM_WAIT_EVENT,)),
        creations=named(STREAM_CREATIONS),
        device_choices=named((SET_DEVICE,)),
    )


def non_blocking_streams(calls: Calls) -> set[int]:
    """Ids of streams that the default stream does not wait for.

    rocprofv3 numbers streams in the order of their creation, from 1.
    """
    flags = calls.numbers(calls.creations, "flags")
    return {number for number, (flag,) in enumerate(flags, start=1) if flag == NON_BLOCKING_FLAG}


@dataclass(frozen=True)
class StreamHandles:
    """Which stream a handle means at a time: an address can be used again after a destroy."""

    seen: dict[int, list[tuple[int, int]]]  # handle -> (first use, stream), in order of time

    def stream(self, handle: int, time: int) -> Optional[int]:
        uses = self.seen.get(handle)
        if not uses:
            return None
        if len(uses) == 1:
            return uses[0][1]
        earlier = [stream for first, stream in uses if first <= time]
        return earlier[-1] if earlier else uses[0][1]


def stream_handles(calls: Calls, stream: IntColumn, launch: IntColumn) -> StreamHandles:
    """Learns handles from one launch on each stream: its argument and the stream of its work."""
    samples = [
        np.flatnonzero((stream == index) & (launch != NONE))[:1]
        for index in np.flatnonzero(np.bincount(stream + 1)) - 1
    ]
    chosen = np.concatenate([np.zeros(0, dtype=np.int64), *samples])
    rows = launch[chosen]
    seen: dict[int, list[tuple[int, int]]] = {}
    handles = [handle for (handle,) in calls.numbers(rows, "stream")]
    times = calls.trace.api_calls.start[rows].tolist()
    for time, handle, index in sorted(
        zip(times, handles, stream[chosen].tolist()), key=lambda u: u[0]
    ):
        if handle is not None and handle not in DEFAULT_HANDLES:
            seen.setdefault(handle, []).append((time, index))
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
    for _ in range(_DEEPEST_NESTING):
        inner = np.flatnonzero(launch != NONE)
        inner = inner[parents[launch[inner]] > 0]
        outer = find(parents[launch[inner]])
        moved = (outer != NONE) & (outer != launch[inner])
        if not moved.any():
            break
        launch[inner[moved]] = outer[moved]
    return launch


def _number(arguments: Sequence[tuple[str, str, str]], wanted: str) -> Optional[int]:
    for name, _kind, value in arguments:
        if name == wanted:
            return _parsed(value)
    return None


@lru_cache(maxsize=1 << 16)
def _parsed(value: str) -> Optional[int]:
    try:
        return int(value, 0)
    except ValueError:
        return 0 if value.strip("()<>") in ("nil", "null", "nullptr") else None
