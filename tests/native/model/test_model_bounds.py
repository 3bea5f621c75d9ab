"""Lower bounds of the timing model: no duration, and no simulation of everything, undercuts them.

They follow from exact counts. A kernel meets one when its heavy work is where no sample looks.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Optional

import pytest
from exec_support import Buffer, Code, DispatchResult, build, needs_harness
from hypothesis import given, settings
from hypothesis import strategies as st
from phase_kernel import KINDS, Launch, phase_kernel

from rocm_perf_lab.analysis.documents.kernel_rows.time_bounds import MEANINGS
from rocm_perf_lab.arch.model import load_timing_model

pytestmark = needs_harness

CLOCK_GHZ = 2.1
LAUNCH_AND_RETIRE_NS = sum(map(load_timing_model().value, ("launch_ns", "retire_ns")))
LIGHT = (("fma", 1),)
BIG = 1 << 27


class Device:
    def __init__(self, folder: Path) -> None:
        self.code: Code = build(phase_kernel("phases"), folder, "assembler")
        self.memory = Buffer.unwritten(BIG + 65536, "data")

    def run(self, launch: Launch) -> DispatchResult:
        return launch.run(self.code, self.memory)


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Device:
    return Device(tmp_path_factory.mktemp("bounds"))


def undercut(result: DispatchResult, simulated: bool) -> Optional[str]:
    """The bound that a time lies below, by more than it is rounded."""
    time = result.simulated_ns if simulated else result.duration_ns
    cycles = (time + 1 - LAUNCH_AND_RETIRE_NS) * CLOCK_GHZ
    return next((name for name, bound in result.bounds.items() if bound > cycles), None)


def hidden(kind: str, rounds: int, **changes: object) -> Launch:
    """XCD 1 has more to do than the others, of which one is looked at."""
    launch = Launch(LIGHT, groups=2400, waves=8, heavy=((kind, rounds),), position=1, mask=7)
    return launch.with_(**changes)


ON_XCD = 2400 // 8
WAVES = ON_XCD * 8
UNITS, SIMDS = 38, 38 * 4

# What decides, and the cycles of the body's instructions alone.
HIDDEN = {
    "vector": (hidden("exp", 30), WAVES * 30 * 4 * 16 / SIMDS),
    "matrix": (hidden("matrix", 30), WAVES * 30 * 4 * 16 / SIMDS),
    "scalar": (hidden("scalar", 60), WAVES * 60 * 10 * 4 / SIMDS),
    "scalar memory": (hidden("constants", 30), WAVES * 30 * 8 * 4 / SIMDS),
    "memory issue": (hidden("few_lanes", 30), WAVES * 30 * 8 * 4 / SIMDS),
    "branch": (hidden("jump", 60), WAVES * 60 * 5 * 4 / SIMDS),
    "LDS": (hidden("lds", 40), WAVES * 40 * 2 * 16 / (2 * UNITS)),
    "vector cache": (hidden("load_same", 20), WAVES * 20 * 2 * 1024 / 64 / UNITS),
    "L2 writes": (hidden("store_same", 20), WAVES * 20 * 2 * 1024 / (16 * 64)),
    "atomics on a line": (hidden("atomic", 5), WAVES * 5 * 64 * 18.7),
    "room": (
        hidden("idle", 100, groups=8 * 1200, waves=1), 1200 * 100 * (64 + 8 + 16) / (UNITS * 4)
    ),
    "wave": (
        hidden("lds_wait", 300, groups=1000, waves=1, mask=0xFFFFFFFF), 300 * (4 + 42 + 8 + 16)
    ),
}  # fmt: skip


# The XCD whose first workgroups take longest is followed, so that all of these are simulated: up to
# 1.47 times what is bound, as the simulation of all waves says, too.
@pytest.mark.parametrize("name", HIDDEN)
def test_what_the_plan_does_not_ask_for_is_not_overlooked(device: Device, name: str) -> None:
    launch, body = HIDDEN[name]
    found = device.run(launch)
    assert found.met is None
    assert found.bounds[name] == pytest.approx(body, rel=0.15)
    assert found.bounds[name] >= body  # the beginning and the ends of loops are work, too
    cycles = (found.duration_ns - LAUNCH_AND_RETIRE_NS) * CLOCK_GHZ
    assert 1 <= cycles / found.bounds[name] < 1.5


def test_every_bound_has_a_meaning_for_users(device: Device) -> None:
    assert list(MEANINGS) == list(device.run(Launch(LIGHT)).bounds)


def test_memory_that_a_sample_overlooks(device: Device) -> None:
    """Behind the first 1024 workgroups every other XCD reads 59 MB: from the HBM at first, from the
    Infinity Cache again."""
    late = 1024
    launch = hidden(
        "stream", 14, mask=late | 1, position=late | 1, step=8192 * late, memory_bytes=BIG
    )
    read = late // 2 * 8 * 1024 * 14
    first, again = device.run(launch), device.run(launch)
    assert (first.met, again.met) == ("HBM", "Infinity Cache")
    assert first.bounds["HBM"] == pytest.approx(read / 4800 * CLOCK_GHZ, rel=0.02)
    assert again.bounds["Infinity Cache"] == pytest.approx(read / 6400 * CLOCK_GHZ, rel=0.02)
    assert again.bounds["HBM"] < 1  # the page with the arguments is new


def test_waves_are_launched_one_after_the_other(device: Device) -> None:
    found = device.run(Launch(LIGHT, groups=5000, waves=8))
    assert found.bounds["launch"] == pytest.approx(5000 / 8 * 8 / 4 * 4.4, rel=0.01)


def test_the_fullest_cu_has_one_workgroup_more(device: Device) -> None:
    launches = (Launch((("exp", 40),), groups=groups, waves=8) for groups in (304, 305))
    full, one_more = (device.run(launch).bounds["vector"] for launch in launches)
    assert full == pytest.approx(2 * 40 * 4 * 16, rel=0.02)  # two waves a SIMD
    assert one_more == 2 * full


def programs() -> st.SearchStrategy[tuple[tuple[str, int], ...]]:
    phase = st.tuples(st.sampled_from(KINDS), st.integers(1, 12))
    return st.lists(phase, min_size=1, max_size=5).map(tuple)


def launches() -> st.SearchStrategy[Launch]:
    """Small enough that all waves are simulated as a whole."""
    return st.builds(
        Launch,
        program=programs(),
        groups=st.integers(1, 40),
        waves=st.integers(1, 8),
        heavy=st.one_of(st.just(()), programs()),
        position=st.integers(0, 7),
        mask=st.sampled_from((0xFFFFFFFF, 1, 3, 7)),
        step=st.sampled_from((0, 64, 8192, 1 << 20)),
    )


@settings(max_examples=120, deadline=None, derandomize=True)
@given(launch=launches())
def test_no_simulation_undercuts_a_bound(device: Device, launch: Launch) -> None:
    found = device.run(launch)
    assert undercut(found, simulated=True) is None
    assert found.met is None


@settings(max_examples=20, deadline=None, derandomize=True)
@given(launch=launches(), groups=st.integers(500, 1500))
def test_no_duration_undercuts_a_bound(device: Device, launch: Launch, groups: int) -> None:
    assert undercut(device.run(launch.with_(groups=groups)), simulated=False) is None


def random_launch(number: int) -> Launch:
    chance = random.Random(number)

    def program() -> tuple[tuple[str, int], ...]:
        return tuple((chance.choice(KINDS), chance.randint(1, 20)) for _ in range(3))

    return Launch(
        program(),
        groups=chance.randint(300, 900),
        waves=chance.choice((1, 2, 4)),
        heavy=program(),
        position=1,
        mask=chance.choice((1, 7, 0xFFFFFFFF)),
    )


def _in_another_process(**variables: str) -> list[dict[str, float]]:
    """Times and bounds of some launches, as JSON lines, in a device of its own."""
    folder = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, **variables, "PYTHONPATH": f"{folder}:{folder.parent}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def everything() -> list[dict[str, float]]:
    return _in_another_process(VROCM_TIMING="full", VROCM_THREADS="1")


def test_no_simulation_of_everything_undercuts_a_bound(everything: list[dict[str, float]]) -> None:
    for found in everything:
        cycles = (found.pop("simulated") + 1 - LAUNCH_AND_RETIRE_NS) * CLOCK_GHZ
        assert found.pop("duration") > 0
        assert all(bound <= cycles for bound in found.values()), (cycles, found)


def test_bounds_do_not_depend_on_host_threads_or_on_the_sample() -> None:
    one, three = (_in_another_process(VROCM_THREADS=threads) for threads in ("1", "3"))
    assert one == three


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as _folder:
        _device = Device(Path(_folder))
        for _number in range(6):
            _found = _device.run(random_launch(_number))
            _times = {"simulated": _found.simulated_ns, "duration": _found.duration_ns}
            print(json.dumps({**_times, **_found.bounds}))
