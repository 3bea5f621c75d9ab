"""Where the time of a verdict goes: the stopwatch of the benchmark."""

from __future__ import annotations

import time

import pytest
from benchmarks.cheats.verdict import Stopwatch


def test_time_belongs_to_the_part_that_began_last(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    watch = Stopwatch()

    def passes(seconds: float) -> None:
        now[0] += seconds

    def fails() -> None:
        passes(3)
        raise ValueError("fails")

    inner, failing = watch.timed("inner", passes), watch.timed("failing", fails)

    def work() -> None:
        passes(1)
        inner(5)
        passes(2)
        with pytest.raises(ValueError, match="fails"):
            failing()

    watch.timed("outer", work)()
    passes(70)
    inner(0.5)
    assert dict(watch.seconds) == {"outer": 3, "inner": 5.5, "failing": 3}
