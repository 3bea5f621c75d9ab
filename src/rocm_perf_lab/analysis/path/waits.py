"""Time that passes because the host waits for the GPU before it launches more."""

from __future__ import annotations

from typing import Optional

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from rocm_perf_lab.analysis.graph.calls import BLOCKING_COPIES, DEVICE_WAITS, NAMED_WAITS
from rocm_perf_lab.analysis.path.timeline import launch_calls
from rocm_perf_lab.trace.lookup import positions_of
from rocm_perf_lab.trace.model import UNKNOWN, IndexColumn, Trace

_POLLS = frozenset(("hipStreamQuery", "hipEventQuery"))  # called again and again until it has ended
_WAITS = DEVICE_WAITS | NAMED_WAITS | BLOCKING_COPIES | _POLLS
_ANSWER_BYTES = 4096  # what the host asks for to decide something; more are data


class HostWaits(Struct, frozen=True):
    """Between the first launch and the last."""

    ns: int  # in calls that wait for the GPU, but for copies to it
    answers_ns: int  # of copies of a few bytes to the host, which go with the waiting


def host_waits(trace: Trace) -> Optional[HostWaits]:
    """None where calls were not recorded. Without these waits the host would launch as fast as it
    can, which is no waiting, however long the GPU is idle meanwhile."""
    called, calls = launch_calls(trace), trace.api_calls
    if called is None or not len(called):
        return None
    first, last = called.min(), called.max()
    named = np.array([text in _WAITS for text in trace.strings] or [False], dtype=bool)
    copies = trace.copies
    fetched = _is_host(trace, copies.target_agent)
    waits = named[calls.name] | _blocked(trace, fetched)
    waits &= (calls.start >= first) & (calls.end <= last)
    waits &= ~np.isin(calls.stack_id, _sent(trace))
    answers = fetched & (copies.bytes <= _ANSWER_BYTES)
    answers &= (copies.start >= first) & (copies.end <= last)
    return HostWaits(
        int((calls.end - calls.start)[waits].sum()),
        int((copies.end - copies.start)[answers].sum()),
    )


def _blocked(trace: Trace, fetched: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Calls that came back only when the copy to the host had ended: of memory that is not pinned
    even those do that are called asynchronous."""
    calls, copies = trace.api_calls, trace.copies
    blocked = np.zeros(len(calls), dtype=bool)
    if len(copies.stack_id) != len(copies):
        return blocked
    place = positions_of(copies.stack_id[fetched], calls.stack_id)
    known = place != UNKNOWN
    blocked[place[known]] = calls.end[place[known]] >= copies.end[fetched][known]
    return blocked


def _sent(trace: Trace) -> npt.NDArray[np.int64]:
    """The calls of copies from the host, which wait for the copy and not for kernels."""
    copies = trace.copies
    if len(copies.stack_id) != len(copies):
        return np.empty(0, dtype=np.int64)
    return copies.stack_id[_is_host(trace, copies.source_agent)]


def _is_host(trace: Trace, agents: IndexColumn) -> npt.NDArray[np.bool_]:
    hosts = [index for index, agent in enumerate(trace.agents) if agent.kind == "CPU"]
    return np.isin(agents, hosts)
