"""Advice: what could gain most comes first, with a bound that follows from its numbers."""

from __future__ import annotations

from string import Formatter

import pytest

from rocm_perf_lab.analysis.verdicts.advice import bounds
from rocm_perf_lab.analysis.verdicts.advice.choose import (
    advice_for_kernel,
    advice_outside,
    chosen,
    nearly_advised,
    next_steps,
)
from rocm_perf_lab.analysis.verdicts.advice.kernels import ROWS
from rocm_perf_lab.analysis.verdicts.advice.next_steps import COLLECTIVES, NEXT_STEPS
from rocm_perf_lab.analysis.verdicts.advice.row import Advice, Figures
from rocm_perf_lab.analysis.verdicts.metrics import METRICS
from rocm_perf_lab.analysis.verdicts.rules import COLLECTIVE, COMPUTE, LATENCY

_OTHERS = {
    *("workgroups", "wave_size", "cu_count", "launches", "vgpr", "lds_bytes", "scratch_bytes"),
    "workgroup_size",
    *(
        "idle_cus",
        "idle_us",
        "next_up",
        "fused",
        "passes",
        "traced_idle",
        "traced_vector",
        "even",
        "busiest",
        "reached_memory",
        "unfilled",
    ),
    *("conflict_time", "lanes_of_filled", "scratch_accesses", "traced_barrier", "uncounted"),
    *("untraced", "lds_uncounted", "traced_lds", "shuffle_share", "tail", "lost_tail", "spread"),
    *("lived", "outlived_us", "double_work", "results", "waves_per_simd", "simds"),
    "barriers_per_lds",
    *(
        "lds_over_others",
        "in_series",
        "stores_per_product",
        "lds_per_instruction",
        "alike",
        "beside",
        "unlike",
        "streams_wait",
        "traced_line",
        "of_hbm",
        "sequences",
        "traced_way",
        "traced_atomics",
        "access_bytes",
        "l1_moves",
        "products",
    ),
    *("operands_per_product", "time_narrow_products", "narrow_time", "lds_time"),
    *("time_selects", "time_same"),
}
# A kernel of many workgroups whose waves wait half of their life; nothing else is wrong with it.
CALM: dict[str, float] = {
    "launch_floor": 0.02,
    "mean_time": 100.0,
    "memory_reached": 0.1,
    "reached_memory": 0.1,
    "vector_busy": 0.2,
    "matrix_busy": 0.0,
    "lds_busy": 0.05,
    "lds_conflicts": 0.0,
    "conflict_time": 0.0,
    "lanes_active": 1.0,
    "lanes_of_filled": 1.0,
    "lane_fill": 1.0,
    "wait_share": 0.5,
    "cus_busy": 0.95,
    "occupancy": 0.8,
    "occupancy_limit": 1.0,
    "unfilled": 1.25,
    "workgroups": 6080.0,
    "workgroups_per_cu": 20.0,
    "round_fill": 0.9,
    "waves": 24320.0,
    "cu_count": 304.0,
    "wave_size": 64.0,
    "idle_cus": 0.0,
    "launches": 1.0,
    "fused": 1.0,
    "even": 1.05,
    "atomic_share": 0.0,
    "one_address": 0.0,
    "requests_per_access": 3.0,
    "lines_per_access": 4.0,
    "access_bytes": 4.0,
    "l1_moves": 0.1,
    "accesses_per_instruction": 0.05,
    "accesses_per_wave": 40.0,
    "flop_share": 0.5,
    "product_share": 0.2,
    "products": 0.2,
    "operands_per_product": 1.0,
    "l1_hits": 0.1,
    "rounds": 2.5,
    "double_share": 0.0,
    "operands_per_fma": 1.0,
    "l2_hits": 0.5,
    "busiest": 0.2,
    "scratch_bytes": 0.0,
    "stores_per_product": 0.05,
    "lds_per_instruction": 0.0,
    "untraced": 1.0,
    "simds": 4.0,
    "slots_per_simd": 8.0,
    "matrix_rate": 8.0,
}


