"""Bounds where data may lie in Infinity Cache: a roof that they need not stand under is none."""

from __future__ import annotations

from typing import Optional

import pytest
from explained_profiles import profile, row
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_perf_lab.analysis.documents.schemas import roofline as roofs
from rocm_perf_lab.analysis.documents.schemas.profile import DeviceModel
from rocm_perf_lab.analysis.documents.verdicts.measured import measured_kernels, timing_of
from rocm_perf_lab.analysis.rooflines.beyond_l2 import BeyondL2
from rocm_perf_lab.analysis.verdicts.advice.bounds import fastest
from rocm_perf_lab.analysis.verdicts.advice.choose import advice_for_kernel
from rocm_perf_lab.analysis.verdicts.advice.kernels import ROWS
from rocm_perf_lab.analysis.verdicts.advice.row import number
from rocm_perf_lab.analysis.verdicts.bottleneck import judge
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts, memory_least
from rocm_perf_lab.analysis.verdicts.rules import LATENCY, MEMORY_BANDWIDTH
from rocm_perf_lab.strict_json import replace
from rocm_perf_lab.trace.model import Trace

_MIB = 1 << 20
_SHARES = (
    *("vector_busy", "matrix_busy", "lds_busy", "l1_moves", "launch_floor", "wait_share"),
    *("flop_share", "occupancy", "occupancy_limit", "lanes_of_filled", "lds_conflicts"),
    *("conflict_time", "traced_stall", "lost_tail", "lane_fill", "accesses_per_instruction"),
    *("traced_lds", "traced_memory", "traced_vector", "traced_barrier", "traced_atomics"),
    *("double_share", "l1_hits", "scratch", "traced_line", "product_share", "cus_busy"),
)
_COUNTS = ("lines_per_access", "access_bytes", "workgroups_per_cu", "rounds", "unfilled")
_FIGURES = st.fixed_dictionaries(
    {"memory_reached": st.floats(0.01, 1.0), "busiest": st.floats(0.01, 1.0)},
    optional={
        **{name: st.floats(0.0, 1.0) for name in _SHARES},
        **{name: st.floats(0.5, 64.0) for name in _COUNTS},
    },
)


def test_what_fits_may_come_from_the_cache() -> None:
    memory = BeyondL2(5.3e12, 256 * _MIB, 17.2e12)
    fits, exceeds = 200 * _MIB, 2048 * _MIB
    assert memory.least_seconds(fits) == pytest.approx(fits / 17.2e12)
    assert memory.least_seconds(exceeds) == pytest.approx((exceeds - 256 * _MIB) / 5.3e12)
    assert BeyondL2(5.3e12).least_seconds(fits) == pytest.approx(fits / 5.3e12)
    assert BeyondL2(5.3e12, 256 * _MIB).least_seconds(fits) == 0.0  # as fast as you like
    slow = BeyondL2(5.3e12, 256 * _MIB, 4.0e12)  # as measured, perhaps of another device
    assert slow.least_seconds(fits) == pytest.approx(fits / 5.3e12)


@given(
    moved=st.floats(0, 1e12),
    sizes=st.tuples(st.integers(0, 1 << 40), st.integers(0, 1 << 40)),
    cache=st.none() | st.floats(1e11, 1e14),
)
def test_more_cache_never_takes_longer(moved: float, sizes: tuple[int, int], cache: float) -> None:
    less, more = (BeyondL2(5.3e12, size, cache).least_seconds(moved) for size in sorted(sizes))
    assert more <= less <= moved / 5.3e12


def test_memory_keeps_no_more_than_it_seems_to_take() -> None:
    now = KernelFacts("k", reached={"hbm": 0.36, "l2": 0.05}, fabric_least=0.11)
    assert memory_least(now) == pytest.approx(0.11)
    assert memory_least(KernelFacts("k", reached={"hbm": 0.36, "l2": 0.2}, fabric_least=0.1)) == 0.2
    assert memory_least(KernelFacts("k", reached={"hbm": 0.36}, fabric_least=0.9)) == 0.36
    assert memory_least(KernelFacts("k", reached={"hbm": 0.36})) == 0.36
    assert memory_least(KernelFacts("k", fabric_least=0.1)) is None


