"""Bounds: what is left when everything is gone that a mend of that name could take away."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.verdicts.advice import bounds
from rocm_perf_lab.analysis.verdicts.advice.choose import advice_outside


def test_with_the_room_goes_the_work_for_what_was_kept_there() -> None:
    """Bins of each work-item are cleared and added up, too: a gain of 9.18 was bound by 8."""
    traced = {"occupancy_limit": 0.125, "wait_share": 0.52, "vector_busy": 0.11, "lds_busy": 0.06}
    traced.update({"traced_stall": 0.55, "traced_lds": 0.19, "flop_share": 0.0})
    assert bounds.more_waves(traced) == pytest.approx(8 / (1 - 0.19 - 0.45 / 2))
    useful = {**traced, "flop_share": 1.0, "vector_busy": 0.05}
    assert bounds.more_waves(useful) == pytest.approx(8 / (1 - 0.19))


def test_addresses_go_with_accesses_of_the_lds() -> None:
    """16 products from eight values gained 2.61 times, and 2.54 were promised."""
    reads = {"wait_share": 0.1, "lds_busy": 0.8, "traced_lds": 0.8, "vector_busy": 0.8}
    few = {**reads, "flop_share": 0.2, "lds_per_instruction": 0.01}
    assert bounds.fewer_lds_accesses(few) == pytest.approx(1 / 0.4)  # half of the work
    many = {**few, "lds_per_instruction": 0.3}
    assert bounds.fewer_lds_accesses(many) == pytest.approx(1 / 0.16)  # floating point stays
    assert bounds.fewer_lds_accesses_and_waits(many) == pytest.approx(1 / 0.16)
    issues = {**many, "traced_lds": 0.1, "lds_busy": 0.1, "vector_busy": 0.1}
    assert bounds.fewer_lds_accesses_and_waits(issues) == pytest.approx(1 / 0.4)


def test_full_waves_may_fill_slots_that_small_workgroups_left_empty() -> None:
    half = {"lane_fill": 0.5, "vector_busy": 0.2}
    assert bounds.filled_waves(half) == pytest.approx(10.0)  # what the vector units keep
    assert bounds.full_waves(half) == pytest.approx(20.0)  # what each wave does once goes, too
    assert bounds.full_waves({**half, "vector_busy": 0.9}) == pytest.approx(1 / 0.225)
    assert bounds.full_waves({**half, "occupancy": 0.4}) == pytest.approx(5.0)
    full = {**half, "vector_busy": 1.0, "occupancy": 0.4}
    assert bounds.filled_waves(full) == pytest.approx(2.0)
    assert bounds.full_waves(full) == pytest.approx(4.0)


def test_an_atomic_may_be_a_loop() -> None:
    """Of float: it compares and tries again, and its instructions go with it."""
    tries = {"vector_busy": 0.6, "flop_share": 0.1, "accesses_per_instruction": 0.1}
    assert bounds.combined_atomics(tries) == pytest.approx(1 / 0.12)


def test_what_is_computed_for_several_at_once_is_looked_up_once() -> None:
    steps = {"vector_busy": 0.1, "lds_busy": 0.6, "l1_moves": 0.2, "wait_share": 0.1}
    assert bounds.hide_dependence(steps) == pytest.approx(1 / 0.3)
    assert bounds.fewer_instructions(steps) == pytest.approx(1 / 0.3)


def test_smaller_workgroups_leave_less_room_unused() -> None:
    """One workgroup has room on a compute unit, and one of half the size might have it twice."""
    uneven = {"occupancy": 0.2, "occupancy_limit": 0.25, "vector_busy": 0.1, "even": 1.1}
    assert bounds.even(uneven) == pytest.approx(1.25)
    one = {**uneven, "workgroups_per_cu": 1.1, "rounds": 1.1}
    assert bounds.even(one) == pytest.approx(2.5)


def test_floating_point_may_go_with_fewer_instructions() -> None:
    busy = {"vector_busy": 0.5, "flop_share": 0.8, "accesses_per_instruction": 0.1}
    assert bounds.fewer_instructions(busy) == pytest.approx(20.0)  # accesses stay


def test_independent_steps_can_be_packed() -> None:
    steps = {"vector_busy": 0.6, "flop_share": 1.0, "wait_share": 0.1}
    assert bounds.hide_dependence(steps) == pytest.approx(1 / 0.3)
    assert bounds.hide_dependence({**steps, "double_share": 1.0}) == pytest.approx(1 / 0.6)


def test_bytes_of_neighbours_are_one_piece() -> None:
    apart = {"lines_per_access": 32.0, "vector_busy": 0.01}
    assert bounds.coalesced({**apart, "access_bytes": 4.0}) == pytest.approx(16.0)
    assert bounds.coalesced({**apart, "access_bytes": 1.0}) == pytest.approx(32.0)


def test_what_only_tells_the_host_to_go_on_may_go() -> None:
    shares = {"launching": 0.3, "copies": 0.1, "kernels": 0.6, "serial": 0.6}
    ahead = {
        checks: next(
            advice.gain
            for advice in advice_outside({**shares, "checks": checks}, unexplained=False)
            if advice.mend == "ahead"
        )
        for checks in (0.0, 0.35)
    }
    assert ahead == {0.0: pytest.approx(1 / 0.6), 0.35: pytest.approx(4.0)}


def test_on_other_streams_kernels_run_beside_each_other_too() -> None:
    """One queue has to run 40 % of the time; their busiest units have 10 % to do."""
    shares = {"launching": 0.5, "copies": 0.2, "kernels": 0.3, "serial": 0.4, "queued": 0.5}
    copies, ahead = advice_outside({**shares, "least": 0.1}, unexplained=False)
    assert (copies.mend, copies.gain) == ("copies", pytest.approx(10.0))
    assert (ahead.mend, ahead.gain) == ("ahead", pytest.approx(2.5))


def test_copies_that_hold_up_the_host_are_copies() -> None:
    """From memory that is not pinned: next to nothing of it is time of the GPU."""
    shares = {"launching": 0.9, "copies": 0.04, "kernels": 0.06, "queued": 0.4, "serial": 0.4}
    for uploads, said in ((0.8, ["copies", "ahead"]), (0.2, ["ahead"])):
        found = advice_outside({**shares, "uploads_per_launch": uploads}, unexplained=False)
        assert [one.mend for one in found] == said
    (copies, _) = advice_outside({**shares, "uploads_per_launch": 0.8}, unexplained=False)
    assert copies.expected == pytest.approx(2.5)
    assert "for each launch there are 0.8 copies to the GPU" in copies.why


def test_a_bound_lets_all_go_that_could_go_with_the_mend() -> None:
    double = {"vector_busy": 0.6, "double_share": 0.7, "accesses_per_instruction": 0.01}
    assert bounds.fewer_instructions(double) == pytest.approx(1 / 0.006)  # double, too
    apart = {"vector_busy": 0.1, "wait_share": 0.9, "lines_per_access": 64.0, "flop_share": 1.0}
    assert bounds.hide_waiting(apart) == pytest.approx(10.0)
    assert bounds.less_traffic(apart) == pytest.approx(20.0)  # several results can be packed
    double_apart = {**apart, "double_share": 1.0}
    assert bounds.less_traffic(double_apart) == pytest.approx(10.0)
    conflicts = {"vector_busy": 0.1, "lds_busy": 0.8, "conflict_time": 0.4, "lds_conflicts": 0.5}
    assert bounds.fewer_lds_accesses(conflicts) == pytest.approx(20.0)
    stalled = {**conflicts, "traced_stall": 0.9}
    assert bounds.no_conflicts(conflicts) == pytest.approx(1 / 0.4)  # all that idles beside it
    beside = {**conflicts, "matrix_busy": 0.81}
    assert bounds.no_conflicts(beside) == pytest.approx(1 / 0.6)
    assert bounds.no_conflicts({**beside, **stalled, "matrix_busy": 0.81}) == pytest.approx(
        1 / 0.55
    )
    spilled = {"vector_busy": 0.8, "flop_share": 0.1, "accesses_per_instruction": 0.1}
    assert bounds.no_spills(spilled) == pytest.approx(1 / (0.8 * 0.2))


def test_bytes_can_be_worked_on_four_at_a_time() -> None:
    work = {"vector_busy": 0.8, "flop_share": 0.0, "accesses_per_instruction": 0.0}
    assert bounds.wider({**work, "access_bytes": 1.0}) == pytest.approx(5.0)
    assert bounds.wider({**work, "access_bytes": 4.0}) == pytest.approx(1.25)


def test_what_was_loaded_to_be_kept_need_not_be_waited_for() -> None:
    kept = {"occupancy_limit": 0.25, "wait_share": 0.5, "flop_share": 1.0, "vector_busy": 0.01}
    few = {**kept, "vgpr": 40.0, "accesses_per_wave": 100.0}
    assert bounds.more_waves(few) == pytest.approx(4 / (1 - 0.5 * 0.4))
    assert bounds.more_waves({**few, "vgpr": 200.0}) == pytest.approx(4 / 0.5)


def test_a_trace_sees_waiting_that_no_counter_calls_so() -> None:
    waits = {"wait_share": 0.1, "vector_busy": 0.05, "flop_share": 1.0}
    assert bounds.hide_waiting(waits) == pytest.approx(1 / 0.9)
    assert bounds.hide_waiting({**waits, "traced_stall": 0.5}) == pytest.approx(2.0)
    idle = {**waits, "traced_stall": 0.2, "traced_idle": 0.7}
    assert bounds.hide_waiting(idle) == pytest.approx(10.0)


def test_shuffles_may_go_past_the_lds() -> None:
    shuffles = {"traced_stall": 0.8, "lds_busy": 0.6, "vector_busy": 0.1, "flop_share": 1.0}
    assert bounds.no_stalls(shuffles) == pytest.approx(5.0)


def test_smaller_workgroups_may_fill_room_that_large_ones_leave() -> None:
    """Half of the slots are the most with two workgroups, three quarters with finer ones."""
    large = {"occupancy": 0.1, "occupancy_limit": 0.5, "vector_busy": 0.01}
    assert bounds.more_workgroups(large) == pytest.approx(5.0)
    known = {**large, "workgroups_per_cu": 0.5, "rounds": 0.25}
    assert bounds.more_workgroups(known) == pytest.approx(7.5)


def test_steps_on_data_that_stay_are_one_launch() -> None:
    """Eight steps in one pass gained 6.06 times; 2.74 were promised, each with a launch."""
    moves = {"memory_reached": 0.65, "vector_busy": 0.2, "flop_share": 0.2, "launch_floor": 0.4}
    moves["accesses_per_instruction"] = 0.2
    assert bounds.less_traffic({**moves, "launches": 1.0}) == pytest.approx(2.5)
    assert bounds.less_traffic(moves) == pytest.approx(2.5)
    assert bounds.less_traffic({**moves, "launches": 8.0}) == pytest.approx(20.0)
    assert bounds.less_traffic({**moves, "launches": 1000.0}) == pytest.approx(25.0)  # work stays


def test_unlike_kernels_may_run_beside_alike_ones() -> None:
    """Three chains of two launches each gained twice, and 1.3 were promised for one of them."""
    assert bounds.beside({"beside": 1.3}) == 1.3
    assert bounds.beside({"beside": 1.3, "unlike_beside": 4.8}) == 4.8
    assert bounds.beside({"beside": 5.0, "unlike_beside": 4.8}) == 5.0
    assert bounds.beside({}) is None
