"""What holds of every kernel when mechanisms of the model are free."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest
from exec_support import importing, library, needs_harness
from hypothesis import given, settings
from hypothesis import strategies as st
from ideal_support import FLOOR_NS, NAMES, Device, free
from phase_kernel import KINDS, Launch

from rocm_perf_lab.arch.ideal import load_mechanisms

pytestmark = needs_harness

# Waves that nobody holds up run ahead, and more of them are there at a time: they may evict each
# other's lines, and the dispatch takes longer. Whoever measures takes that for no gain.
MAY_EVICT = [name for name, mechanism in load_mechanisms().items() if mechanism.may_slow]
SLACK_NS = 100


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Device:
    return Device(tmp_path_factory.mktemp("ideal"))


few = settings(max_examples=8, deadline=None, derandomize=True)
QUICK = [kind for kind in KINDS if kind != "atomic"]
phases = st.tuples(st.sampled_from(QUICK), st.integers(5, 30))
programs = st.lists(phases, min_size=1, max_size=3).map(tuple)
groups = st.integers(1, 200)
waves = st.sampled_from((1, 2, 4, 8))


@few
@given(programs, groups, waves, st.randoms(use_true_random=False))
def test_what_is_free_makes_nothing_slower(
    device: Device, program: tuple[tuple[str, int], ...], count: int, size: int,
    draw: random.Random,
) -> None:  # fmt: skip
    launch = Launch(program, groups=count, waves=size)
    usual = device.run(launch)
    for name in draw.sample([name for name in NAMES if name not in MAY_EVICT], 5):
        with free(name):
            found = device.run(launch)
        assert found.wave_instructions == usual.wave_instructions
        assert found.duration_ns <= 1.01 * usual.duration_ns + SLACK_NS, name
    assert device.run(launch).duration_ns == usual.duration_ns  # nothing stays free


@few
@given(programs, groups, waves)
def test_with_all_of_them_free_nothing_is_left_but_the_launch(
    device: Device, program: tuple[tuple[str, int], ...], count: int, size: int
) -> None:
    launch = Launch(program, groups=count, waves=size)
    but_launch = [name for name in NAMES if name != "launch"]
    assert device.time(launch, *but_launch) == pytest.approx(FLOOR_NS, abs=20)
    assert device.time(launch, *NAMES) <= 20


@few
@given(programs, groups, waves, st.sampled_from(NAMES))
def test_no_bound_is_above_the_time_of_a_dispatch_that_is_simulated_whole(
    device: Device, program: tuple[tuple[str, int], ...], count: int, size: int, name: str
) -> None:
    """Small dispatches are: what their simulation says is what the mechanism makes of them."""
    launch = Launch(program, groups=min(count, 24), waves=size)
    with free(name):
        found = device.run(launch)
    assert found.duration_ns - found.simulated_ns <= 0.01 * found.duration_ns + 1, found.met


def test_names_that_are_unknown_are_refused_with_those_that_there_are() -> None:
    assert library().exec_set_ideals(b"hbm,lsd") == -1
    script = importing(__file__) + "import test_ideal_laws as t; t._one_dispatch()"
    environment = {**os.environ, "VROCM_IDEAL": "hbm,lsd"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.startswith(
        "virtual MI300X: VROCM_IDEAL: 'lsd' is none of what can be made free: launch, wave-launch, "
    )
    assert all(name in done.stderr for name in NAMES)


def _one_dispatch() -> None:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        Device(Path(folder)).run(Launch((("fma", 1),)))