WORKING = {"vector_busy": 0.8, "busiest": 0.8, "wait_share": 0.1}


def advised(label: str = LATENCY, limiter: str = "waves", **changed: float) -> list[Advice]:
    figures: Figures = {**CALM, "next_up": "fewer give more", **changed}
    return chosen(advice_for_kernel(label, figures, limiter, 1.0), (), next_steps(figures))


@pytest.mark.parametrize(
    ("changed", "mend", "gain"),
    [
        ({}, "in-flight", 4.0),  # half of the life is waiting, half of the rest may go
        (
            {"scratch_accesses": 0.3, "scratch_bytes": 64.0},
            "spills",
            10.0,
        ),  # half of vector work stays
        ({"lines_per_access": 64.0}, "coalesce", 10.0),
        ({"atomic_share": 0.9}, "atomics", 10.0),
        ({"atomic_share": 0.1, "one_address": 0.9}, "atomics", 10.0),  # few, but on one address
        ({"atomic_share": 0.1, "one_address": 0.4}, "in-flight", 4.0),
        ({"lds_busy": 0.9, "lds_conflicts": 0.9, "conflict_time": 0.81}, "conflicts", 10.0),
        ({"cus_busy": 0.2, "idle_us": 80.0, "even": 5.0, "occupancy": 0.2}, "uneven", 5.0),
        ({"round_fill": 0.5, "unfilled": 2.0, "occupancy": 0.5, "idle_us": 30.0}, "uneven", 2.0),
        (
            {"lane_fill": 0.25, "lanes_active": 0.25, **WORKING},
            "lanes",
            8.0,
        ),  # half its work
        ({"lane_fill": 0.25, "lanes_active": 0.25}, "in-flight", 4.0),  # waves wait as long
        (
            {"lanes_active": 0.25, "lanes_of_filled": 0.25, **WORKING},
            "divergence",
            4 / 0.95 / 0.5,
        ),  # and half of waits, and of the work
        ({"lanes_active": 0.25, "lanes_of_filled": 0.25}, "in-flight", 4.0),
        ({"workgroups_per_cu": 0.1, "occupancy": 0.02, "vector_busy": 0.01}, "workgroups", 10.0),
        ({"access_bytes": 1.0}, "wider", 10.0),  # addresses go, too, and four bytes are a register
        ({"access_bytes": 4.0, "requests_per_access": 0.5}, "in-flight", 4.0),  # read again from L1
        ({"double_share": 0.6, "wait_share": 0.2}, "narrower", 20.0),  # half of the bytes
        ({"vector_busy": 0.9, "wait_share": 0.1, "busiest": 0.9}, "instructions", 10.0),
        ({"lds_busy": 0.8, "wait_share": 0.1, "busiest": 0.8}, "lds-traffic", 10.0),
        (
            {"traced_barrier": 0.6, "traced_stall": 0.7},
            "barriers",
            1 / 0.15,
        ),  # and half of its work
        (  # scattered, but nobody waits for it
            {"lines_per_access": 64.0, "traced_vector": 0.0, "traced_stall": 0.6},
            "in-flight",
            5.0,  # more than half of the time is stall
        ),
        (
            {
                "product_share": 0.8,
                "products": 0.8,
                "requests_per_access": 0.2,
                "lines_per_access": 8.0,
                "l1_hits": 0.95,
            },
            "matrix",
            50.0,
        ),
        ({"product_share": 0.8, "products": 0.8, "l1_hits": 0.6}, "matrix", 50.0),
        (  # bytes that are multiplied
            {"time_narrow_products": 0.3, "products": 0.9, "narrow_products": 1.0},
            "matrix",
            50.0,
        ),
        ({"traced_atomics": 0.9, "traced_vector": 0.9, "traced_stall": 0.9}, "atomics", 10.0),
        (  # two operands of each product, one in LDS: larger tiles before matrix units
            {
                "product_share": 0.8,
                "products": 0.8,
                "l1_hits": 0.9,
                "lds_busy": 0.4,
                "lds_over_others": 2.0,
                "l1_moves": 0.7,
                "wait_share": 0.1,
                "busiest": 0.7,
            },
            "lds-traffic",
            10.0,  # half of what is neither waiting nor L1
        ),
        (  # of traced waves the LDS is what they wait for; the vector units are as busy
            {
                "traced_lds": 0.4,
                "lds_time": 0.6,
                "traced_memory": 0.1,
                "traced_stall": 0.5,
                "shuffle_share": 0.1,
                "lds_busy": 0.3,
                "lds_over_others": 0.9,
                "vector_busy": 0.33,
                "wait_share": 0.4,
                "busiest": 0.33,
            },
            "lds-traffic",
            1 / 0.165,  # half of the vector work
        ),
        ({"l1_moves": 0.7, "l1_hits": 0.9, "wait_share": 0.2, "busiest": 0.7}, "traffic", 10.0),
        (
            {"occupancy": 0.125, "vector_busy": 0.65, "busiest": 0.65, "wait_share": 0.1},
            "independent",
            2 / 0.65,
        ),
        ({"l1_hits": 0.9, "wait_share": 0.7, "loads_in_flight": 8.0}, "traffic", 10.0),
        ({"of_hbm": 1.01, "traced_memory": 0.4}, "traffic", 10.0),  # with Infinity Cache
        ({"lost_tail": 0.4, "tail": 0.5, "wait_share": 0.2}, "uneven", 1 / 0.6),
        (
            {
                "traced_lds": 0.5,
                "traced_memory": 0.1,
                "shuffle_share": 1.0,
                "traced_stall": 0.6,
            },
            "independent",
            5.0,  # what is issued, or half of it
        ),
    ],
)
def test_the_cause_comes_first(changed: dict[str, float], mend: str, gain: float) -> None:
    first = advised(**changed)[0]
    assert first.mend == mend
    assert first.kernel_gain == pytest.approx(gain)
    assert first.gain == pytest.approx(gain)  # all of the time is this kernel


