"""The processes of one run on one clock: who comes after whom, and who shares the device."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Optional

import pytest

from rocm_perf_lab.vrocm.recording.device_time import on_one_clock
from rocm_perf_lab.vrocm.recording.records import ProcessRecords

BASE = 1_000


def process(
    pid: int,
    began: int,
    ended: int,
    work: Sequence[tuple[int, int, int]] = (),
    ancestors: Sequence[int] = (),
    end_ns: Optional[int] = None,
) -> ProcessRecords:
    """``work``: when each dispatch was really finished, its virtual start and end after BASE. No
    ``end_ns`` means the end of the last dispatch."""
    last = max((end for _real, _start, end in work), default=0) if end_ns is None else end_ns
    by_kind: dict[str, list[dict[str, Any]]] = {
        "process": [{"pid": pid, "start_ns": BASE, "real_ns": began, "ancestors": list(ancestors)}],
        "agent": [{"id": 1}],
        "dispatch": [
            {"id": n, "start_ns": BASE + start, "end_ns": BASE + end, "real_ns": real}
            for n, (real, start, end) in enumerate(work, 1)
        ],
        "queue": [{"id": 1, "time_ns": BASE, "real_ns": began + 1}],
        "end": [{"end_ns": BASE + last, "real_ns": ended}],
    }
    return ProcessRecords(pid, by_kind)


def placed(*processes: ProcessRecords) -> dict[int, list[tuple[int, int]]]:
    """The dispatches of every process, after BASE."""
    return {
        records.pid: [
            (record["start_ns"] - BASE, record["end_ns"] - BASE)
            for record in records.all("dispatch")
        ]
        for records in on_one_clock(processes)
    }


def test_one_process_is_left_alone() -> None:
    alone = process(1, 500, 900, [(700, 10, 20)])
    assert on_one_clock([alone])[0] is alone


def test_one_after_the_other_never_overlaps() -> None:
    work = [(5, 10, 40)]
    times = placed(
        process(7, 100, 110, [(105, 10, 40)], end_ns=50),
        process(3, 200, 210, [(205, 10, 40)], end_ns=50),  # a lower number, as after a wrap
        process(9, 0, 10, work, end_ns=50),
    )
    assert times == {9: [(10, 40)], 7: [(60, 90)], 3: [(110, 140)]}


def test_all_times_of_a_process_move_together() -> None:
    first, second = process(1, 0, 10, end_ns=50), process(2, 20, 30, [(25, 10, 40)])
    moved = on_one_clock([first, second])
    assert moved[0] is first
    assert moved[1].process["start_ns"] == BASE + 50
    assert moved[1].all("queue")[0]["time_ns"] == BASE + 50
    assert moved[1].all("end")[0]["end_ns"] == BASE + 90
    assert moved[1].all("agent") == [{"id": 1}]
    assert second.process["start_ns"] == BASE  # what was read is not changed


def test_those_alive_together_begin_together() -> None:
    work = [(50, 10, 40)]
    assert placed(process(1, 0, 100, work), process(2, 30, 200, work)) == {
        1: [(10, 40)],
        2: [(10, 40)],
    }


def test_who_begins_after_one_and_beside_another() -> None:
    times = placed(
        process(1, 0, 100, [(50, 0, 70)]),
        process(2, 50, 300, [(60, 0, 500)]),
        process(3, 150, 200, [(160, 0, 5)]),
    )
    assert times == {1: [(0, 70)], 2: [(0, 500)], 3: [(70, 75)]}


def test_who_waits_for_its_children_continues_after_them() -> None:
    times = placed(
        process(1, 0, 1000, [(10, 0, 30), (900, 35, 60)], ancestors=[99]),
        process(2, 100, 200, [(150, 5, 45)], ancestors=[50, 1, 99], end_ns=50),
        process(3, 300, 400, [(350, 5, 45)], ancestors=[51, 1, 99], end_ns=50),
    )
    assert times == {1: [(0, 30), (135, 160)], 2: [(35, 75)], 3: [(85, 125)]}


def test_children_that_run_together_and_a_grandchild() -> None:
    times = placed(
        process(1, 0, 1000, [(10, 0, 30), (900, 30, 60)]),
        process(2, 100, 500, [(150, 0, 10), (450, 10, 20)], ancestors=[1]),
        process(3, 120, 400, [(150, 0, 90)], ancestors=[1]),
        process(4, 200, 300, [(250, 0, 7)], ancestors=[2, 1]),
        process(5, 2000, 2100, [(2050, 0, 1)]),
    )
    assert times[2] == [(30, 40), (47, 57)]
    assert times[4] == [(40, 47)]
    assert times[3] == [(30, 120)]
    assert times[1] == [(0, 30), (120, 150)]
    assert times[5] == [(150, 151)]


def test_a_parent_that_works_meanwhile_shares_the_device() -> None:
    times = placed(
        process(1, 0, 1000, [(10, 0, 30), (150, 30, 60), (900, 60, 90)]),
        process(2, 100, 200, [(120, 0, 10)], ancestors=[1]),
    )
    assert times == {1: [(0, 30), (30, 60), (60, 90)], 2: [(0, 10)]}


def test_a_child_that_outlives_its_parent_comes_after_what_the_parent_did() -> None:
    times = placed(
        process(1, 0, 100, [(10, 0, 30)]), process(2, 50, 500, [(400, 0, 10)], ancestors=[1])
    )
    assert times == {1: [(0, 30)], 2: [(30, 40)]}


def test_a_killed_process_ends_with_its_last_record() -> None:
    killed = process(1, 0, 999, [(10, 0, 30)])
    by_kind = {kind: found for kind, found in killed.by_kind.items() if kind != "end"}
    times = placed(ProcessRecords(1, by_kind), process(2, 50, 60, [(55, 0, 10)]))
    assert times == {1: [(0, 30)], 2: [(30, 40)]}


def test_recordings_that_do_not_tell_stay_where_they_are() -> None:
    silent = ProcessRecords(1, {"dispatch": [{"start_ns": 5, "end_ns": 6}]})
    unstamped = ProcessRecords(2, {"process": [{"pid": 2, "start_ns": BASE}]})
    told = process(3, 0, 10)
    assert on_one_clock([silent, unstamped, told]) == [silent, unstamped, told]


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_lives_order_in_time_is_kept(seed: int) -> None:
    chance = random.Random(seed)
    processes, lives = [], {}
    for pid in range(1, 15):
        began = chance.randrange(1000)
        ended = began + chance.randrange(2, 300)
        reals = sorted(chance.randrange(began + 1, ended + 1) for _ in range(chance.randrange(4)))
        work = [(real, 10 * i, 10 * i + chance.randrange(1, 10)) for i, real in enumerate(reals)]
        ancestors = [pid // 2] if chance.random() < 0.7 else []
        processes.append(process(pid, began, ended, work, ancestors))
        lives[pid] = (began, ended)
    moved = {records.pid: records for records in on_one_clock(processes)}
    assert moved == {r.pid: r for r in on_one_clock(chance.sample(processes, len(processes)))}
    for one, (_began, ended) in lives.items():
        for other, (began, _ended) in lives.items():
            if ended <= began:
                end = moved[one].all("end")[0]["end_ns"]
                assert end <= moved[other].process["start_ns"]
    for records in processes:
        lengths = [r["end_ns"] - r["start_ns"] for r in records.all("dispatch")]
        after = moved[records.pid].all("dispatch")
        assert lengths == [r["end_ns"] - r["start_ns"] for r in after]
        assert [r["start_ns"] for r in after] == sorted(r["start_ns"] for r in after)
