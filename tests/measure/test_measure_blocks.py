"""Interleaved process blocks: who ran when, what was measured, and what is said when it fails."""

from __future__ import annotations

import sys
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from fakes.fake_rocm import FakeRocm, write_program
from rocm_perf_lab.collect.process import run_process
from rocm_perf_lab.collect.rocprof.options import Step
from rocm_perf_lab.errors import ApplicationFailed, NothingRecorded, UsageError
from rocm_perf_lab.measure.blocks import (
    ROLES,
    BlockRequest,
    BlockTimes,
    Command,
    kernel_times,
    measure_blocks,
    order_of,
)
from rocm_perf_lab.measure.process_times import MachineIdentity, ProcessTimes

KERNEL = "vector_add(float const*, float const*, float*, int)"
BASE = Command((sys.executable, "-c", "pass"))
HEAD = Command((sys.executable, "-c", "'head'"))


def request(fake: FakeRocm, **more: object) -> BlockRequest:
    return BlockRequest(BASE, HEAD, **{"rocm": fake.path, "blocks": 2, **more})  # type: ignore[arg-type]


def test_each_block_runs_three_processes_in_the_order_that_it_says(fake_rocm: FakeRocm) -> None:
    durations = [100_000 + 1000 * run for run in range(6)]
    fake_rocm.behave(durations_ns=durations, dispatches=2)
    blocks = list(measure_blocks(request(fake_rocm, seed=5)))
    assert [block.number for block in blocks] == [1, 2]
    ran = [argv for call in fake_rocm.calls() if HEAD.argv[-1] in (argv := call["argv"])]
    assert len(ran) == 2
    for block, times in zip(blocks, (durations[:3], durations[3:])):
        measured = [block.processes[role].kernels[KERNEL] for role in block.order]
        assert measured == [(time, time) for time in times]
        assert sorted(block.order) == sorted(ROLES)
    places = [block.order.index("B") for block in blocks]
    heads = [n for n, call in enumerate(fake_rocm.calls()) if HEAD.argv[-1] in call["argv"]]
    assert heads == [places[0], 3 + places[1]], "B is the head, the other two the base"


def test_the_end_to_end_time_is_from_the_first_start_to_the_last_end(fake_rocm: FakeRocm) -> None:
    fake_rocm.behave(durations_ns=[100_000], dispatches=3)
    (block,) = measure_blocks(request(fake_rocm, blocks=1))
    times = block.processes["B"]
    assert times.kernel_sum_ns == 300_000
    assert times.critical_path_ns is not None
    assert times.critical_path_ns >= times.kernel_sum_ns
    assert times.machine == block.processes["A"].machine
    assert not times.machine.virtual


def test_orders_are_random_and_repeatable() -> None:
    orders = [order_of(7, number) for number in range(600)]
    assert orders == [order_of(7, number) for number in range(600)]
    assert orders != [order_of(8, number) for number in range(600)]
    counts = {order: orders.count(order) for order in set(orders)}
    assert len(counts) == 6
    assert all(70 < count < 130 for count in counts.values())


def test_whoever_knows_enough_stops_asking(fake_rocm: FakeRocm) -> None:
    with closing(measure_blocks(request(fake_rocm, blocks=50))) as blocks:
        assert len(list(islice(blocks, 1))) == 1
    assert len(fake_rocm.calls()) == 3