@pytest.mark.parametrize(("limiter", "mend"), [("vgpr", "registers"), ("lds", "lds-room")])
def test_room_for_more_waves(limiter: str, mend: str) -> None:
    few = {"occupancy_limit": 0.125, "occupancy": 0.12, "unfilled": 1.05, "wait_share": 0.9}
    resources = {"vgpr": 8.0, "lds_bytes": 60_000.0}
    first = advised(limiter=limiter, **few, **resources)[0]
    assert first.mend == mend
    kept = 0.1 + 0.9 * 8 / 40  # LDS and half of the work, and loads of what was kept
    assert first.kernel_gain == pytest.approx(min(10.0, 8.0 / (1 - kept)))
    # One round instead of three, but for the time in which a unit works.
    assert first.expected == pytest.approx(1 / (0.2 + 0.8 / 3))
    few["rounds"] = 0.9  # nothing stands in line for more room
    assert mend not in {a.mend for a in advised(limiter=limiter, **few, **resources)}


@pytest.mark.parametrize(("limiter", "mend"), [("vgpr", "registers"), ("lds", "lds-room")])
def test_room_for_a_wave_on_each_simd(limiter: str, mend: str) -> None:
    """One wave of 32 has room on a compute unit: three of four SIMDs are idle while it works."""
    one = {"occupancy_limit": 0.03125, "occupancy": 0.031, "unfilled": 1.01, "rounds": 12.0}
    room = {"lds_bytes": 49_000.0, "vgpr": 280.0, "wait_share": 0.1}
    first = advised(limiter=limiter, **one, **room)[0]
    assert first.mend == mend
    assert first.expected == pytest.approx(1 / (0.2 + 0.8 / 12))
    assert mend not in {a.mend for a in advised(limiter=limiter, **one, **room, busiest=0.7)}
    one["rounds"] = 0.9  # none stands in line
    assert mend not in {a.mend for a in advised(limiter=limiter, **one, **room)}


