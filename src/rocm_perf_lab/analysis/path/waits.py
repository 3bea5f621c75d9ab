"""Time that passes because the host waits for the GPU before it launches more."""

from __future__ import annotations

from typing import Optional

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from rocm_perf_lab.analysis.graph.calls import BLOCKING_COPIES, DEVICE_WAITS, NAMED_WAITS
from rocm_perf_lab.analysis.path.timeline import is_host, launch_calls
from rocm_perf_lab.trace.lookup import positions_of
from rocm_perf_lab.trace.model import UNKNOWN, Trace

_POLLS = frozenset(("hipStreamQuery", "hipEventQuery"))  # called again and again until it has ended
_WAITS = DEVICE_WAITS | NAMED_WAITS | BLOCKING_COPIES | _POLLS
_ANSWER_BYTES = 4096  # what the host asks for to decide something; more are data


class HostWaits(Struct, frozen=True):
    """Between the first launch and the last."""

    ns: int  # in calls that wait for the GPU, but for copies to it
    answers_ns: int  # of copies of a few bytes to the host, which go with the waiting
    fetched_ns: int = 0  # of copies of data to the host that block it though nobody says so


def host_waits(trace: Trace) -> Optional[HostWaits]:
    """None where calls were not recorded. Without these waits the host would launch as fast as it
    can, which is no waiting, however long the GPU is idle meanwhile."""
    called, calls = launch_calls(trace), trace.api_calls
    if called is None or not len(called):
        return None
    first, last = called.min(), called.max()
    named = np.array([text in _WAITS for text in trace.strings] or [False], dtype=bool)
    copies = trace.copies
    inside = (copies.start >= first) & (copies.end <= last)
    fetched = inside & is_host(trace, copies.target_agent)
    answers = fetched & (copies.bytes <= _ANSWER_BYTES)
    unsaid, of_copy = _blocking_unsaid(trace, named)
    waits = named[calls.name] & ~np.isin(calls.stack_id, _sent(trace))
    waits[of_copy[unsaid & answers]] = True
    waits &= (calls.start >= first) & (calls.end <= last)
    took = copies.end - copies.start
    return HostWaits(
        int((calls.end - calls.start)[waits].sum()),
        int(took[answers].sum()),
        int(took[unsaid & fetched & ~answers].sum()),
    )


def _blocking_unsaid(
    trace: Trace, named: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Copies whose calls came back only when they had ended, though they are called asynchronous:
    so are those of memory that is not pinned. And the call of each copy, where it is known."""
    calls, copies = trace.api_calls, trace.copies
    if len(copies.stack_id) != len(copies):
        return np.zeros(len(copies), dtype=bool), np.full(len(copies), UNKNOWN)
    place = positions_of(copies.stack_id, calls.stack_id)
    late = (place != UNKNOWN) & (calls.end[place] >= copies.end)
    return late & ~named[calls.name[place]], place


def _sent(trace: Trace) -> npt.NDArray[np.int64]:
    """The calls of copies from the host, which wait for the copy and not for kernels."""
    copies = trace.copies
    if len(copies.stack_id) != len(copies):
        return np.empty(0, dtype=np.int64)
    return copies.stack_id[is_host(trace, copies.source_agent)]
