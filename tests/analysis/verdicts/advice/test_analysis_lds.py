"""What is expected of changes to the exchange of values through LDS."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.verdicts.advice import expected, expected_lds
from rocm_perf_lab.analysis.verdicts.advice.causes import explained, explained_work
from rocm_perf_lab.analysis.verdicts.advice.choose import advice_for_kernel
from rocm_perf_lab.analysis.verdicts.rules import LATENCY


def test_loads_behind_barriers_go_with_the_barriers() -> None:
    traced = {"traced_barrier": 0.3, "traced_memory": 0.3, "loads_in_flight": 1.0}
    often, rarely = {**traced, "barriers_per_load": 4.0}, {**traced, "barriers_per_load": 0.0}
    assert expected_lds.fewer_barriers(often) == pytest.approx(1 / (1 - 0.3 - 0.15))
    assert expected_lds.fewer_barriers(rarely) == pytest.approx(1 / 0.7)
    assert expected.hidden_waiting(often) == pytest.approx(1 / (1 - 0.5 * 0.3 * 7 / 8))
    assert expected.hidden_waiting(rarely) == pytest.approx(1 / (1 - 0.3 * 7 / 8))
    tile = {**traced, "barriers_per_load": 2.0}  # the next one can be loaded before its barrier
    assert expected.hidden_waiting(tile) == expected.hidden_waiting(rarely)
    steps = {"traced_barrier": 0.1, "traced_lds": 0.4, "barriers_per_lds": 0.5}
    assert expected_lds.fewer_barriers(steps) == pytest.approx(1 / 0.7)
    conflicts = {**steps, "lds_conflicts": 0.5}
    assert expected_lds.fewer_barriers(conflicts) == pytest.approx(1 / 0.8)


def test_conflicts_are_not_counted_again() -> None:
    tile = {"lds_busy": 0.8, "lds_conflicts": 0.75, "conflict_time": 0.6, "vector_busy": 0.1}
    assert expected.half_the_operands(tile) == pytest.approx(1 / 0.9)
    assert expected_lds.half_the_lds(tile) == pytest.approx(1 / 0.6)
    assert expected_lds.no_conflicts(tile) == pytest.approx(2.5)
    few = {**tile, "lds_conflicts": 0.1, "conflict_time": 0.08}  # too few to have advice
    assert expected.half_the_operands(few) == pytest.approx(1 / 0.6)


def test_of_conflicts_is_expected_what_waves_wait_for() -> None:
    """While the LDS works for one of them, others may do something else."""
    busy = {"lds_busy": 0.6, "lds_conflicts": 0.75, "conflict_time": 0.45}
    assert expected_lds.no_conflicts(busy) == pytest.approx(1 / 0.55)
    assert expected_lds.no_conflicts({**busy, "traced_lds": 0.2}) == pytest.approx(1 / 0.85)


def test_who_is_at_a_barrier_while_the_lds_works_waits_for_the_lds() -> None:
    steps = {"traced_barrier": 0.4, "traced_lds": 0.4}
    busy = {**steps, "lds_busy": 0.5}
    assert expected_lds.fewer_barriers(steps) == pytest.approx(1 / 0.6)
    assert expected_lds.fewer_barriers(busy) == pytest.approx(1 / 0.8)
    assert expected_lds.half_the_lds(steps) == pytest.approx(1 / 0.8)
    assert expected_lds.half_the_lds(busy) == pytest.approx(1 / 0.7)
    conflicts = {**busy, "lds_conflicts": 0.2, "conflict_time": 0.1}  # these are no work for others
    assert expected_lds.fewer_barriers(conflicts) == pytest.approx(1 / (1 - 0.4 * 0.6))


def test_accesses_of_the_lds_and_their_addresses_are_no_needless_instructions() -> None:
    traced = {"vector_busy": 0.8, "time_rest": 0.5, "time_lds": 0.1, "time_lds_addresses": 0.1}
    assert max(explained_work(traced)) == pytest.approx(0.4)
    assert expected.half_the_work(traced) == pytest.approx(1 / (1 - 0.5 * 0.8 * 0.6))
    untraced = {"vector_busy": 0.8, "lds_per_instruction": 0.4, "lds_busy": 0.3}
    assert max(explained_work(untraced)) == 0.0  # it has to be busy
    assert max(explained_work({**untraced, "lds_busy": 0.6})) == pytest.approx(0.4)


def test_where_all_workgroups_run_at_once_no_room_explains_their_waiting() -> None:
    full = {"occupancy_limit": 0.125, "occupancy": 0.12, "unfilled": 1.04, "rounds": 1.0}
    assert max(explained(full)) == 0.0
    assert max(explained({**full, "rounds": 2.0})) == pytest.approx(0.875)
    assert max(explained({"occupancy_limit": 0.125})) == pytest.approx(0.875)  # nobody knows


def test_of_an_idle_lds_several_values_are_looked_up_at_once() -> None:
    """Each look-up of few waves waits for the one before, and the LDS could answer many more."""
    chain = {"traced_lds": 0.4, "lds_busy": 0.1, "occupancy": 0.12, "shuffle_share": 0.0}
    chain |= {"barriers_per_lds": 0.01, "traced_memory": 0.0}
    known = {"traced_stall": 0.5, "wait_share": 0.2, "busiest": 0.1}
    assert expected.several_lookups(chain) == pytest.approx(1 / 0.7)
    in_a_loop = {**chain, "time_control": 0.2}  # whose turns several of them share
    assert expected.several_lookups(in_a_loop) == pytest.approx(1 / 0.55)
    one, *_ = advice_for_kernel(LATENCY, {**chain, **known}, None, 1.0)
    assert (one.mend, one.expected) == ("independent", pytest.approx(1 / 0.7))
    assert "waiting for the LDS, which works 10% of the time only" in one.why
    busy = advice_for_kernel(LATENCY, {**chain, **known, "lds_busy": 0.3}, None, 1.0)
    assert not any("which works" in other.why for other in busy)
    in_line = {**chain, "occupancy_limit": 0.125, "unfilled": 1.0, "rounds": 4.0}  # for room
    assert expected.several_lookups(in_line) == pytest.approx(1 / (1 - 0.3 / 8))


def test_what_no_barrier_separates_is_an_array_of_the_lane() -> None:
    """Of several waves none could read what another stored: registers hold it as well."""
    own = {"lds_time": 0.3, "time_control": 0.1, "barriers_per_lds": 0.0, "workgroup_size": 256.0}
    assert expected_lds.in_registers(own) == pytest.approx(1 / 0.7)
    assert expected_lds.in_registers({}) is None
    known = {"shuffle_share": 0.0, "lds_conflicts": 0.0, "wait_share": 0.2, "vector_busy": 0.3}

    def why(**changed: float) -> str:
        found = advice_for_kernel(LATENCY, {**own, **known, **changed}, None, 1.0)
        return next((one.why for one in found if one.mend == "lds-traffic"), "")

    assert why().startswith("30% of the time")
    assert why().endswith("reads what another stored")
    for shared in ({"barriers_per_lds": 0.01}, {"workgroup_size": 64.0}, {"lds_time": 0.1}):
        assert "another stored" not in why(**shared)
