"""What looks alike and is told apart: by a thread trace, by what L1 finds, by how waves run."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.verdicts.advice import expected
from rocm_perf_lab.analysis.verdicts.advice import expected_traffic as traffic
from rocm_perf_lab.analysis.verdicts.advice.choose import advice_for_kernel
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


@pytest.mark.parametrize(("size", "best"), [(1.0, "wider"), (2.0, "in-flight")])
def test_loads_one_by_one_are_better_in_flight_than_wider(size: float, best: str) -> None:
    """In a loop of waves that all run at once eight of them bring as much for each wait, wherever
    the next ones lie; of single bytes 16 at once are more."""
    known = {"access_bytes": size, "lines_per_access": 4.0, "wait_share": 0.8, "waves": 2e3}
    known |= {"traced_vector": 0.8, "traced_way": 0.8, "busiest": 0.1, "vector_busy": 0.1}
    loop = {"loads_in_flight": 1.0, "accesses_per_wave": 64.0, "rounds": 0.5}
    advice = advice_for_kernel(LATENCY, {**known, **loop}, None, 1.0)
    assert min(advice, key=lambda one: one.order).mend == best
    several = advice_for_kernel(LATENCY, {**known, **loop, "rounds": 8.0}, None, 1.0)
    assert min(several, key=lambda one: one.order).mend == "wider"


def test_narrow_loads_of_long_code_are_told_though_waves_neither_wait_nor_work() -> None:
    """66 loads of two bytes one behind the other: the next instruction is not there yet."""
    known = {"access_bytes": 2.0, "lines_per_access": 4.0, "wait_share": 0.15, "waves": 2e3}
    known |= {"traced_vector": 0.1, "traced_idle": 0.7, "busiest": 0.4, "vector_busy": 0.1}
    (wider,) = [
        one
        for one in advice_for_kernel(LATENCY, {**known, "accesses_per_instruction": 0.3}, None, 1.0)
        if one.mend == "wider"
    ]
    assert wider.expected == pytest.approx(1 / (1 - (0.1 + 0.6 * 0.7) * 0.875))
    assert wider.why.endswith("waves try no instruction 70% of the time")
    few = advice_for_kernel(LATENCY, {**known, "accesses_per_instruction": 0.05}, None, 1.0)
    assert "wider" not in {one.mend for one in few}


def test_work_for_narrow_loads_goes_with_them() -> None:
    """Loads of a byte, seven instructions for each of them: of these two load, 16 times instead of
    once. What is left of the work can be fewer instructions as well."""
    known = {"access_bytes": 1.0, "lines_per_access": 4.0, "wait_share": 0.04, "waves": 5e3}
    known |= {"traced_vector": 0.1, "traced_idle": 0.35, "busiest": 0.7, "vector_busy": 0.7}
    known |= {"accesses_per_instruction": 0.13, "flop_share": 0.0}
    wider, fewer = sorted(
        (
            one
            for one in advice_for_kernel(COMPUTE, known, None, 1.0)
            if one.mend in ("wider", "instructions")
        ),
        key=lambda one: one.order,
    )
    assert (wider.mend, fewer.mend) == ("wider", "instructions")
    assert wider.expected == pytest.approx(1 / (1 - (0.1 + 0.26 * 1.05) * 15 / 16))
    assert wider.why.endswith("each vector instruction, of units that work 70% of the time")
    assert fewer.expected == pytest.approx(1 / (1 - 0.5 * 0.7 * 0.74))
    for other in (
        {"accesses_per_instruction": 0.05},
        {"access_bytes": 4.0},
        {"vector_busy": 0.2},
    ):
        said = advice_for_kernel(COMPUTE, {**known, **other}, None, 1.0)
        assert "wider" not in {one.mend for one in said}
    del known["traced_vector"]  # nobody knows how much a lane loads of what is in L1
    assert "wider" not in {one.mend for one in advice_for_kernel(COMPUTE, known, None, 1.0)}


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


def test_operands_that_are_made_wide_for_the_lds_are_narrow() -> None:
    """Two bytes a lane and a conversion for each load; a third of the accesses stores results."""
    known = {"accesses_per_instruction": 0.036, "stored": 1 / 3, "conversion_share": 0.024}
    known |= {"access_bytes": 2.7, "lds_per_instruction": 0.2, "product_share": 0.7}
    assert _products(known)["narrow_products"] == 1.0
    for other in ({"conversion_share": 0.01}, {"access_bytes": 4.0}, {"lds_per_instruction": 0.0}):
        assert "narrow_products" not in _products({**known, **other})
    assert "narrow_products" not in _products({**known, "untraced": 1.0})


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


def test_matrices_are_seen_whose_operands_no_vector_load_brings() -> None:
    """Rows of the one are kept, rows of the other come through scalar loads; both are converted for
    each product. Of a place in a loop that is multiplied with only one operand is."""
    known = {"vector_busy": 0.43, "matrix_busy": 0.0, "stored": 0.06, "wait_share": 0.23}
    known |= {"product_share": 0.93, "narrow_products": 1.0, "accesses_per_instruction": 0.001}
    known |= {"operands_per_fma": 0.004, "l1_hits": 0.0, "untraced": 1.0}
    for share, is_matrix in ((0.65, True), (0.48, False)):
        counted = {**known, "conversion_share": share}
        advice = advice_for_kernel(LATENCY, {**counted, **_products(counted)}, None, 1.0)
        assert ("matrix" in {one.mend for one in advice}) is is_matrix, share


def test_mixed_products_convert_their_operands_themselves() -> None:
    """v_fma_mix_f32 takes halves as they are: no conversion is counted, and both were needed."""
    known = {"product_share": 0.83, "conversion_share": 0.15, "mixed_products": 0.62}
    of_each = (0.15 + 2 * 0.62) / (0.83 * 0.85)
    assert _products(known)["conversions_per_product"] == pytest.approx(of_each)
    known |= {"vector_busy": 0.3, "matrix_busy": 0.0, "stored": 0.008, "wait_share": 0.36}
    known |= {"operands_per_fma": 0.003, "accesses_per_instruction": 0.002, "l1_hits": 0.94}
    advice = advice_for_kernel(LATENCY, {**known, **_products(known)}, None, 1.0)
    assert min(advice, key=lambda one: one.order).mend == "matrix"


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


def test_products_of_bytes_that_are_put_together_first_are_products_of_matrices() -> None:
    """Of 28 % of the instructions, as if each made one product; the others shift and permute."""
    bytes_ = {"integer_products": 0.28, "accesses_per_instruction": 0.045, "l1_hits": 0.94}
    bytes_ |= {"vector_busy": 0.5, "matrix_busy": 0.0, "traced_vector": 0.5, "stored": 0.0}
    known = {**bytes_, **_products({**bytes_, "product_share": 0.0}), "matrix_rate": 8.0}
    assert known["narrow_products"] == 1.0
    advice = advice_for_kernel(LATENCY, known, None, 1.0)
    assert min(advice, key=lambda one: one.order).mend == "matrix"
    few = {**bytes_, "integer_products": 0.1, "product_share": 0.0}
    assert "narrow_products" not in _products(few)


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
