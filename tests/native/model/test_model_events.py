"""The order of events in the timing simulation, against a heap."""

from __future__ import annotations

import ctypes
import heapq

from exec_support import model_library, needs_model_harness
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = needs_model_harness

# Near and far, the same moment, and parts of a cycle.
TIMES = st.one_of(
    st.integers(0, 8).map(float),
    st.floats(0, 40),
    st.integers(0, 5000).map(float),
    st.floats(0, 1e6),
)


def order_by_heap(times: list[float], begun: int) -> list[int]:
    events = [(time, wave) for wave, time in enumerate(times[:begun])]
    heapq.heapify(events)
    order = []
    while events:
        time, wave = heapq.heappop(events)
        order.append(wave)
        following = begun + len(order) - 1
        if following < len(times):
            heapq.heappush(events, (time + times[following], following))
    return order


@settings(max_examples=200, deadline=None)
@given(st.lists(TIMES, min_size=1, max_size=200), st.integers(1, 60))
def test_events_come_in_the_order_of_time_and_then_of_waves(times: list[float], begun: int) -> None:
    begun = min(begun, len(times))
    order = (ctypes.c_uint32 * len(times))()
    model_library().model_event_order(
        (ctypes.c_double * len(times))(*times),
        ctypes.c_uint32(len(times)),
        ctypes.c_uint32(begun),
        order,
    )
    assert list(order) == order_by_heap(times, begun)
