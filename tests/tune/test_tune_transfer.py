"""Results of other machines say where to look; slow workers get company."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sklearn")

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.tune.journal import key_of
from rocm_perf_lab.tune.measurement import Measurement
from rocm_perf_lab.tune.recorded import Recorded
from rocm_perf_lab.tune.run.cluster import Cluster
from rocm_perf_lab.tune.run.spec import Commands, ProgramSpec
from rocm_perf_lab.tune.space.space_file import space_of
from rocm_perf_lab.tune.transfer import TAKEN, best_elsewhere

SPACE = space_of({"parameters": {"a": [1, 2, 3, 4], "b": [1, 2, 4]}, "conditions": ["a * b < 16"]})


def recorded(values: list[int]) -> Recorded:
    space = space_of({"a": values, "b": [4, 2, 1]})
    found = [space.configuration(row) for row in space.all_rows()]
    times = {key_of(c): Measurement(c, "ok", float(c["a"]) * 10 + float(c["b"])) for c in found}
    times[key_of(found[0])] = Measurement(found[0], "failed", reason="exit code 1")
    return Recorded(space, times)


def test_the_fastest_elsewhere_that_are_in_this_space() -> None:
    """a = 0 is not in it, and 4 x 4 does not meet the condition."""
    rows = best_elsewhere(SPACE, recorded([0, 3, 4]), Path("other"))
    found = [SPACE.configuration(row) for row in rows]
    assert found == [{"a": a, "b": b} for a, b in ((3, 1), (3, 2), (3, 4), (4, 1), (4, 2))]
    assert len(best_elsewhere(SPACE, recorded([1, 2, 3, 4]), Path("other"))) == TAKEN


def test_nothing_in_common() -> None:
    with pytest.raises(UsageError, match="no configuration of other is one of this space"):
        best_elsewhere(SPACE, recorded([7, 9]), Path("other"))


class Future:
    def __init__(self) -> None:
        self.cancelled = False
        self.callback: Callable[[Any], None] = lambda _: None
        self.answer: Any = None

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        self.callback = callback

    def result(self) -> Any:
        return self.answer

    def cancel(self) -> None:
        self.cancelled = True

    def done(self, answer: Measurement) -> None:
        self.answer = answer
        self.callback(self)


class Client:
    """Two workers of which the second question's first one hangs."""

    status = "running"

    def __init__(self) -> None:
        self.futures: list[Future] = []

    def submit(
        self, _function: object, _spec: object, configuration: Any, *_: Any, **__: Any
    ) -> Any:
        future = Future()
        self.futures.append(future)
        if len(self.futures) == 3:  # the straggler's company answers when somebody listens
            future.add_done_callback = lambda callback: callback(future)  # type: ignore[method-assign]
            future.answer = Measurement(configuration, "ok", 2.0)
        return future


def test_a_straggler_gets_company_and_counts_once() -> None:
    pytest.importorskip("distributed")
    client = Client()
    cluster = Cluster(client, ProgramSpec(Commands("./k {a}"), ("a",)), straggler_s=0.0)
    cluster.start(1, {"a": 1}, None)
    cluster.start(2, {"a": 2}, None)
    client.futures[0].done(Measurement({"a": 1}, "ok", 1.0))
    assert cluster.next_done()[0] == 1
    number, measurement = cluster.next_done()
    assert (number, measurement.value) == (2, 2.0)
    assert client.futures[1].cancelled
    client.futures[1].done(Measurement({"a": 2}, "ok", 9.0))  # late, and not wanted any more
    cluster.start(3, {"a": 3}, None)
    client.futures[3].done(Measurement({"a": 3}, "ok", 3.0))
    assert cluster.next_done() == (3, Measurement({"a": 3}, "ok", 3.0))
