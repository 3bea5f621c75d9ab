"""Work that meets other work: waves that wait for what others store, atomics on a hot line,
kernels of several streams, copies.

The bounds are what the parts of the model cost, whatever the rest of it says: a chain of n hops
takes at least n hops.
"""

from __future__ import annotations

from pathlib import Path
from typing import Callable, NamedTuple

import pytest
from hip_support import PROGRAMS, compiled, needs_hip, shared_folder, trace_records

from rocm_perf_lab.arch.model import load_timing_model

pytestmark = needs_hip

MODEL = load_timing_model()
CLOCK = MODEL.value("clock_ghz")
# A store is seen by a wave that polls, at least: half of its polls come too early, and those that
# come in time take as long as any load.
HOP_WITHIN = (MODEL.value("hand_over_l2_cycles") + MODEL.value("l2_hit_latency")) / CLOCK
HOP_BETWEEN = (MODEL.value("hand_over_mall_cycles") + MODEL.value("mall_latency")) / CLOCK
SLOWEST_HOP_NS = 1500
SAME_LINE = MODEL.value("atomic_same_line_cycles") / CLOCK
FAR_MISS = MODEL.value("far_miss_cycles") / CLOCK
KEYS = 304 * 256 * 4
HARDWARE_QUEUES = 4


class Span(NamedTuple):
    start: int
    end: int


class Recorded(NamedTuple):
    dispatches: list[Span]
    copies: list[Span]

    @property
    def duration(self) -> int:
        return max(d.end for d in self.dispatches) - min(d.start for d in self.dispatches)

    @property
    def kernel(self) -> int:
        (only,) = self.dispatches
        return only.end - only.start


Meeting = Callable[..., Recorded]


@pytest.fixture(scope="module")
def meeting(tmp_path_factory: pytest.TempPathFactory) -> Meeting:
    program = compiled(shared_folder(tmp_path_factory), PROGRAMS / "meeting.hip")

    def record(*arguments: object, **environment: str) -> Recorded:
        folder: Path = tmp_path_factory.mktemp("meeting")
        traced = {"VROCM_TRACE_DOMAINS": "kernel,copy", **environment}
        records = trace_records(program, folder, *arguments, environment=traced, kind=None)

        def spans(kind: str) -> list[Span]:
            found = [r for r in records if r["record"] == kind]
            return sorted(Span(r["start_ns"], r["end_ns"]) for r in found)

        return Recorded(spans("dispatch"), spans("copy"))

    return record


@pytest.mark.parametrize("backwards", [0, 1])
def test_a_chain_takes_at_least_its_hops(meeting: Meeting, backwards: int) -> None:
    short, long = (meeting("chain", n, backwards).kernel for n in (8, 64))
    assert 56 * HOP_BETWEEN <= long - short <= 56 * SLOWEST_HOP_NS


def test_who_comes_first_on_the_host_does_not_matter(meeting: Meeting) -> None:
    forwards, backwards = (meeting("chain", 64, way).kernel for way in (0, 1))
    assert backwards == pytest.approx(forwards, rel=0.15)


def test_a_chain_simulated_whole_takes_its_hops_too(meeting: Meeting) -> None:
    assert meeting("chain", 64, 0, VROCM_TIMING="full").kernel >= 63 * HOP_BETWEEN


@pytest.mark.parametrize(("partner", "hop"), [(1, HOP_BETWEEN), (8, HOP_WITHIN)])
def test_a_round_trip_is_two_hops(meeting: Meeting, partner: int, hop: float) -> None:
    few, many = (meeting("ping_pong", rounds, partner).kernel for rounds in (4, 14))
    assert 2 * 10 * hop <= many - few <= 2 * 10 * SLOWEST_HOP_NS


def test_a_neighbour_on_the_same_xcd_is_nearer(meeting: Meeting) -> None:
    assert meeting("ping_pong", 12, 8).kernel < meeting("ping_pong", 12, 1).kernel


