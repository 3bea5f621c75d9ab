"""Damage to the bytes of a file, as a fuzzer chooses it, and what a reader may make of it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import Trace

flips = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=12)


def damaged(data: bytes, changes: list[tuple[float, int]], keep: float) -> bytes:
    """The first share ``keep`` of the bytes, with some of them (by relative place) replaced."""
    changed = bytearray(data[: int(len(data) * keep)])
    for place, value in changes:
        if changed:
            changed[min(int(place * len(changed)), len(changed) - 1)] = value
    return bytes(changed)


def load_or_explain(path: Path) -> None:
    """Load and use what was loaded; the only error allowed says what to do next."""
    try:
        use(load([path]))
    except RecordingError as error:
        if not (error.cause and error.next_step):
            raise AssertionError("an error without cause or next step") from error


def use(trace: Trace) -> None:
    """Indexes must lead somewhere."""
    rows = trace.dispatches
    assert (rows.end >= rows.start).all()
    for column, records in (("kernel", trace.kernels), ("process", trace.processes)):
        indexes = getattr(rows, column)
        assert ((indexes >= 0) & (indexes < len(records))).all(), column
    for column, records in (("queue", trace.queues), ("stream", trace.streams)):
        indexes = getattr(rows, column)
        assert ((indexes >= -1) & (indexes < len(records))).all(), column
    for row in range(len(trace.api_calls)):
        trace.api_arguments(row)
