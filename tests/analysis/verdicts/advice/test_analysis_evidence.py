"""What looks alike and is told apart: by a thread trace, by what L1 finds, by how waves run."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.verdicts.advice import expected
from rocm_perf_lab.analysis.verdicts.advice import expected_traffic as traffic
from rocm_perf_lab.analysis.verdicts.advice.choose import advice_for_kernel
from rocm_perf_lab.analysis.verdicts.advice.row import Advice
from rocm_perf_lab.analysis.verdicts.figures import _products
from rocm_perf_lab.analysis.verdicts.rules import COMPUTE, LATENCY


def test_more_waves_do_not_make_a_busy_unit_faster() -> None:
    """Workgroups that run beside each other share what works already: only the rest is shorter."""
    assert expected.more_room({"rounds": 3.5}) == pytest.approx(4.0)
    assert expected.more_room({"rounds": 3.5, "busiest": 0.5}) == pytest.approx(1 / (0.5 + 0.5 / 4))
    assert expected.more_room({"rounds": 0.5, "busiest": 0.5}) == pytest.approx(1.0)
    assert expected.more_room({"busiest": 0.5}) is None


def test_waiting_of_waves_that_stand_in_line_for_room_is_for_more_room() -> None:
    """Of waves that registers leave three of eight slots: loads in flight hide what is left."""
    known = {"traced_way": 0.6, "occupancy_limit": 0.375, "unfilled": 1.1, "rounds": 2.7}
    assert expected.hidden_waiting(known) == pytest.approx(1 / (1 - 0.6 * 0.375))
    assert expected.hidden_waiting({**known, "rounds": 0.7}) == pytest.approx(1 / (1 - 0.6))


@pytest.mark.parametrize("size", [1.0, 2.0])
def test_loads_one_by_one_are_better_in_flight_than_wider(size: float) -> None:
    """In a loop of waves that all run at once eight of them bring as much for each wait, wherever
    the next ones lie."""
    known = {"access_bytes": size, "lines_per_access": 4.0, "wait_share": 0.8, "waves": 2e3}
    known |= {"traced_vector": 0.8, "traced_way": 0.8, "busiest": 0.1, "vector_busy": 0.1}
    loop = {"loads_in_flight": 1.0, "accesses_per_wave": 64.0, "rounds": 0.5}
    advice = advice_for_kernel(LATENCY, {**known, **loop}, None, 1.0)
    assert min(advice, key=lambda one: one.order).mend == "in-flight"
    several = advice_for_kernel(LATENCY, {**known, **loop, "rounds": 8.0}, None, 1.0)
    assert min(several, key=lambda one: one.order).mend == "wider"


def test_loads_that_decide_what_is_loaded_next_are_not_wider() -> None:
    known = {"narrow_time": 0.8, "access_bytes": 1.0}
    for deciding, saved in ((0.0, 0.8), (0.5, 0.4), (1.0, 0.0)):
        found = expected.wider_loads({**known, "deciding_loads": deciding})
        assert found == pytest.approx(1 / (1 - saved * 15 / 16))


def test_work_for_narrow_loads_goes_with_them() -> None:
    """Loads of a byte and their addresses are a third of the time of waves that hardly wait: 16 at
    once leave a sixteenth of it. What is left of the work can be fewer instructions as well."""
    known = {"access_bytes": 1.0, "lines_per_access": 4.0, "wait_share": 0.04, "waves": 5e3}
    known |= {"vector_busy": 0.7, "busiest": 0.7, "flop_share": 0.0, "traced_vector": 0.1}
    traced = {"time_narrow_loads": 0.3, "time_rest": 0.2, "time_integer": 0.5, "narrow_time": 0.4}

    def said(**other: float) -> dict[str, Advice]:
        advice = advice_for_kernel(COMPUTE, {**known, **traced, **other}, None, 1.0)
        return {one.mend: one for one in sorted(advice, key=lambda one: -one.order)}

    found = said()
    assert found["wider"].expected == pytest.approx(1 / (1 - 0.4 * 15 / 16))
    assert "and 40% of the time of its traced waves is loads of less than" in found["wider"].why
    of_work = 0.3 / 0.8
    assert found["instructions"].expected == pytest.approx(1 / (1 - 0.5 * 0.7 * (1 - of_work)))
    assert found["wider"].order < found["instructions"].order
    assert "wider" not in said(narrow_time=0.2)
    assert "wider" not in said(access_bytes=4.0)


def test_work_that_is_the_same_for_all_lanes_is_needless() -> None:
    """Angles of the step of a loop, by waves that have their SIMD for themselves: independent steps
    would fill what lies between instructions, a table leaves hardly any of them."""
    known = {"vector_busy": 0.6, "busiest": 0.6, "wait_share": 0.0, "flop_share": 0.5}
    known |= {"occupancy": 0.125, "slots_per_simd": 8.0, "matrix_busy": 0.0, "time_control": 0.5}

    def said(**other: float) -> list[Advice]:
        advice = advice_for_kernel(COMPUTE, {**known, **other}, None, 1.0)
        return sorted(advice, key=lambda one: one.order)

    found = said(time_same=0.5, time_rest=0.0)
    assert found[0].mend == "instructions"
    assert found[0].expected == pytest.approx(1 / (1 - 0.9 * 0.5))
    assert "50% of the time of its traced waves makes results that are the same" in found[0].why
    assert "table" in found[0].what
    assert said(time_same=0.0)[0].mend == "independent"


@pytest.mark.parametrize(("accesses", "best"), [(0.4, "lds-traffic"), (0.05, "instructions")])
def test_work_for_a_busy_lds_goes_with_its_accesses(accesses: float, best: str) -> None:
    """Sums in LDS: what is read and written has an instruction that makes or moves it."""
    known = {"vector_busy": 0.69, "lds_busy": 0.56, "busiest": 0.69, "wait_share": 0.4}
    known |= {"traced_lds": 0.41, "flop_share": 0.0, "lds_per_instruction": accesses}
    advice = advice_for_kernel(COMPUTE, known, None, 1.0)
    assert min(advice, key=lambda one: one.order).mend == best


def test_fewer_bytes_do_not_shorten_the_way() -> None:
    """Loads one by one at half of the roof: hardly a wave stands in line, all wait for the way."""
    alone = {"reached_memory": 0.6, "traced_way": 0.8, "traced_line": 0.0}
    assert traffic.half_the_bytes(alone) == pytest.approx(1.0)
    assert traffic.half_the_bytes({**alone, "traced_line": 0.05}) == pytest.approx(1.308, abs=0.001)
    assert traffic.half_the_bytes({**alone, "traced_line": 0.2}) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("known", "is_matrix"),
    [
        ({"l1_hits": 0.55}, False),  # values of its own for each lane
        ({"l1_hits": 0.9}, True),
        ({"l1_hits": 0.55, "product_share": 0.8}, True),  # hardly anything else
    ],
)
def test_operands_of_matrices_are_found_again(known: dict[str, float], is_matrix: bool) -> None:
    products = {"product_share": 0.5, "operands_per_fma": 0.5, "requests_per_access": 1.4}
    products |= {"products": 0.5, "operands_per_product": 0.5, "stores_per_product": 0.05}
    units = {"vector_busy": 0.3, "matrix_busy": 0.0, "lds_busy": 0.0, "wait_share": 0.1}
    advice = advice_for_kernel(LATENCY, {**products, **units, **known}, None, 1.0)
    assert ("matrix" in {one.mend for one in advice}) is is_matrix


def test_traced_products_of_narrow_values_are_products_of_matrices() -> None:
    """Rows come through scalar loads or are kept, no counter tells the products of bytes; half of
    the work is them and what makes their operands."""
    known = {"vector_busy": 0.43, "matrix_busy": 0.0, "stored": 0.06, "wait_share": 0.23}
    known |= {"accesses_per_instruction": 0.04, "l1_hits": 0.9, "matrix_rate": 8.0}
    traced = {"time_narrow_products": 0.1, "time_operands": 0.3, "time_rest": 0.2}
    products = _products({**known, **traced})
    assert products["narrow_products"] == 1.0
    assert products["products"] == pytest.approx(0.5)
    assert products["operands_per_product"] == pytest.approx(0.08)
    advice = advice_for_kernel(LATENCY, {**known, **traced, **products}, None, 1.0)
    first = min(advice, key=lambda one: one.order)
    assert first.mend == "matrix"
    assert first.why.startswith("10% of the time of its traced waves is products of loaded values")
    assert "narrow_products" not in _products({**known, **traced, "time_products": 0.2})
    few = {**known, **products, **traced, "time_narrow_products": 0.02}
    assert "matrix" not in {one.mend for one in advice_for_kernel(LATENCY, few, None, 1.0)}


def test_matrix_units_load_less_only_of_what_was_read_again() -> None:
    """A stream of bytes that nobody reads twice comes once with matrix units, too."""
    known = {"vector_busy": 0.1, "traced_vector": 0.6, "traced_memory": 0.6, "wait_share": 0.6}
    known |= {"narrow_products": 1.0, "products": 0.0, "traced_stall": 0.6, "l1_hits": 0.0}
    assert expected.in_matrix_units({**known, "l2_hits": 0.0}) == pytest.approx(1.0)
    assert expected.in_matrix_units({**known, "l2_hits": 0.5}) == pytest.approx(1 / 0.7)
    staged = {**known, "l2_hits": 0.0, "lds_busy": 0.2}
    assert expected.in_matrix_units(staged) == pytest.approx(1 / 0.4)


def test_steps_share_only_the_turns_of_loops() -> None:
    """One wave on a SIMD whose units idle: with turns of a loop steps that need each other less
    share these; of long code that is executed once nothing is gained."""
    known = {"busiest": 0.3, "vector_busy": 0.3, "wait_share": 0.1, "occupancy": 0.12}
    known |= {"cus_busy": 1.0, "slots_per_simd": 8.0, "matrix_busy": 0.0}
    assert expected.filled_gaps({**known, "time_control": 0.02}) == pytest.approx(1 / 0.97)
    assert expected.filled_gaps({**known, "time_control": 0.7}) == pytest.approx(1 / 0.4)
    assert expected.filled_gaps(known) == pytest.approx(1 / 0.4)  # nobody traced
    assert expected.several_steps({**known, "time_control": 0.02}) == pytest.approx(1 / 0.97)
    assert expected.several_steps({**known, "time_control": 0.5}) == pytest.approx(1 / 0.65)


def test_of_wide_products_matrix_units_save_no_loads_that_wait_for_something_else() -> None:
    """Registers leave room for an eighth of the waves: that is what they wait for."""
    known = {"vector_busy": 0.2, "wait_share": 0.6, "products": 0.5, "l1_hits": 1.0}
    free, few = (
        expected.in_matrix_units({**known, "occupancy_limit": limit}) for limit in (1.0, 0.125)
    )
    assert free == pytest.approx(1 / (1 - 0.6))
    assert few == pytest.approx(1 / (1 - 0.6 / 8))


def test_double_precision_is_told_from_a_sixth_of_the_instructions_on() -> None:
    known = {"vector_busy": 0.7, "wait_share": 0.1, "conversion_share": 0.2}
    for share, is_said in ((0.2, True), (0.1, False)):
        advice = advice_for_kernel(LATENCY, {**known, "double_share": share}, None, 1.0)
        assert ("narrower" in {one.mend for one in advice}) is is_said


def test_constants_of_double_precision_are_told_by_the_conversions_around_them() -> None:
    """0.5 among floats: a tenth of the instructions is double precision, and three times as many
    lead there and back."""
    known = {"vector_busy": 0.9, "busiest": 0.9, "wait_share": 0.05, "flop_share": 0.4}
    constants = {**known, "double_share": 0.1, "conversion_share": 0.3, "double_work": 0.4}
    advice = {one.mend: one for one in advice_for_kernel(LATENCY, constants, None, 1.0)}
    assert min(advice.values(), key=lambda one: one.order).mend == "narrower"
    assert advice["narrower"].expected == pytest.approx(1 / (1 - 0.95 * (0.1 * 2 / 3 + 0.3)))
    assert advice["narrower"].why.startswith("10% of the vector instructions are double precision")
    without = {**constants, "double_work": 0.1, "conversion_share": 0.0}
    plain = {one.mend: one for one in advice_for_kernel(LATENCY, without, None, 1.0)}
    assert "narrower" not in plain
    assert (advice["instructions"].expected or 0.0) < (plain["instructions"].expected or 0.0)


def test_narrow_loads_that_begin_in_the_middle_of_a_piece_are_narrow() -> None:
    known = {"access_bytes": 2.0, "wait_share": 0.6, "traced_vector": 0.6, "waves": 2e3}
    known |= {"vector_busy": 0.1, "busiest": 0.1}
    for lines, is_said in ((5.0, True), (8.0, False)):
        advice = advice_for_kernel(LATENCY, {**known, "lines_per_access": lines}, None, 1.0)
        assert ("wider" in {one.mend for one in advice}) is is_said


def test_scattered_accesses_that_nobody_traced_save_what_waits_or_moves() -> None:
    """16 times the pieces that are needed: not 16 times as fast where half of the time waits."""
    known = {"lines_per_access": 64.0, "wait_share": 0.5, "reached_memory": 0.3}
    assert expected.coalesced(known) == pytest.approx(1 / (1 - 0.5 * 15 / 16))
    assert expected.coalesced({**known, "reached_memory": 0.9}) == pytest.approx(
        1 / (1 - 0.9 * 15 / 16)
    )


def test_lanes_that_load_all_that_they_touch_are_not_nearly_scattered() -> None:
    """Eight bytes of each lane are 16 pieces: nearly scattered, and none of them is needless."""
    wide = {"lines_per_access": 16.0, "spread": 1.0, "traced_apart": 0.7, "reached_memory": 0.6}
    assert expected.coalesced(wide) == pytest.approx(1.0)
    assert (expected.coalesced({**wide, "spread": 2.0}) or 0.0) > 1.5
    assert (expected.coalesced({**wide, "lines_per_access": 64.0}) or 0.0) > 3.0


def test_waves_that_stand_in_line_for_memory_leave_no_tail() -> None:
    """The last of a line ends last, however even the work is."""
    assert expected.without_tail({"lost_tail": 0.4}) == pytest.approx(1 / 0.6)
    assert expected.without_tail({"lost_tail": 0.4, "traced_line": 0.5}) == pytest.approx(1 / 0.8)
    assert expected.without_tail({"traced_line": 0.5}) is None


def test_atomics_on_many_addresses_are_told_from_those_on_one_by_who_waits_for_them() -> None:
    known = {"one_address": 1.0, "wait_share": 0.7, "busiest": 0.2, "vector_busy": 0.1}
    for more, is_said in (
        ({"untraced": 1.0}, True),
        ({"traced_atomics": 0.05, "traced_way": 0.7}, False),
        ({"traced_atomics": 0.4, "traced_way": 0.7}, True),
    ):
        advice = {one.mend for one in advice_for_kernel(LATENCY, {**known, **more}, None, 1.0)}
        assert ("atomics" in advice) is is_said
    many = {"one_address": 1.0, "traced_way": 0.7, "traced_atomics": 0.05}
    assert expected.hidden_waiting(many) == pytest.approx(1 / (1 - 0.7))


def test_an_array_in_registers_that_data_index_is_told_though_nothing_is_spilled() -> None:
    known = {"vector_busy": 0.5, "busiest": 0.5, "wait_share": 0.1, "flop_share": 0.0}
    traced = {"time_selects": 0.5, "time_rest": 0.2}
    advice = {one.mend: one for one in advice_for_kernel(COMPUTE, {**known, **traced}, None, 1.0)}
    assert advice["spills"].expected == pytest.approx(1 / (1 - 0.9 * 0.5))
    assert advice["spills"].why.startswith("50% of the time of its traced waves is comparing an")
    plain = {one.mend: one for one in advice_for_kernel(COMPUTE, known, None, 1.0)}
    assert (advice["instructions"].expected or 0.0) < (plain["instructions"].expected or 0.0)
    few = advice_for_kernel(COMPUTE, {**known, **traced, "time_selects": 0.1}, None, 1.0)
    assert "spills" not in {one.mend for one in few}