def test_a_command_has_its_own_variables_and_folder(fake_rocm: FakeRocm, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    text = '#!/bin/sh\ntest "$WHO" = head && pwd > here\nexit 0\n'
    program = write_program(place / "app", text)
    head = Command(("./app",), {"WHO": "head"}, place)
    list(measure_blocks(BlockRequest(Command((str(program),)), head, 1, rocm=fake_rocm.path)))
    assert (place / "here").read_text().strip() == str(place)


def test_a_failure_says_which_of_the_two_failed(fake_rocm: FakeRocm) -> None:
    broken = Command((sys.executable, "-c", "raise SystemExit(3)"))
    with pytest.raises(ApplicationFailed) as caught:
        list(measure_blocks(BlockRequest(BASE, broken, 1, rocm=fake_rocm.path)))
    assert caught.value.cause.startswith("HEAD (")
    assert "exit code 3" in caught.value.cause
    with pytest.raises(ApplicationFailed) as caught:
        list(measure_blocks(BlockRequest(broken, BASE, 1, rocm=fake_rocm.path)))
    assert caught.value.cause.startswith("BASE (")


def test_an_application_that_launches_nothing_is_an_error(fake_rocm: FakeRocm) -> None:
    fake_rocm.behave(dispatches=0)
    with pytest.raises(NothingRecorded) as caught:
        list(measure_blocks(request(fake_rocm, seed=5)))
    first = "HEAD" if order_of(5, 1)[0] == "B" else "BASE"
    assert caught.value.cause.startswith(f"{first} (")
    assert "no kernels recorded" in caught.value.cause


def test_a_time_limit_holds_for_each_process(fake_rocm: FakeRocm) -> None:
    slow = Command((sys.executable, "-c", "import time; time.sleep(60)"))
    with pytest.raises(ApplicationFailed, match="did not end within"):
        list(measure_blocks(BlockRequest(slow, slow, 1, rocm=fake_rocm.path, timeout_s=0.5)))


def test_a_kernel_that_one_of_them_lacks_is_named(fake_rocm: FakeRocm) -> None:
    blocks = list(measure_blocks(request(fake_rocm)))
    assert [len(block) for block in kernel_times(blocks, KERNEL)] == [3, 3]
    with pytest.raises(NothingRecorded, match="base of block 1 launched no kernel gemm") as caught:
        kernel_times(blocks, "gemm")
    assert caught.value.next_step == f"it launched {KERNEL}"


@pytest.mark.parametrize(("role", "label"), [("A", "base"), ("A2", "base again"), ("B", "head")])
def test_who_lacks_the_kernel_is_named_with_five_that_it_has(role: str, label: str) -> None:
    machine = MachineIdentity(None, None, False)
    whole = ProcessTimes({"gemm": (1,), **{f"k{n}": (1,) for n in range(9)}}, None, machine)
    without = ProcessTimes({f"k{n}": (1,) for n in reversed(range(9))}, None, machine)
    processes = {**dict.fromkeys(ROLES, whole), role: without}
    with pytest.raises(NothingRecorded) as caught:
        kernel_times([BlockTimes(4, ROLES, processes)], "gemm")
    assert caught.value.cause == f"{label} of block 4 launched no kernel gemm"
    assert caught.value.next_step == "it launched k0, k1, k2, k3, k4"
    nothing = ProcessTimes({}, None, machine)
    with pytest.raises(NothingRecorded) as caught:
        kernel_times([BlockTimes(4, ROLES, {**processes, role: nothing})], "gemm")
    assert caught.value.next_step == "it launched none"


def test_times_are_those_of_a_a2_and_b() -> None:
    machine = MachineIdentity(None, None, False)
    times = {"A": (1, 2), "A2": (3,), "B": (4,)}
    processes = {role: ProcessTimes({"f": times[role]}, None, machine) for role in times}
    block = BlockTimes(1, ("B", "A", "A2"), processes)
    assert kernel_times([block], "f") == [((1, 2), (3,), (4,))]


def test_an_error_hides_what_is_secret(fake_rocm: FakeRocm) -> None:
    broken = Command((sys.executable, "-c", "raise SystemExit(3)", "--token", "hunter2"))
    with pytest.raises(ApplicationFailed) as caught:
        list(measure_blocks(BlockRequest(broken, broken, 1, rocm=fake_rocm.path)))
    assert "--token '<redacted>'" in caught.value.cause
    assert "hunter2" not in caught.value.cause


def test_recordings_lie_in_the_place_that_was_given_and_go(
    fake_rocm: FakeRocm, tmp_path: Path
) -> None:
    space = tmp_path / "space"
    space.mkdir()
    with closing(measure_blocks(request(fake_rocm, space=space))) as blocks:
        next(blocks)
        assert any(space.iterdir())
        assert not [path for path in space.rglob("*") if path.is_file()]


def test_what_starts_the_processes_can_be_another(fake_rocm: FakeRocm) -> None:
    started = []

    def start(argv, **more):  # type: ignore[no-untyped-def]
        started.append(argv)
        return run_process(argv, **more)

    list(measure_blocks(request(fake_rocm, blocks=1, start=start)))
    assert len(started) == 3


def test_no_block_is_refused(fake_rocm: FakeRocm) -> None:
    with pytest.raises(UsageError, match="0 blocks measure nothing"):
        request(fake_rocm, blocks=0)


def test_progress_counts_blocks(fake_rocm: FakeRocm) -> None:
    heard = []

    class Heard:
        def started(self, step: Step, command: tuple[str, ...]) -> None:
            heard.append((step.label, step.position, step.total))

        def finished(self, step: Step, wall_ns: int) -> None:
            pass

    list(measure_blocks(request(fake_rocm, progress=Heard())))
    assert sorted(heard) == sorted(
        (label, number, 2) for number in (1, 2) for label in ("base", "base again", "head")
    )