def test_room_in_lds_promises_what_infinity_cache_can_deliver() -> None:
    """Two rows of costs instead of 60 gained 2.91 times: 2.81 is what HBM would allow."""
    figures = {
        "occupancy_limit": 0.125,
        "unfilled": 0.93,
        "rounds": 8.0,
        "wait_share": 0.43,
        "memory_reached": 0.356,
        "memory_least": 0.11,
        "vector_busy": 0.09,
        "lds_busy": 0.14,
        "lds_bytes": 61440.0,
        "next_up": "less",
    }
    (room,) = [
        one for one in advice_for_kernel(LATENCY, figures, "lds", 1.0) if one.mend == "lds-room"
    ]
    assert room.kernel_gain == pytest.approx(1 / 0.11)
    assert room.expected == pytest.approx(1 / 0.356)  # more is not expected


@settings(max_examples=300)
@given(figures=_FIGURES, least=st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)))
def test_a_bound_is_never_below_what_is_expected_and_never_lower_with_more_cache(
    figures: dict[str, float], least: tuple[float, float]
) -> None:
    fast, slow = ({**figures, "memory_least": part} for part in sorted(least))
    for advice in advice_for_kernel(LATENCY, slow, None, 1.0):
        if advice.gain is not None:
            assert advice.expected is not None
            assert advice.expected <= advice.gain
    for one in ROWS:
        if one.bound is None:
            continue
        cached, uncached = one.bound(fastest(fast)), one.bound(fastest(slow))
        assert (cached is None) == (uncached is None)
        if cached is not None and uncached is not None:
            assert cached >= uncached


def test_bytes_and_roofs_of_a_profile_tell_what_memory_takes_at_least() -> None:
    kernel = row("k", 80_000, 1.0)
    moved = 152e6
    found = roofs.KernelRooflineModel(
        kernel="k",
        launches=1,
        mean_ns=80_000.0,
        coverage=1.0,
        flops=None,
        flops_by_pipe={},
        flops_method="",
        levels=[roofs.LevelModel(level="fabric", bytes=moved, read_bytes=moved, written_bytes=0.0)],
        arithmetic_intensity=None,
        ridge=None,
        flop_rate=None,
        byte_rate=None,
        bound="memory",
        binding="hbm",
        reached=0.36,
        ceilings=[],
        suspect=False,
        reasons={},
        caveats=[],
    )
    rates = {"hbm": 5.3e12, "infinity_cache": 17.2e12}
    document = roofs.RooflineDocument(
        schema_version="1.0",
        tool_version="0",
        target="gfx942",
        virtual=False,
        time_source="trace",
        roofs=[
            roofs.RoofModel(name=name, value=value, source="theoretical")
            for name, value in rates.items()
        ],
        kernels=[found],
        launches=[],
        notes=[],
    )
    device = DeviceModel(
        kind="recorded",
        gfx="gfx942",
        product="AMD Instinct MI300X",
        compute_units=304,
        xcc_count=8,
        max_clock_mhz=2100,
    )
    known = replace(profile([kernel], None), rooflines=document, device=device)
    (measured,) = measured_kernels(known, [kernel], Trace("recorded"), timing_of(known))
    assert measured.facts.fabric_least == pytest.approx(moved / 17.2e12 / 80e-6)
    assert measured.facts.of_hbm == pytest.approx(moved / 5.3e12 / 80e-6)
    elsewhere = replace(known, device=replace(device, gfx="gfx90a", compute_units=110))
    (measured,) = measured_kernels(elsewhere, [kernel], Trace("recorded"), timing_of(elsewhere))
    assert measured.facts.fabric_least == pytest.approx(moved / 5.3e12 / 80e-6)  # it has none


def test_figures_name_the_least_of_memory() -> None:
    assert number(fastest({"memory_reached": 0.5, "memory_least": 0.1}), "memory_reached") == 0.1
    assert fastest({"memory_reached": 0.5}) == {"memory_reached": 0.5}
    assert "memory_reached" not in fastest({"memory_least": 0.1})


@pytest.mark.parametrize(
    ("reached", "value"),
    [
        ({"l2": 1.07, "hbm": 0.1}, 1.0),
        ({"l2": 1.3}, None),  # so many are no matter of L1
        ({"hbm": 1.07}, None),
        ({"l2": 1.07, "hbm": 1.2}, None),
    ],
)
def test_more_requests_than_l2_can_answer_are_its_roof(
    reached: dict[str, float], value: Optional[float]
) -> None:
    """L1 had fewer lines left in the launch that was counted than in the one that was timed."""
    verdict = judge(KernelFacts("k", reached=reached))
    assert verdict.metrics.get("memory_reached") == value
    assert ("memory_reached" in verdict.suspect) is (value is None)
    assert verdict.label == (MEMORY_BANDWIDTH if value else None)
