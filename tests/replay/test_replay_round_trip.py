"""Captured in one process, replayed in another: the memory is the same, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from replay_support import Bench, needs_replay, run

pytestmark = needs_replay

CASES = {
    "pointer_chase": ("chase", 1),
    "in_place": ("update", 2),
    "three_kernels": ("middle_kernel", 0),
    "dynamic_lds": ("reverse_rows", 0),
    "device_globals": ("use_globals", 1),
    "many_allocations": ("gather", 0),
    "host_memory": ("add_all", 0),
    "virtual_memory": ("update", 0),
    "pool_memory": ("update", 1),
    "two_streams": ("quick_read", 1),
}
RUNS = 20


@pytest.mark.parametrize("case", CASES)
def test_replay_reproduces_the_memory(bench: Bench, tmp_path: Path, case: str) -> None:
    kernel, dispatch = CASES[case]
    captured = bench.isolate(case, kernel, tmp_path / "capture", dispatch)
    assert captured["changed_bytes"] > 0
    code, document = bench.replay("run", tmp_path / "capture", "--iterations", 3)
    assert code == 0
    assert document["verification"]["verdict"] == "equal"
    assert document["verification"]["changed_bytes"] == captured["changed_bytes"]
    assert document["kernel"]["code"] == "in_place"
    assert kernel in document["kernel"]["name"]


@pytest.mark.parametrize("case", CASES)
def test_capturing_changes_nothing_for_the_application(
    bench: Bench, tmp_path: Path, case: str
) -> None:
    plain = run(bench.program, case)
    assert plain.returncode == 0
    bench.isolate(case, CASES[case][0], tmp_path / "capture", CASES[case][1])
    assert plain.stdout in bench.last_stderr  # the application's output goes there


@pytest.mark.parametrize("case", ["pointer_chase", "device_globals", "host_memory"])
def test_every_replay_finds_its_addresses(bench: Bench, tmp_path: Path, case: str) -> None:
    bench.isolate(case, CASES[case][0], tmp_path / "capture")
    verdicts = [bench.replay("run", tmp_path / "capture")[1]["verification"] for _ in range(RUNS)]
    assert [verdict["verdict"] for verdict in verdicts] == ["equal"] * RUNS


def _after_rounds(seed: int, rounds: int) -> int:
    """The slow kernel's value: x -> a x + c, repeated by squaring."""
    a, c = 1664525, 1013904223
    multiplier, offset = 1, 0
    while rounds:
        if rounds & 1:
            multiplier, offset = multiplier * a % 2**32, (offset * a + c) % 2**32
        a, c = a * a % 2**32, (c * a + c) % 2**32
        rounds >>= 1
    return (seed * multiplier + offset) % 2**32


def test_earlier_work_on_other_streams_is_in_the_capture(bench: Bench, tmp_path: Path) -> None:
    """The slow kernel still runs when the quick one is submitted; the drain waits for it."""
    capture = tmp_path / "capture"
    bench.isolate("two_streams", "quick_read", capture, dispatch=1)
    dispatch = json.loads((capture / "dispatch.json").read_text())
    kernarg = np.frombuffer((capture / "kernarg.bin").read_bytes()[:16], dtype=np.uint64)
    shared = np.frombuffer((capture / f"memory/region_{kernarg[0]:x}.bin").read_bytes(), np.uint32)
    assert shared.tolist() == [_after_rounds(seed, 8_000_000) for seed in range(1, 65)]
    assert dispatch["drain_seconds"] > 0.02


def test_arguments_that_the_host_writes_meanwhile_are_no_output(
    bench: Bench, tmp_path: Path
) -> None:
    """While the slow kernel is captured, another thread writes the arguments of the quick one."""
    bench.isolate("two_streams", "slow_fill", tmp_path / "capture")
    dispatch = json.loads((tmp_path / "capture" / "dispatch.json").read_text())
    assert len(dispatch["host_written"]) == 1
    code, document = bench.replay("run", tmp_path / "capture")
    assert (code, document["verification"]["verdict"]) == (0, "equal")


def test_the_numbered_dispatch_is_taken(bench: Bench, tmp_path: Path) -> None:
    """Each round of the pointer chase adds 40 to the sum before: captures differ by that."""
    sums = []
    for dispatch in (1, 2):
        capture = tmp_path / f"capture{dispatch}"
        bench.isolate("pointer_chase", "chase", capture, dispatch)
        arguments = np.frombuffer((capture / "kernarg.bin").read_bytes()[:16], dtype=np.uint64)
        content = (capture / f"memory/region_{arguments[1]:x}.bin").read_bytes()
        sums.append(int.from_bytes(content, "little"))
    squares = sum(i * i for i in range(40))
    assert sums == [squares + 40, 2 * squares + 120]


def test_stateful_replays_continue_from_each_other(bench: Bench, in_place: Path) -> None:
    code, document = bench.replay("run", in_place, "--iterations", 4, "--no-recopy")
    assert code == 0  # the first iteration is compared
    assert document["execution"]["mode"] == "stateful"
    assert len(document["timing"]["raw_ns"]) == 4


def test_check_answers_for_every_place(bench: Bench, in_place: Path) -> None:
    for action in ("check", "reserve-check"):
        code, document = bench.replay(action, in_place)
        assert code == 0
        assert {place["status"] for place in document["places"]} == {"OK"}
        assert document["memory_bytes"] >= 40000
