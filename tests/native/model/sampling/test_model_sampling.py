"""Times of dispatches whose workgroups or phases differ: nothing that counts may be overlooked.

Only a part of a large dispatch is simulated. What that part is must not show: neither in where a
heavy workgroup stands, nor in the order of phases, nor against the simulation of everything.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Callable

import pytest
from hip_support import (
    PROGRAMS,
    compiled,
    nanoseconds,
    needs_hip,
    run,
    shared_folder,
    trace_records,
)

pytestmark = needs_hip

Duration = Callable[..., int]
Timed = Callable[..., "dict[str, object]"]

ROWS, ROW_STEPS = 4096, 200_000
WORST = 0.15  # the goal; not every program meets it: benchmarks/README.md


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(shared_folder(tmp_path_factory), PROGRAMS / "shapes.hip")


@pytest.fixture
def timed(program: Path, tmp_path: Path) -> Timed:
    """The record of the one dispatch of a run."""

    def record_of(*arguments: object, timing: str = "1", threads: int = 1) -> dict[str, object]:
        how = {"VROCM_TIMING": timing, "VROCM_THREADS": str(threads)}
        (dispatch,) = trace_records(program, tmp_path, *arguments, environment=how)
        return dispatch

    return record_of


@pytest.fixture
def duration(timed: Timed) -> Duration:
    return lambda *arguments, **how: nanoseconds(timed(*arguments, **how))


def test_it_does_not_matter_which_row_is_the_long_one(duration: Duration) -> None:
    positions = [0, 5, ROWS - 1, *random.Random(1).sample(range(ROWS), 4)]
    times = [duration("rows", ROWS, position, ROW_STEPS) for position in positions]
    assert max(times) < 1.02 * min(times)
    assert min(times) > ROW_STEPS * 4 / 2.1  # one instruction a step at least, four cycles each


def test_it_does_not_matter_which_workgroup_is_the_heavy_one(duration: Duration) -> None:
    times = [duration("groups", 8, heavy, 50_000) for heavy in range(8)]
    assert max(times) < 1.01 * min(times)


@pytest.mark.parametrize("arithmetic_first", [0, 1])
def test_a_dispatch_takes_no_less_than_its_slower_phase(
    duration: Duration, arithmetic_first: int
) -> None:
    both = duration("phases", 304, 1000, 16, arithmetic_first)
    assert both >= 0.97 * duration("phases", 304, 0, 16, arithmetic_first)
    assert both >= 0.97 * duration("phases", 304, 1000, 0, arithmetic_first)


@pytest.mark.parametrize(
    "shape",
    [
        ("rows", 2048, 77, 20_000),
        ("groups", 64, 13, 20_000),
        ("growing", 3000, 6),
        ("phases", 304, 1000, 16, 0),
        ("phases", 304, 1000, 16, 1),
        ("meetings", 16, 5, 10, 100),  # what waves do between two barriers belongs together
        ("meetings", 16, 9, 40, 20),
        ("spaced", 2432, 38, 2000),  # all long workgroups of an XCD are on one CU
        ("spaced", 2432, 37, 2000),  # each is on another CU
        ("stays", 76, 20, 4),  # coming to a place for the first time is not like coming again
        # They hardly live longer than it takes to launch them, and the first come all at once.
        # Found: -1, +5 and -2 % (+1, +9 and -2 % when three rounds were simulated of all).
        *(("crowds", 608 * rounds, threads, 2048) for rounds, threads in ((12, 512), (60, 512))),
        ("crowds", 608 * 60, 1024, 2048),
    ],
    ids=lambda shape: "-".join(map(str, shape)),
)
def test_a_sample_says_what_all_waves_say(duration: Duration, shape: tuple[object, ...]) -> None:
    full = duration(*shape, timing="full", threads=2)
    assert abs(duration(*shape) / full - 1) < WORST


@pytest.mark.parametrize(
    "shape",
    [
        # As many rounds of few short waves are simulated as three that fill an XCD. Found: 0, 0
        # and -1 % (+17, +27 and +36 % when three were simulated of these, too).
        *(("crowds", 608 * rounds, threads, 2048) for rounds, threads in ((12, 64), (8, 256))),
        ("crowds", 608 * 12, 256, 2048),
        # All rounds on the tapes are of one XCD, which has in its L2 what they read again. Found:
        # -1 % (+17 % when they were of three).
        ("crowds", 608 * 60, 64, 2048),
        # What the first ones read is in no cache. Found: 0 and -1 % (-9 and -10 % when it was as
        # likely to be there as what later ones read first).
        ("crowds", 608 * 20, 256, 50_000),
        ("crowds", 608 * 10, 512, 50_000),
    ],
    ids=lambda shape: "-".join(map(str, shape)),
)
def test_short_workgroups_begin_as_they_do(duration: Duration, shape: tuple[object, ...]) -> None:
    # The limit was set after seeing both.
    full = duration(*shape, timing="full", threads=2)
    assert duration(*shape) == pytest.approx(full, rel=0.05)


@pytest.mark.parametrize(
    "shape",
    [
        ("chases", 1024, 77, 3000),  # its waits are no part of any bound
        ("again", 304, 64, 40),  # parts of its tape come back to what other parts touched
        ("halves", 130, 400, 100),  # on XCDs of which nothing is simulated
        ("halves", 3000, 400, 100),
        ("tails", 304, 2000, 50, 130),  # only their ends are seen, and are slower than the rest
        ("tails", 304, 4000, 100, 300),
        # The first workgroups of each XCD say which one is followed.
        ("tails", 304, 1000, 25, 400),
        ("tails", 305, 1000, 25, 400),  # the first XCD has one more than that
        ("tails", 1216, 250, 25, 300),
        ("halves", 2432, 600, 200),
        # Some waves are longer than all could be, and no round is like all of them. Found: -1 and
        # -5 % (+39 and +128 % when one round of parts stood for all).
        ("hill", 4864, 600, 50),
        ("hill", 7296, 900, 20),
        # Waves that are longer than all could be, but not too long together. Found: +1 and 0 % (+54
        # and -37 % when they were in parts).
        ("hill", 4864, 2000, 50),
        ("spaced", 1520, 38, 10_000),
        # More workgroups than work. Found: 0, 0, 0, 0 and -4 % (+52, +33, +68, +94 and +43 % when
        # those behind the work came after it, not beside it, and touched as much for a step).
        ("surplus", 29_184, 1024, 10),
        ("surplus", 29_184, 8192, 8),
        ("surplus", 29_184, 40_000, 3),
        ("surplus", 29_184, 400_000, 3),
        ("surplus", 29_184, 900_000, 3),
        # So few on an XCD that all are taped once the first two differ.
        ("drawn", 16, 3000),
        ("drawn", 8, 4000),
    ],
    ids=lambda shape: "-".join(map(str, shape)),
)
def test_what_is_on_no_tape_is_not_overlooked(timed: Timed, shape: tuple[object, ...]) -> None:
    sampled = timed(*shape)
    full = nanoseconds(timed(*shape, timing="full", threads=2))
    assert "bound" not in sampled  # the simulation found it, not a bound
    assert abs(nanoseconds(sampled) / full - 1) < WORST


@pytest.mark.parametrize(
    "shape",
    [("stays", 1216, 1, 1), ("stays", 640, 1, 2)],
    ids=lambda shape: "-".join(map(str, shape)),
)
def test_engines_that_go_in_step_are_like_engines_that_do_not(
    duration: Duration, shape: tuple[object, ...]
) -> None:
    full = duration(*shape, timing="full", threads=2)
    assert duration(*shape) == pytest.approx(full, rel=0.01)


def test_workgroups_without_work_give_nothing_to_those_beside_them(duration: Duration) -> None:
    # Found: 1 % apart; 26 % when the long ones were taken to gain by the end of the short ones, who
    # are hardly there in what is simulated of them. The limit was set after seeing both.
    alone = duration("strides", 1368, 1368, 512)
    assert duration("strides", 2048, 1368, 512) == pytest.approx(alone, rel=0.1)


def test_what_was_touched_between_two_looks_is_there(duration: Duration) -> None:
    # Lines of a loop that is longer than what is looked at. Found: 4 % more than all waves say; 9 %
    # when nothing is touched before a run. The limit was set between the two after seeing them.
    shape = ("stays", 8, 16, 16)
    full = duration(*shape, timing="full", threads=2)
    assert duration(*shape) == pytest.approx(full, rel=0.06)


def test_what_leaves_the_l2_early_costs_as_much_as_what_stays(duration: Duration) -> None:
    # 64 MiB of new memory, twice what all L2s hold; the sample fills none. Found: 1 % less than all
    # waves say; 22 % more when lines that were written and never read counted as fetched once they
    # had left. The limit was set after seeing both.
    shape = ("fills", 16384)
    full = duration(*shape, timing="full", threads=2)
    assert duration(*shape) == pytest.approx(full, rel=0.05)


@pytest.mark.parametrize("groups", [8192, 16_384, 65_536])
def test_what_others_write_leaves_the_l2_behind_them(duration: Duration, groups: int) -> None:
    # 8 to 64 MiB, of which the sample writes 7: a quarter, a half and twice of what all L2s hold.
    # Found: 0 %; 20 % less than all waves say when only what the sample left was written back.
    full = duration("narrow_fills", groups, timing="full", threads=2)
    assert duration("narrow_fills", groups) == pytest.approx(full, rel=0.03)


def test_more_work_takes_no_less_time(duration: Duration) -> None:
    heavier = [duration("groups", 64, 7, steps) for steps in (1000, 4000, 16_000, 64_000)]
    assert heavier == sorted(heavier)
    more = [duration("growing", groups, 8) for groups in (500, 1000, 2000, 4000)]
    assert more == sorted(more)


@pytest.mark.parametrize(
    "shape", [("rows", ROWS, 5, 30_000), ("growing", 3000, 6), ("hill", 4864, 600, 50)]
)
def test_host_threads_change_nothing(duration: Duration, shape: tuple[object, ...]) -> None:
    assert len({duration(*shape, threads=threads) for threads in (1, 2, 3)}) == 1


def test_an_unknown_mode_of_timing_is_refused(program: Path) -> None:
    done = run(program, "groups", "8", "0", "1", environment={"VROCM_TIMING": "fast"})
    assert done.returncode == 2
    assert "VROCM_TIMING=fast is not a number >= 0" in done.stderr