def test_room_for_waves_is_told_though_three_have_some_and_hardly_wait() -> None:
    """168 registers: three waves on a SIMD, which neither wait nor keep a unit busy."""
    three = {"occupancy_limit": 0.375, "occupancy": 0.31, "unfilled": 1.2, "rounds": 1.33}
    figures = {**three, "vgpr": 168.0, "wait_share": 0.14, "busiest": 0.42, "vector_busy": 0.42}
    advice = {a.mend: a for a in advised(limiter="vgpr", **figures)}
    assert advice["registers"].expected == pytest.approx(1 / (1 - 0.58 / 2))
    assert "registers" not in {a.mend for a in advised(limiter="slots", **figures)}


def test_waiting_with_a_cause_is_not_counted_again() -> None:
    both = {a.mend: a for a in advised(lines_per_access=64.0, wait_share=0.9)}
    assert both["coalesce"].kernel_gain == pytest.approx(10.0)
    left = 0.9 * 4 / 64  # what coalesced accesses would still wait
    assert both["in-flight"].expected == pytest.approx(1 / (1 - left))
    assert both["in-flight"].kernel_gain == pytest.approx(10.0)  # no law against hiding it all


def test_waiting_for_one_address_is_not_hidden_by_more_loads() -> None:
    both = {a.mend: a for a in advised(one_address=0.9, wait_share=0.9)}
    assert both["in-flight"].expected == pytest.approx(1 / (1 - 0.9 * (1 - 0.9)))


def test_hiding_waits_gains_no_more_than_the_busiest_unit_leaves() -> None:
    figures = {**CALM, "wait_share": 0.95, "vector_busy": 0.5}
    assert bounds.hide_waiting(figures) == pytest.approx(4.0)  # half of vector work may go
    assert bounds.hide_waiting({**figures, "flop_share": 0.8}) == pytest.approx(2.5)


def test_gains_end_to_end_follow_from_the_share_of_the_kernel() -> None:
    (first, *_) = advice_for_kernel(LATENCY, CALM, None, 0.5)
    assert first.kernel_gain == pytest.approx(4.0)
    assert first.gain == pytest.approx(1 / (1 - 0.5 * 0.75))


def test_what_is_outside_competes_with_the_kernel() -> None:
    outside = advice_outside({"copies": 0.7, "kernels": 0.2, "host": 0.1}, unexplained=False)
    assert [(a.mend, a.kernel_gain) for a in outside] == [("copies", None)]
    assert outside[0].gain == pytest.approx(5.0)  # what waits for a blocking copy goes with it
    own = advice_for_kernel(LATENCY, CALM, None, 0.2)
    assert [a.mend for a in chosen(own, outside, ())][:2] == ["copies", "in-flight"]


def test_launching_ahead_takes_waits_and_blocking_copies_along() -> None:
    shares = {"launching": 0.3, "host": 0.1, "copies": 0.1, "kernels": 0.5}
    (ahead,) = advice_outside(shares, unexplained=False)
    assert (ahead.mend, ahead.gain) == ("ahead", pytest.approx(2.0))


def test_conflicts_are_advised_where_the_work_of_the_lds_is_not_known() -> None:
    figures: Figures = {name: value for name, value in CALM.items() if name != "lds_busy"}
    figures = {**figures, "lds_uncounted": 1.0, "lds_conflicts": 0.9, "busiest": 0.2}
    found = {a.mend: a for a in advice_for_kernel(LATENCY, figures, None, 1.0)}
    assert found["conflicts"].kernel_gain == pytest.approx(10.0)
    assert "how much it works is not known" in found["conflicts"].why
    few = {**figures, "lds_conflicts": 0.3}
    assert "conflicts" not in {a.mend for a in advice_for_kernel(LATENCY, few, None, 1.0)}


