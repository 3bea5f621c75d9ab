"""The order of advice: by what changes mostly gain, which is less the less of a cause is proven."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.verdicts.advice import expected
from rocm_perf_lab.analysis.verdicts.advice import expected_launches as launches
from rocm_perf_lab.analysis.verdicts.advice import expected_traffic as traffic
from rocm_perf_lab.analysis.verdicts.advice.choose import (
    advice_for_kernel,
    advice_outside,
    chosen,
    nearly_advised,
)
from rocm_perf_lab.analysis.verdicts.advice.row import EASIER, Advice
from rocm_perf_lab.analysis.verdicts.figures import _lives, _through_l1
from rocm_perf_lab.analysis.verdicts.rules import COLLECTIVE, LATENCY


def test_loads_that_are_in_flight_hide_nothing_more() -> None:
    waits = {"wait_share": 0.9, "traced_memory": 0.8}
    assert expected.hidden_waiting({"wait_share": 0.9}) == pytest.approx(10.0)
    assert expected.hidden_waiting({**waits, "loads_in_flight": 2.0}) == pytest.approx(2.5)
    assert expected.hidden_waiting({**waits, "loads_in_flight": 8.0}) == 1.0
    assert expected.hidden_waiting({}) is None


def test_more_in_flight_hides_the_way_and_not_the_line() -> None:
    waits = {"wait_share": 0.9, "traced_memory": 0.8, "traced_way": 0.2, "loads_in_flight": 4.0}
    assert expected.hidden_waiting(waits) == pytest.approx(1 / 0.9)


def test_float_is_half_of_double_without_conversions() -> None:
    figures = {"double_share": 0.4, "vector_busy": 0.3, "wait_share": 0.5}
    assert expected.half_the_width(figures) == pytest.approx(1 / (1 - 0.5 * 0.8 / 3))
    converted = {**figures, "conversion_share": 0.4}
    assert expected.half_the_width(converted) == pytest.approx(1 / (1 - 0.5 * 2 / 3))
    for_matrix_units = {**figures, "product_share": 0.4, "operands_per_fma": 0.5}
    assert expected.half_the_width(for_matrix_units) == pytest.approx(1 / 0.94)


def test_more_workgroups_hide_a_third_of_the_waiting_where_each_unit_has_one() -> None:
    figures = {"wait_share": 0.9, "unfilled": 10.0}
    assert expected.split_work(figures) == pytest.approx(1 / (1 - 0.27))
    assert launches.filled_device({"workgroups_per_cu": 0.25}) == pytest.approx(3.0)
    tiny = {"workgroups_per_cu": 0.01, "mean_time": 4.0, "launch_floor": 0.25}
    assert launches.filled_device(tiny) == pytest.approx(2.0)  # 1 us of launching and 1 of the way


def test_launches_are_steps_of_one_thing_or_parts_of_the_work() -> None:
    assert launches.fused({"fused_likely": 1.2, "batched_likely": 2.8}) == 2.8
    assert launches.fused({"fused_likely": 1.9}) == 1.9
    assert launches.fused({}) is None


def test_where_all_kernels_are_small_the_problem_may_be() -> None:
    figures = {"workgroups_per_cu": 0.25, "small_others": 0.6}
    assert launches.filled_device(figures) == pytest.approx(1 / (1 - 2 / 3 * 0.7))


def test_work_of_other_advice_is_not_halved() -> None:
    assert expected.half_the_work({"vector_busy": 0.8}) == pytest.approx(1 / 0.6)
    divisions = {"vector_busy": 0.3, "wait_share": 0.1, "special_share": 0.05}
    assert expected.half_the_work(divisions) == pytest.approx(1 / (1 - 0.45))
    assert expected.half_the_work({**divisions, "special_share": 0.01}) == pytest.approx(1 / 0.85)
    divergent = {"vector_busy": 0.8, "lanes_of_filled": 0.5}
    assert expected.half_the_work(divergent) == pytest.approx(1 / 0.8)


def test_small_launches_of_a_loop_without_loads_are_not_split() -> None:
    figures = {"workgroups_per_cu": 0.1, "accesses_per_wave": 2.0, "waves": 128.0, "simds": 4.0}
    figures["workgroups"] = 32.0
    assert launches.filled_device(figures) == pytest.approx(7.5)  # one launch may draw numbers
    assert launches.filled_device({**figures, "alike": 4.0}) == 1.0
    shared = {**figures, "alike": 4.0, "waves": 512.0}  # four waves on each SIMD
    assert launches.filled_device(shared) == pytest.approx(4.0)
    assert launches.filled_device({**shared, "accesses_per_wave": 40.0}) == pytest.approx(7.5)


def test_an_array_in_scratch_is_read_more_than_once() -> None:
    assert expected.no_spills({"scratch": 0.5}) == pytest.approx(1 / 0.55)
    assert expected.no_spills({"scratch_accesses": 0.5}) is None  # nobody counted: all of its bound


def test_accesses_of_the_lds_take_their_addresses_along() -> None:
    known = {"lds_busy": 0.2, "traced_lds": 0.1, "lds_time": 0.4}
    assert expected.half_the_lds(known) == pytest.approx(1 / 0.8)


def test_where_the_lds_is_busiest_matrix_units_save_no_more_than_larger_tiles() -> None:
    """What is loaded from memory besides is no operand of the products."""
    staged = {"products": 0.6, "vector_busy": 0.2, "traced_stall": 0.8, "matrix_rate": 2.0}
    staged.update(lds_busy=0.6, traced_lds=0.5, traced_vector=0.3, traced_memory=0.3)
    assert (
        expected.in_matrix_units(staged) == expected.half_the_lds(staged) == pytest.approx(1 / 0.7)
    )
    mostly_loads = {**staged, "lds_busy": 0.2}
    assert expected.in_matrix_units(mostly_loads) == pytest.approx(1 / 0.6)


def test_products_of_waves_that_do_not_wait_take_their_time_however_idle_the_device() -> None:
    products = {"products": 0.8, "narrow_products": 1.0, "vector_busy": 0.1, "traced_stall": 0.2}
    products["matrix_rate"] = 8.0
    assert expected.in_matrix_units({**products, "wait_share": 0.2}) == pytest.approx(1 / 0.44)
    assert expected.in_matrix_units({**products, "wait_share": 0.95}) == pytest.approx(1 / 0.93)


def test_what_gains_next_to_nothing_is_not_first_for_being_easy() -> None:
    easy, rewrite = Advice("ahead", "", "", None, 2.0, 1.0, EASIER), Advice("x", "", "", 2, 2, 1.1)
    assert [a.mend for a in chosen([rewrite], [easy], ())] == ["x", "ahead"]
    of_little = Advice("ahead", "", "", None, 2.0, 1.1, EASIER)
    assert of_little.order == pytest.approx(-1.15)  # half as much again
    assert [a.mend for a in chosen([rewrite], [of_little], ())] == ["ahead", "x"]
    twice_as_much = Advice("x", "", "", 2, 2, 1.2)
    assert [a.mend for a in chosen([twice_as_much], [of_little], ())] == ["x", "ahead"]
    assert Advice("ahead", "", "", None, 5.0, 3.0, EASIER).order == pytest.approx(-3.0 * EASIER)


def test_launching_ahead_leaves_kernels_and_copies() -> None:
    shares = {"launching": 0.5, "copies": 0.1, "kernels": 0.4, "queued": 0.6}
    (ahead,) = advice_outside(shares, unexplained=False)
    assert (ahead.mend, ahead.gain) == ("ahead", pytest.approx(2.5))
    assert ahead.expected == pytest.approx(1 / 0.7)
    (waited,) = advice_outside({**shares, "waited": 0.2}, unexplained=False)
    assert waited.gain == ahead.gain
    assert waited.expected == pytest.approx(1 / (0.8 - 0.03))  # a graph launches little faster
    (waited,) = advice_outside({**shares, "waited": 0.5}, unexplained=False)
    assert waited.expected == ahead.expected  # the GPU runs no faster


def test_answers_that_the_host_waits_for_go_with_the_waiting() -> None:
    shares = {"launching": 0.4, "copies": 0.2, "kernels": 0.4, "queued": 0.5, "waited": 0.5}
    said = {one.mend: one for one in advice_outside(shares, unexplained=False)}
    assert said["ahead"].expected == pytest.approx(1 / 0.7)
    assert said["copies"].expected == pytest.approx(1 / 0.8)
    said = {one.mend: one for one in advice_outside({**shares, "answers": 0.15}, unexplained=False)}
    assert said["ahead"].expected == pytest.approx(1 / 0.55)
    assert said["copies"].expected == pytest.approx(1 / 0.95)
    assert said["copies"].gain == pytest.approx(2.5)


def test_copies_to_the_device_keep_launches_apart() -> None:
    shares = {"copies": 0.2, "launching": 0.4, "kernels": 0.4, "queued": 0.4, "held_up": 1.0}
    said = {advice.mend: advice for advice in advice_outside(shares, unexplained=False)}
    assert said["copies"].expected == pytest.approx(2.5)
    assert said["ahead"].expected == pytest.approx(1 / 0.6)
    copies, _ = advice_outside({**shares, "held_up": 0.0}, unexplained=False)
    assert copies.expected == pytest.approx(1.25)


def test_of_comparable_changes_the_easier_comes_first() -> None:
    rewrite = Advice("fuse", "", "", None, 5.0, 2.0)
    easy = Advice("ahead", "", "", None, 3.0, 1.7, EASIER)
    assert [a.mend for a in chosen([rewrite], [easy], ())] == ["ahead", "fuse"]
    weak = Advice("ahead", "", "", None, 3.0, 1.5, EASIER)
    assert [a.mend for a in chosen([rewrite], [weak], ())] == ["fuse", "ahead"]


def test_a_next_step_is_not_said_twice() -> None:
    said = Advice("beside", "now", "", 2.0, 2.0, 2.0)
    later = [Advice("beside", "later", "", None, None), Advice("host", "", "", None, None)]
    assert [a.what for a in chosen([said], (), later)] == ["now", ""]


def test_what_loads_nothing_has_nothing_in_flight() -> None:
    waits = {"wait_share": 0.5, "written": 1.0, "accesses_per_wave": 1.0}
    assert expected.hidden_waiting(waits) == 1.0
    assert expected.hidden_waiting({**waits, "written": 0.5}) == pytest.approx(2.0)
    assert expected.hidden_waiting({**waits, "accesses_per_wave": 40.0}) == pytest.approx(2.0)


def test_functions_of_double_precision_can_be_fewer_as_well() -> None:
    power = {"double_share": 0.75, "vector_busy": 0.6, "wait_share": 0.0, "special_share": 0.005}
    narrower = expected.half_the_width(power)
    assert narrower == pytest.approx(2.0)
    assert expected.half_the_work(power) == pytest.approx(1 / 0.75)  # half of what that saves
    plain = expected.half_the_work({**power, "special_share": 0.0})
    assert plain is not None
    assert plain < 1.2


def test_places_that_are_left_are_for_what_nearly_applies() -> None:
    figures = {"traced_barrier": 0.095, "traced_stall": 0.3, "vector_busy": 0.1}
    assert [a.mend for a in advice_for_kernel(LATENCY, figures, None, 1.0)] == []
    (near,) = nearly_advised(LATENCY, figures, None, 1.0)
    assert (near.mend, near.expected) == ("barriers", pytest.approx(1 / 0.905))
    assert nearly_advised(LATENCY, {**figures, "traced_barrier": 0.08}, None, 1.0) == []
    lanes = {"lane_fill": 1.0, "waves": 64.0, "wave_size": 64.0, "occupancy": 0.2}
    assert nearly_advised(LATENCY, lanes, None, 1.0) == []  # all of them are there
    assert nearly_advised(COLLECTIVE, figures, None, 1.0) == []


def test_sums_side_by_side_load_side_by_side() -> None:
    sums = {"traced_lds": 0.2, "wait_share": 0.6, "traced_memory": 0.4, "loads_in_flight": 2.0}
    assert expected.several_shuffles(sums) == pytest.approx(1 / (1 - 0.2 * 0.75 - 0.15))
    assert expected.several_shuffles({**sums, "loads_in_flight": 8.0}) == pytest.approx(1 / 0.85)


def test_matrix_units_save_loads_of_what_serves_several_products() -> None:
    products = {"products": 0.0, "vector_busy": 0.1, "traced_stall": 0.9, "traced_memory": 0.8}
    products.update(matrix_rate=2.0, traced_vector=0.8)
    assert expected.in_matrix_units({**products, "l1_hits": 0.5}) == pytest.approx(1 / 0.6)
    narrow = {**products, "narrow_products": 1.0, "l1_hits": 0.5, "l2_hits": 1.0}
    assert expected.in_matrix_units(narrow) == pytest.approx(5.0)


def test_workgroups_of_one_wave_leave_simds_idle_too() -> None:
    few = {"workgroups_per_cu": 0.3, "workgroups": 91.0, "waves": 91.0, "simds": 4.0}
    assert launches.filled_device(few) == pytest.approx(10.0)
    assert launches.filled_device({**few, "waves": 364.0}) == pytest.approx(2.5)


def test_results_that_one_work_item_stores_may_be_those_of_several() -> None:
    alone = {"results": 16.0, "unfilled": 32.0, "busiest": 0.0625, "wait_share": 0.1}
    assert expected.for_each_result(alone) == pytest.approx(4.0)
    assert expected.for_each_result({**alone, "results": 1.0}) == 1.0
    scattered = {**alone, "lines_per_access": 64.0}
    assert expected.for_each_result(scattered) == pytest.approx(1 / (1 - 0.75 / 16))
    alone |= {"waves": 304.0, "waves_per_simd": 0.25, "workgroups_per_cu": 1.0, "simds": 4.0}
    alone |= {"vector_busy": 0.0625, "occupancy": 0.03, "scratch_bytes": 0.0}
    one, *_ = chosen(advice_for_kernel(LATENCY, alone, None, 1.0), (), ())
    assert one.mend == "workgroups"
    assert "stores 16 times, and there are 0.25 waves for each SIMD, which fill 3%" in one.why

    def mends(**changed: float) -> set[str]:
        return {advice.mend for advice in advice_for_kernel(LATENCY, {**alone, **changed}, None, 1)}

    assert "workgroups" not in mends(scratch_bytes=64.0)  # which is stored, too
    assert "workgroups" not in mends(waves_per_simd=1.0)  # steps side by side do as much
    assert "workgroups" in mends(waves_per_simd=1.0, wait_share=0.5)  # but hide no waiting
    assert "workgroups" not in mends(waves_per_simd=1.0, wait_share=0.5, results=64.0)  # a stream


def test_what_nearly_applies_comes_before_what_gains_next_to_nothing() -> None:
    most, little = Advice("x", "", "", 2.0, 2.0, 1.5), Advice("y", "", "", 2.0, 2.0, 1.01)
    near, step = Advice("z", "", "", 1.5, 1.5, 1.2), Advice("find-out", "", "", None, None)
    assert [a.mend for a in chosen([little, most], (), [step], [near])] == ["x", "z", "y"]
    some = Advice("y", "", "", 2.0, 2.0, 1.1)
    assert [a.mend for a in chosen([some, most], (), [step], [near])] == ["x", "y", "z"]
    assert [a.mend for a in chosen([little], (), [step])] == ["y", "find-out"]


def test_rounds_that_are_filled_are_not_nearly_unfilled() -> None:
    """ "Filled to 100%" is no reason, and "all lanes are switched on" is none."""
    figures = {
        "round_fill": 0.65,
        "unfilled": 1.5,
        "idle_us": 15.0,
        "workgroups": 2432.0,
        "occupancy": 0.4,
        "occupancy_limit": 0.6,
        "vector_busy": 0.1,
    }
    assert [a.mend for a in nearly_advised(LATENCY, figures, None, 1.0)] == ["uneven"]
    assert nearly_advised(LATENCY, {**figures, "round_fill": 1.0}, None, 1.0) == []
    lanes = {"lanes_active": 0.97, "lanes_of_filled": 0.97, "lost_tail": 0.2, "vector_busy": 0.2}
    assert nearly_advised(LATENCY, lanes, None, 1.0) == []


def _mends(figures: dict[str, float]) -> dict[str, Advice]:
    return {one.mend: one for one in advice_for_kernel(LATENCY, figures, None, 1.0)}


def test_divisions_that_a_trace_sees_are_told_of_units_that_are_not_busy() -> None:
    """Of 64-bit divisions 9 % are reciprocals and the like; the vector units work 29.9 %."""
    figures = {"vector_busy": 0.299, "flop_share": 0.05, "sequences": 0.09, "wait_share": 0.12}
    assert "9% of the traced vector instructions" in _mends(figures)["instructions"].why
    assert "instructions" not in _mends({**figures, "sequences": 0.01})
    assert "instructions" not in _mends({**figures, "vector_busy": 0.05})


def test_loads_that_may_be_wide_or_apart_are_told_of_where_memory_is_busy() -> None:
    """One of three numbers of a record: 11 pieces for each load, as of 12 bytes for each lane."""
    figures = {
        "lines_per_access": 11.0,
        "access_bytes": 11.6,
        "reached_memory": 0.8,
        "memory_reached": 0.8,
        "l2_hits": 0.04,
        "untraced": 1.0,
    }
    perhaps = _mends(figures)["coalesce"]
    assert perhaps.expected == pytest.approx(1 + 0.25 * (11 / 4 - 1))
    assert perhaps.kernel_gain == pytest.approx(5.5)
    assert "less than 12 bytes" in perhaps.what
    assert (_mends(figures)["traffic"].expected or 0.0) > (perhaps.expected or 0.0)
    for known in ({"lines_per_access": 4.0}, {"reached_memory": 0.3}, {"untraced": 0.0}):
        assert "coalesce" not in _mends({**figures, **known})


def test_hardly_anything_but_divisions() -> None:
    """One in eight instructions is the middle of a division: nearly all of them belong to one."""
    few = {"vector_busy": 0.4, "wait_share": 0.6, "sequences": 0.05}
    assert expected.half_the_work(few) == pytest.approx(1 / (1 - 0.5 * 0.4))
    assert expected.half_the_work({**few, "sequences": 0.1}) == pytest.approx(1 / (1 - 0.8 * 0.4))
    assert expected.half_the_work({**few, "sequences": 0.3}) == pytest.approx(1 / (1 - 0.9 * 0.4))


def test_needless_pieces_are_saved_where_memory_is_busy_with_them() -> None:
    """One of three numbers of a record: two thirds of what is moved is for nothing."""
    records = {"spread": 3.0, "traced_apart": 0.3, "reached_memory": 0.75}
    assert expected.less_spread(records) == pytest.approx(2.0)
    assert traffic.half_the_bytes(records) == pytest.approx(1.2)  # of what is useful
    calm = {**records, "reached_memory": 0.0}
    assert expected.less_spread(calm) == pytest.approx(1.25)
    assert expected.less_spread({**calm, "traced_atomics": 0.3}) == pytest.approx(1.0)


def test_what_is_not_taken_yet_is_no_work() -> None:
    """Of the time 45 % are vector work; the rest stands before an L1 that has all of it."""
    queued = {"vector_busy": 0.45, "wait_share": 0.17, "flop_share": 0.0, "occupancy": 0.9}
    queued["slots_per_simd"] = 8.0
    works = expected.half_the_work(queued) or 0.0
    seen = expected.half_the_work({**queued, "traced_vector": 0.6}) or 0.0
    assert works == pytest.approx(1 / (1 - 0.83 / 2))
    assert seen == pytest.approx(1 / (1 - 0.45 / 2))
    line = {"traced_line": 0.5, "l1_moves": 0.72, "l1_hits": 0.9}
    assert traffic.half_the_line(line) == pytest.approx(1 / (1 - 0.36))
    assert traffic.half_the_line({**line, "l1_hits": 0.1}) == pytest.approx(1 / (1 - 0.25))


def test_half_of_the_bytes_is_half_of_the_time_only_at_the_roof() -> None:
    assert traffic.half_the_bytes({"reached_memory": 0.7}) == pytest.approx(2.0)
    assert traffic.half_the_bytes({"reached_memory": 0.3}) == pytest.approx(1 / 0.75)
    helped = {"reached_memory": 0.3, "of_hbm": 1.1}  # by Infinity Cache
    assert traffic.half_the_bytes(helped) == pytest.approx(2.0)


def test_atomics_of_lanes_that_are_apart_are_atomics() -> None:
    apart = {"lines_per_access": 32.0, "wait_share": 0.8, "atomic_share": 0.9}
    assert expected.coalesced(apart) == pytest.approx(1 / (1 - 0.8 * 0.875 * 0.1))
    assert expected.coalesced({**apart, "traced_apart": 0.5}) == pytest.approx(1 / 0.95)
    few = {**apart, "atomic_share": 0.1}
    assert expected.coalesced(few) == pytest.approx(1 / (1 - 0.8 * 0.875))  # few are atomics
    assert expected.coalesced({**few, "traced_apart": 0.5}) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("lines", "requests", "spread"),
    [(11.0, 6.0, 2.75), (8.0, 2.0, 1.0), (4.0, 2.0, 1.0)],  # records, not aligned, neighbours
)
def test_pieces_that_l1_has_already_are_not_needless(
    lines: float, requests: float, spread: float
) -> None:
    known = {"lines_per_access": lines, "requests_per_access": requests, "access_bytes": 4.0}
    assert _through_l1({**known, "written": 0.0})["spread"] == pytest.approx(spread)
    assert "spread" not in _through_l1({**known, "untraced": 1.0})


def test_more_waves_fill_what_idles_between_the_steps_of_few() -> None:
    """Two of eight have room, and 30 % of the time a unit works."""
    few = {"rounds": 4.0, "busiest": 0.3, "occupancy_limit": 0.25}
    assert expected.filled_simds(few) == pytest.approx(1 / (1 - 0.7 * 0.75))
    assert expected.filled_simds({**few, "rounds": 2.0}) == pytest.approx(1 / (0.3 + 0.7 / 2))
    assert expected.filled_simds({"rounds": 3.2}) == pytest.approx(4.0)


def test_waves_that_begin_at_once_and_end_early_leave_the_longest_alone() -> None:
    """An eighth of the slots is given to waves, and over time a sixtieth is filled."""
    few = {"rounds": 0.125, "occupancy_limit": 1.0, "occupancy": 1 / 64, "mean_time": 400.0}
    lives = _lives({**few, "launch_floor": 0.0})
    assert lives == {"lived": pytest.approx(0.125), "outlived_us": pytest.approx(350.0)}
    assert expected.even_lives(lives) == pytest.approx(1 / (1 - 0.75 * 0.875))
    assert _lives({**few, "rounds": 1.5}) == {}  # what begins later says nothing
    assert _lives({}) == {}


def test_reciprocals_that_stand_alone_are_no_divisions() -> None:
    """A division has eight instructions or more for each: a fourth of all are quick already."""
    chain = {"vector_busy": 0.4, "wait_share": 0.1, "flop_share": 1.0, "occupancy": 0.12}
    divided = expected.half_the_work({**chain, "special_share": 0.1, "sequences": 0.4})
    assert divided == pytest.approx(1 / (1 - 0.9 * 0.9))
    alone = expected.half_the_work({**chain, "special_share": 0.25, "sequences": 0.25})
    assert alone is not None
    assert alone < 1.2


def test_of_double_precision_matrix_units_do_more_than_a_larger_tile() -> None:
    """FP32 may be packed as well, with operands in LDS; double precision may not."""
    tiles = {"vector_busy": 0.4, "lds_busy": 0.3, "wait_share": 0.5, "products": 0.7}
    tiles |= {"matrix_rate": 2.0, "traced_lds": 0.3, "traced_stall": 0.5}
    assert expected.in_matrix_units(tiles) == pytest.approx(1 / (1 - 0.15))
    double = expected.in_matrix_units({**tiles, "double_share": 0.7})
    assert double == pytest.approx(1 / (1 - 0.15 - 0.5 * 0.7 * 0.5))