@pytest.mark.parametrize("kind", ["barrier", "grid_sync"])
def test_every_barrier_of_the_grid_costs_its_way(meeting: Meeting, kind: str) -> None:
    few, many = (meeting(kind, rounds, 304).kernel for rounds in (1, 6))
    way = MODEL.value("global_sync_cycles") / CLOCK
    assert 5 * way <= many - few <= 5 * 20 * way
    assert meeting(kind, 1, 304).kernel >= meeting(kind, 1, 8).kernel


def test_reading_the_same_again_is_no_waiting(meeting: Meeting) -> None:
    few, many = (meeting("read_again", rounds, 8).kernel for rounds in (100, 1100))
    assert (many - few) * CLOCK >= 1000 * MODEL.value("vector_hit_latency")


def test_what_waves_wait_for_does_not_depend_on_host_threads(meeting: Meeting) -> None:
    for what in (("chain", 40, 1), ("ping_pong", 5, 1), ("read", 4, 4)):
        assert meeting(*what, VROCM_THREADS="1") == meeting(*what, VROCM_THREADS="3")


def test_a_hot_line_decides(meeting: Meeting) -> None:
    times = [meeting("histogram", hot).kernel for hot in (0, 25, 90, 100)]
    assert times == sorted(times)
    for hot, time in zip((25, 90, 100), times[1:]):
        # Who is drawn for the hot key varies a little.
        assert time >= 0.97 * hot / 100 * KEYS * SAME_LINE
    assert times[-1] == pytest.approx(KEYS * SAME_LINE, rel=0.1)


def test_a_hot_line_decides_of_what_is_simulated_whole(meeting: Meeting) -> None:
    time = meeting("histogram", 25, VROCM_TIMING="full").kernel
    assert time >= 0.97 * 0.25 * KEYS * SAME_LINE


def test_streams_share_the_memory(meeting: Meeting) -> None:
    megabytes = 64
    moved = 4 * (megabytes << 20)
    together = [meeting("read", streams, megabytes).duration for streams in (1, 2, 4)]
    assert together == sorted(together, reverse=True)
    assert moved / together[-1] <= MODEL.value("memory_read_bytes_per_ns")
    assert moved / together[-1] >= 0.8 * MODEL.value("memory_read_bytes_per_ns")


def test_streams_beyond_the_hardware_queues_follow_each_other(meeting: Meeting) -> None:
    one, four, sixteen = (meeting("compute", n).dispatches for n in (1, 4, 16))
    alone = one[0].end - one[0].start
    assert max(d.end for d in four) - four[0].start < 1.5 * alone
    assert max(d.end for d in sixteen) - sixteen[0].start >= 16 / HARDWARE_QUEUES * alone
    for span in sixteen:
        at_a_time = sum(d.start <= span.start < d.end for d in sixteen)
        assert at_a_time <= HARDWARE_QUEUES


def test_more_hardware_queues_for_more_streams(meeting: Meeting) -> None:
    one, sixteen = meeting("compute", 1), meeting("compute", 16, GPU_MAX_HW_QUEUES="16")
    assert sixteen.duration < 2 * one.duration


def test_random_loads_from_far_more_memory_take_longer(meeting: Meeting) -> None:
    near, far = (meeting("chase", megabytes).dispatches[-1] for megabytes in (256, 2048))
    longer = (far.end - far.start) - (near.end - near.start)
    assert 0.4 * 20000 * FAR_MISS <= longer <= 1.5 * 20000 * FAR_MISS


def test_pageable_copies_go_through_pinned_memory(meeting: Meeting) -> None:
    found = {
        way: sum(c.end - c.start for c in meeting(way, 16).copies)
        for way in ("pinned", "registered", "pageable")
    }
    assert found["pinned"] == found["registered"]
    assert found["pageable"] > 2 * found["pinned"]
