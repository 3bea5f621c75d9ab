"""Memory that several dispatches, or several XCDs, use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

import pytest
from hip_support import PROGRAMS, compiled, nanoseconds, needs_hip, shared_folder, trace_records

from rocm_perf_lab.arch.model import load_timing_model

pytestmark = needs_hip

CLOCK_GHZ = 2.1
LAUNCH_NS = sum(map(load_timing_model().value, ("launch_ns", "retire_ns")))
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Times:
    """Nanoseconds: the first and the second sum, and one hop of the chase."""

    first: int
    second: int
    hop: float


Reused = Callable[..., Times]


@pytest.fixture(scope="module")
def reused(tmp_path_factory: pytest.TempPathFactory) -> Reused:
    program = compiled(shared_folder(tmp_path_factory), PROGRAMS / "reused.hip")

    def times(
        megabytes: int, offset: int, read: int, environment: Optional[dict[str, str]] = None
    ) -> Times:
        sizes = map(str, (megabytes, offset, read))
        first, second, chase = dispatches(
            program, tmp_path_factory, *sizes, environment=environment
        )
        return Times(first, second, (chase - LAUNCH_NS) / 4000)

    return times


def test_a_part_of_a_large_allocation_is_as_fast_as_its_own_allocation(reused: Reused) -> None:
    own, part = reused(32, 0, 32), reused(512, 301, 32)
    # The channels of the L2 depend on addresses: a few ns.
    assert (part.first, part.second) == pytest.approx((own.first, own.second), rel=1e-3)
    assert part.hop == pytest.approx(own.hop, rel=1e-3)
    assert own.hop * CLOCK_GHZ == pytest.approx(418, rel=0.05)
    assert 32 * MEGABYTE / (own.second - LAUNCH_NS) > 5000  # bytes per ns, launching left out
    assert own.first > 1.1 * own.second  # the memory, then the Infinity Cache


def test_a_gigabyte_does_not_slow_down_what_is_read_of_it(reused: Reused) -> None:
    part = reused(1024, 700, 64)
    assert 5000 <= 64 * MEGABYTE / (part.second - LAUNCH_NS) <= 6800  # published, bytes per ns
    assert part.hop * CLOCK_GHZ == pytest.approx(418, rel=0.05)


def test_more_than_the_infinity_cache_holds_is_gone(reused: Reused) -> None:
    large = reused(320, 0, 320)
    assert large.second == pytest.approx(large.first, rel=0.05)
    assert large.hop * CLOCK_GHZ == pytest.approx(850, rel=0.05)


def test_times_of_reused_memory_do_not_depend_on_host_threads(reused: Reused) -> None:
    one, four = (reused(64, 3, 24, {"VROCM_THREADS": threads}) for threads in ("1", "4"))
    assert one == four


def test_what_all_xcds_share_is_ordered_or_kept(tmp_path_factory: pytest.TempPathFactory) -> None:
    program = compiled(shared_folder(tmp_path_factory), PROGRAMS / "shared_lines.hip")
    durations = dispatches(program, tmp_path_factory)[-10:]
    same, apart = durations[:3], durations[3:6]
    additions = [64 * 64 * waves for waves in (8, 64, 256)]
    # One address takes 0.112 additions per ns, however many waves and XCDs make them.
    for duration, count in list(zip(same, additions))[1:]:
        assert count / (duration - LAUNCH_NS) == pytest.approx(0.112, rel=0.1)
    # Lanes with different addresses in a line go together, four of them here.
    assert same[2] / apart[2] == pytest.approx(64, rel=0.2)
    # A CU makes 0.118 additions of system scope per ns, however many CUs do.
    for duration, waves in zip(durations[6:8], (1, 64)):
        assert 64 * 64 * waves / (duration - LAUNCH_NS) == pytest.approx(0.118 * waves, rel=0.1)
    # In the long run nearly all of a small region is in the L2, whoever read it before.
    first, many = durations[8:]
    assert (many - first) / 50 * CLOCK_GHZ < 800  # cycles of a wave that does nothing else


def dispatches(
    program: Path,
    factory: pytest.TempPathFactory,
    *arguments: str,
    environment: Optional[dict[str, str]] = None,
) -> list[int]:
    """The durations of all dispatches in nanoseconds."""
    folder = factory.mktemp("trace")
    records = trace_records(program, folder, *arguments, environment=environment)
    return [nanoseconds(record) for record in records]
