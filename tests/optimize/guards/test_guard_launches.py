"""G4: two runs launch and copy the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from launch_traces import OTHER, WORK, Launched, trace

from rocm_perf_lab.optimize.guards.launches import check_launches

LAUNCHES = [Launched(), Launched(OTHER), Launched(dynamic_lds=512), Launched(OTHER, stream=2)]
BEFORE = trace(LAUNCHES, copies=[100, 200])


def changed(place: int, **values: object) -> list[Launched]:
    launches = list(LAUNCHES)
    launches[place] = replace(launches[place], **values)
    return launches


def test_times_and_numbers_of_streams_do_not_matter() -> None:
    launches = [replace(launch, nanoseconds=17) for launch in LAUNCHES]
    assert check_launches(BEFORE, trace(launches, [100, 200], first_stream=40), WORK) is None


def test_streams_may_begin_in_any_order() -> None:
    other = [LAUNCHES[3], *LAUNCHES[:3]]
    assert check_launches(BEFORE, trace(other, [100, 200]), WORK) is None


def test_only_the_changed_kernel_may_have_other_static_lds() -> None:
    after = trace(LAUNCHES, [100, 200], static_lds=4096)
    assert check_launches(BEFORE, after, WORK) is None
    refusal = check_launches(BEFORE, after, OTHER)
    assert refusal is not None
    assert refusal.reason == "launch"


DIFFERENT = {
    "fewer": (LAUNCHES[:3], [100, 200], "count-of-dispatches",
              "3 dispatches instead of 4 (-1 other(float*))"),
    "more": ([*LAUNCHES, Launched(OTHER)], [100, 200], "count-of-dispatches",
             "5 dispatches instead of 4 (+1 other(float*))"),
    "order": ([LAUNCHES[1], LAUNCHES[0], *LAUNCHES[2:]], [100, 200], "launch",
              "launch 0 of stream 0 is other(float*)"),
    "grid": (changed(2, grid=(2048, 1, 1)), [100, 200], "launch", "grid (2048, 1, 1)"),
    "block": (changed(2, block=(64, 1, 1)), [100, 200], "launch", "block (64, 1, 1)"),
    "dynamic LDS": (changed(2, dynamic_lds=0), [100, 200], "launch", "LDS 0"),
    "kernel": (changed(1, kernel=WORK), [100, 200], "launch", "is work(float*)"),
    "another stream": (changed(1, stream=9), [100, 200], "streams", "on 3 streams instead of 2"),
    "graph": (changed(1, graph=5), [100, 200], "launch", "in a graph"),
    "copies": (LAUNCHES, [100], "count-of-copies", "1 copies instead of 2"),
    "size of a copy": (LAUNCHES, [100, 100], "copy", "copy 1 of stream 0 is HOST_TO_DEVICE 100"),
}  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENT)
def test_each_difference_is_refused_with_its_place(name: str) -> None:
    launches, copies, reason, text = DIFFERENT[name]
    refusal = check_launches(BEFORE, trace(launches, copies), WORK)
    assert refusal is not None
    assert (refusal.stage.value, refusal.reason) == ("G4", reason)
    assert text in refusal.message


def test_nothing_recorded_is_never_the_same() -> None:
    refusal = check_launches(trace([]), trace([]))
    assert refusal is not None
    assert refusal.reason == "nothing-recorded"
