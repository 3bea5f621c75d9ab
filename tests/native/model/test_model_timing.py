"""What the timing model says of whole dispatches: known rates, growth, overlap, noise."""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Callable, Optional

import pytest
from hip_support import PROGRAMS, compiled, needs_hip, run, shared_folder, trace_records

from rocm_perf_lab.arch.model import load_timing_model

pytestmark = needs_hip

Span = tuple[int, int]
Timed = Callable[..., list[Span]]

COMPUTE_UNITS = 304
CLOCK_GHZ = 2.1
GROUPS_PER_ROUND = COMPUTE_UNITS * 8  # of 256 work-items and few registers


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(shared_folder(tmp_path_factory), PROGRAMS / "timed.hip")


@pytest.fixture
def timed(program: Path, tmp_path: Path) -> Timed:
    def spans(
        kind: str,
        groups: int,
        streams: int = 1,
        environment: Optional[dict[str, str]] = None,
        launches: int = 1,
    ) -> list[Span]:
        arguments = (kind, groups, streams, launches)
        dispatches = trace_records(program, tmp_path, *arguments, environment=environment)
        return sorted((r["start_ns"], r["end_ns"]) for r in dispatches)

    return spans


def duration(spans: list[Span]) -> int:
    return max(end for _, end in spans) - min(start for start, _ in spans)


def test_arithmetic_runs_at_the_rate_of_the_vector_units(timed: Timed) -> None:
    (start, end), *_ = timed("compute", GROUPS_PER_ROUND)
    flop = 2 * 2048 * 256 * GROUPS_PER_ROUND
    peak = COMPUTE_UNITS * 128 * CLOCK_GHZ  # per ns, one FMA per lane and cycle
    assert 0.8 < flop / (end - start) / peak < 1.0


def test_time_grows_with_the_number_of_workgroups(timed: Timed) -> None:
    few = duration(timed("compute", GROUPS_PER_ROUND))
    many = duration(timed("compute", 5 * GROUPS_PER_ROUND))
    assert 4.2 < many / few <= 5  # launch and first code fetch are paid once


def test_a_workgroup_of_a_partial_round_takes_no_longer_than_a_full_round(timed: Timed) -> None:
    assert duration(timed("compute", 8)) <= duration(timed("compute", GROUPS_PER_ROUND))


def test_large_copies_run_at_the_speed_of_memory(timed: Timed) -> None:
    groups = 1 << 18  # 2 x 512 MiB
    (start, end), *_ = timed("copy", groups)
    rate = 2 * 8 * 256 * groups / (end - start)
    assert 3600 < rate < 4400  # bytes per ns; 4.0 TB/s measured on hardware


def test_small_kernels_of_two_streams_overlap(timed: Timed) -> None:
    ((start, end),) = timed("compute", 64)
    first, second = timed("compute", 64, streams=2)
    assert second[0] < first[1]
    assert second[1] - second[0] == pytest.approx(end - start, rel=0.1)  # as long as alone


def test_kernels_that_fill_the_device_follow_each_other(timed: Timed) -> None:
    alone = duration(timed("compute", 2 * GROUPS_PER_ROUND))
    first, second = timed("compute", 2 * GROUPS_PER_ROUND, streams=2)
    assert second[0] >= first[1]
    assert duration([first, second]) == pytest.approx(2 * alone, rel=0.02)


def test_a_kernel_in_a_busy_queue_starts_with_the_end_of_the_one_before(timed: Timed) -> None:
    first, second, third = timed("compute", GROUPS_PER_ROUND, launches=3)
    assert (second[0], third[0]) == (first[1], second[1])
    assert third[1] - third[0] == pytest.approx(second[1] - second[0], rel=0.01)


def test_short_kernels_find_an_idle_queue(timed: Timed) -> None:
    *_, before, (start, end) = timed("copy", 304, launches=4)
    assert start > before[1]  # the host takes longer to launch one
    assert 1000 < end - start < 2500  # traces of an MI300X: 1.5 to 2.2 us


