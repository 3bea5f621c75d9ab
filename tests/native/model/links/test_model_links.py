"""Kernels that reach memory of the host or of another device do so over a link, which carries what
it carries: however many workgroups ask, in whatever order, from however many streams."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest
from hip_support import PROGRAMS, compiled, needs_hip, run, shared_folder, trace_records

from rocm_perf_lab.arch.model import load_timing_model

pytestmark = needs_hip

MODEL = load_timing_model()
HOST = MODEL.value("host_link_bytes_per_us") / 1e3  # bytes per ns
PEER = MODEL.value("peer_link_bytes_per_us") / 1e3
HOST_LATENCY = MODEL.value("host_memory_latency") / MODEL.value("clock_ghz")
MEGABYTES = 8
BYTES = MEGABYTES << 20

Times = Callable[..., "list[tuple[int, int]]"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(shared_folder(tmp_path_factory), PROGRAMS / "linked.hip")


@pytest.fixture(scope="module")
def spans(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Times:
    def record(*arguments: object, **environment: str) -> list[tuple[int, int]]:
        folder = tmp_path_factory.mktemp("linked")
        usual = {"VROCM_DEVICES": "3", "VROCM_TRACE_DOMAINS": "kernel", **environment}
        records = trace_records(program, folder, *arguments, environment=usual)
        return [(r["start_ns"], r["end_ns"]) for r in records]

    return record


def only(spans: list[tuple[int, int]]) -> int:
    ((start, end),) = spans
    return end - start


WAYS = [
    ("from_host", HOST, 1.12),
    ("to_host", HOST, 1.12),
    ("host_to_host", HOST, 1.12),  # both directions at a time
    ("from_peer", PEER, 1.12),
    ("to_peer", PEER, 1.12),
    # Each has a link of its own, but the L2 holds so few bytes back until the kernel ends.
    ("from_peer_to_peer", PEER, 2.12),
]


@pytest.mark.parametrize(("way", "rate", "most"), WAYS)
@pytest.mark.parametrize("groups", [304, 4096])
def test_a_link_carries_no_more(
    spans: Times, way: str, rate: float, most: float, groups: int
) -> None:
    time = only(spans(way, MEGABYTES, groups))
    assert BYTES / rate <= time <= most * BYTES / rate


@pytest.mark.parametrize(("way", "rate"), [("from_host", HOST), ("from_peer", PEER)])
def test_nor_when_everything_is_simulated(spans: Times, way: str, rate: float) -> None:
    time = only(spans(way, MEGABYTES, 304, VROCM_TIMING="full"))
    assert BYTES / rate <= time <= 1.12 * BYTES / rate


def test_the_own_memory_is_far_faster(spans: Times) -> None:
    assert only(spans("own", MEGABYTES)) < 0.1 * only(spans("from_host", MEGABYTES))


def test_two_streams_share_the_link(spans: Times) -> None:
    both = spans("streams", MEGABYTES, 64)
    assert max(end for _, end in both) - min(start for start, _ in both) >= 2 * BYTES / HOST


def test_variables_of_a_program_are_memory_of_each_device(spans: Times) -> None:
    first, second = (end - start for start, end in spans("variables", 1))
    assert second == pytest.approx(first, rel=0.02)
    assert first < (1 << 20) / PEER


def test_host_threads_do_not_change_the_time(spans: Times) -> None:
    for way in ("from_host", "to_peer"):
        one, three = (spans(way, 1, 304, VROCM_THREADS=threads) for threads in "13")
        assert one == three


def test_another_clock_does_not_make_the_link_faster(spans: Times) -> None:
    usual, slow = (
        only(spans("from_host", MEGABYTES)),
        only(spans("from_host", MEGABYTES, 304, VROCM_MODEL="38:1.05")),
    )
    assert slow == pytest.approx(usual, rel=0.05)


def test_a_link_that_is_free_carries_anything(spans: Times) -> None:
    without = only(spans("from_host", MEGABYTES, 304, VROCM_IDEAL="links"))
    assert without < 0.2 * BYTES / HOST
    other = only(spans("own", MEGABYTES))
    assert other - only(spans("own", MEGABYTES, 304, VROCM_IDEAL="links")) <= 0.01 * other


def test_what_was_prefetched_is_near(spans: Times) -> None:
    there, half, here, back = (end - start for start, end in spans("prefetched", MEGABYTES))
    assert there == pytest.approx(BYTES / HOST, rel=0.12)
    assert half == pytest.approx(BYTES / 2 / HOST, rel=0.15)
    assert here < 0.1 * there
    assert back == pytest.approx(there, rel=0.05)


def test_a_prefetch_takes_its_time(program: Path) -> None:
    done = run(program, "prefetch", str(MEGABYTES))
    assert float(done.stdout) * 1e6 == pytest.approx(BYTES / HOST, rel=0.05)


def test_atomics_on_the_host_take_the_way_there(spans: Times) -> None:
    assert only(spans("atomics", 1)) >= HOST_LATENCY