def test_a_sentence_that_its_number_contradicts_is_not_said() -> None:
    mends = {a.mend for a in advised(wait_share=0.04)}
    assert not mends & {"in-flight", "wider", "registers"}
    assert all("wait 4%" not in a.why or "only" in a.why for a in advised(wait_share=0.04))


def test_without_counters_nothing_is_promised() -> None:
    figures: Figures = {"workgroups_per_cu": 0.1, "workgroups": 30.0, "cu_count": 304.0}
    found = advice_for_kernel(LATENCY, {**figures, "idle_cus": 0.9, "waves": 60.0}, None, 1.0)
    assert [(a.mend, a.kernel_gain) for a in found] == [("workgroups", pytest.approx(10.0))]
    assert advice_for_kernel(LATENCY, {}, None, 1.0) == []


def test_collectives_have_advice_of_their_own() -> None:
    found = advised(COLLECTIVE)
    assert [a.mend for a in found] == [row.mend for row in COLLECTIVES]
    assert all(a.gain is None for a in found)


def test_next_steps_come_last_and_promise_nothing() -> None:
    assert advised()[-1].mend == "find-out"
    assert advised()[-1].gain is None


def test_texts_use_known_figures_only() -> None:
    for row in (*ROWS, *NEXT_STEPS, *COLLECTIVES):
        fields = {name for text in (row.what, row.why) for _, name, _, _ in Formatter().parse(text)}
        names = fields | {condition.metric for condition in row.conditions}
        assert names - {None} <= set(METRICS) | _OTHERS, row.mend


def test_what_was_seen_comes_before_what_such_changes_mostly_do() -> None:
    """Of a third of the time at barriers, and half of the instructions, perhaps."""
    both = {"traced_barrier": 0.36, "traced_stall": 0.6, "vector_busy": 0.75, "busiest": 0.75}
    said = advised(COMPUTE, wait_share=0.2, flop_share=0.0, **both)
    assert [advice.mend for advice in said[:2]] == ["barriers", "instructions"]
    assert (said[0].expected or 0.0) < (said[1].expected or 0.0)


def test_a_place_that_is_left_is_taken_by_what_is_further_away() -> None:
    """The LDS works a sixth of the time, which is a third of what makes it the cause."""
    figures: Figures = {**CALM, "lds_busy": 0.17, "wait_share": 0.1, "busiest": 0.2}
    known = LATENCY, figures, "waves", 1.0
    assert "lds-traffic" not in {one.mend for one in nearly_advised(*known)}
    assert "lds-traffic" in {one.mend for one in nearly_advised(*known, far=True)}


def test_values_of_a_byte_are_hardly_to_be_had_in_fewer_bytes() -> None:
    """Both wait for memory that is busy: wider loads come before fewer bytes."""
    busy = {"reached_memory": 0.6, "memory_reached": 0.6, "busiest": 0.6, "wait_share": 0.6}
    said = {one.mend: one.expected for one in advised(**busy, access_bytes=4.0)}
    assert said["traffic"] == pytest.approx(2.0)
    narrow = advised(**busy, access_bytes=1.0)
    assert narrow[0].mend == "wider"
    assert {one.mend: one.expected for one in narrow}["traffic"] == pytest.approx(1 / 0.875)


def test_uneven_lives_are_told_though_compute_units_are_busy() -> None:
    uneven = {"lived": 0.2, "outlived_us": 80.0, "occupancy": 0.1, "rounds": 0.5, "wait_share": 0.1}
    first = advised(**uneven, cus_busy=0.6)[0]
    assert (first.mend, first.expected) == ("uneven", pytest.approx(2.5))
    short = {**uneven, "outlived_us": 10.0}
    assert "uneven" not in {one.mend for one in advised(**short, cus_busy=0.6)}