def test_who_counts_lets_the_queue_run_empty(timed: Timed) -> None:
    counted = {"VROCM_COUNTERS": "1"}
    _, first, second = timed("compute", 304, launches=3, environment=counted)
    assert second[1] - second[0] == pytest.approx(first[1] - first[0], rel=0.01)
    _, _, busy = timed("compute", 304, launches=3)
    hand_over = busy[1] - busy[0] - (second[1] - second[0])
    assert hand_over == pytest.approx(load_timing_model().value("hand_over_ns"), abs=100)


def test_times_do_not_depend_on_host_threads(timed: Timed) -> None:
    spans = [
        timed("copy", 3000, streams=3, environment={"VROCM_THREADS": threads})
        for threads in ("1", "2", "4")
    ]
    assert spans[0] == spans[1] == spans[2]


def test_noise_is_the_same_for_the_same_seed(timed: Timed) -> None:
    quiet = timed("copy", 1000, streams=4)
    noisy = [timed("copy", 1000, streams=4, environment={"VROCM_NOISE": s}) for s in ("7", "7")]
    assert noisy[0] == noisy[1] != quiet
    assert timed("copy", 1000, streams=4, environment={"VROCM_NOISE": "8"}) != noisy[0]
    assert timed("copy", 1000, streams=4, environment={"VROCM_NOISE": "7:0"}) == quiet


def medians(timed: Timed, noise: str, processes: int) -> list[float]:
    """Of the dispatches of each process, relative to the process without noise."""

    def middle(environment: dict[str, str]) -> float:
        spans = timed("compute", 8, launches=15, environment=environment)
        return statistics.median(end - start for start, end in spans)

    still = middle({})
    return [middle({"VROCM_NOISE": noise}) / still for _ in range(processes)]


def test_named_noise_differs_from_process_to_process(timed: Timed, tmp_path: Path) -> None:
    first = medians(timed, f"7:noisy:{tmp_path / 'first'}", 6)
    assert medians(timed, f"7:noisy:{tmp_path / 'again'}", 6) == first
    assert len(set(first)) == 6
    assert 0.01 < statistics.stdev(map(math.log, first)) < 0.15
    quiet = medians(timed, f"7:quiet:{tmp_path / 'quiet'}", 6)
    assert 0.001 < statistics.stdev(map(math.log, quiet)) < 0.015
    assert (tmp_path / "quiet").read_text() == "6\n"
    uncounted = medians(timed, "7:noisy", 2)
    assert uncounted[0] != uncounted[1]


def test_drift_is_a_wave_over_the_processes(timed: Timed, tmp_path: Path) -> None:
    """The same process of a series, at the crest, in the trough, and without drift."""

    def at(number: int, name: str) -> float:
        file = tmp_path / f"{number} {name}"
        file.write_text(f"{number}\n")
        return medians(timed, f"7:{name}:{file}", 1)[0]

    assert at(15, "drifting") / at(15, "typical") == pytest.approx(math.exp(0.03), rel=0.002)
    assert at(45, "drifting") / at(45, "typical") == pytest.approx(math.exp(-0.03), rel=0.002)


def test_timing_can_be_switched_off(timed: Timed) -> None:
    off = {"VROCM_TIMING": "0"}
    small = duration(timed("copy", 1, environment=off))
    assert small == duration(timed("compute", 2500, environment=off))
    assert small < duration(timed("copy", 1))


@pytest.mark.parametrize("value", ["seven", "7:", "7:loud", "-1", "7:-1", "7:quiet:", "7:quietly"])
def test_malformed_noise_is_refused(program: Path, value: str) -> None:
    done = run(program, "copy", "1", "1", "1", environment={"VROCM_NOISE": value})
    assert done.returncode == 2
    assert f"VROCM_NOISE={value} is not SEED or SEED:LEVEL" in done.stderr


def test_a_count_that_cannot_be_kept_is_refused(program: Path, tmp_path: Path) -> None:
    value = f"7:quiet:{tmp_path}/none/count"
    done = run(program, "copy", "1", "1", "1", environment={"VROCM_NOISE": value})
    assert done.returncode == 2
    assert f"VROCM_NOISE={value} No such file or directory" in done.stderr
