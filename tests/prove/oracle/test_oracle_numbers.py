"""Types, budgets and mutations: what counts as rounding, and what never does."""

from __future__ import annotations

import numpy as np
import pytest

from rocm_perf_lab.prove.oracle.numbers.element_type import (
    BF16,
    F16,
    F32,
    F64,
    TYPES,
    ElementType,
    parameters_of,
)
from rocm_perf_lab.prove.oracle.numbers.error_budget import Expectation, judge_elements
from rocm_perf_lab.prove.oracle.numbers.mutation import (
    MUTATIONS,
    all_largest,
    boundaries,
    moved_by_one_unit,
    mutated,
    of_every_size,
    of_the_same_range,
)
from rocm_perf_lab.prove.oracle.trials.values import near_as_float

FLOATS = (F64, F32, F16, BF16)
RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize("kind", FLOATS, ids=lambda kind: str(kind.name))
def test_bytes_become_numbers_and_bytes_again(kind: ElementType) -> None:
    data = RANDOM.integers(0, 256, 4096, dtype=np.uint8)
    numbers = kind.decode(data)
    again = kind.decode(kind.encode(numbers))
    assert np.array_equal(numbers, again, equal_nan=True)
    finite = numbers[np.isfinite(numbers)]
    assert np.array_equal(kind.encode(finite), kind.encode(kind.decode(kind.encode(finite))))


def test_bf16_is_rounded_to_nearest_even() -> None:
    ulp = 2.0**-7
    numbers = np.array(
        [1.0, 1 + ulp / 2, 1 + 3 * ulp / 2, 1 + ulp / 2 + 2e-5, np.inf, np.nan, 4e38]
    )
    found = BF16.decode(BF16.encode(numbers))
    assert np.array_equal(found[:4], [1.0, 1.0, 1 + 2 * ulp, 1 + ulp])
    assert np.isposinf(found[4])
    assert np.isnan(found[5])
    assert np.isposinf(found[6])


def test_units_in_the_last_place() -> None:
    for kind, numpy_type in ((F64, np.float64), (F32, np.float32), (F16, np.float16)):
        numbers = np.array([1.0, 1.5, -3.0, 0.0, 6e-5, 1e-5, 2.0**-14])
        expected = np.abs(np.spacing(numbers.astype(numpy_type)).astype(np.float64))
        assert np.array_equal(kind.ulp(numbers.astype(numpy_type).astype(np.float64)), expected)


def test_one_precision_lower_is_what_it_says() -> None:
    numbers = RANDOM.uniform(0.01, 100, 1000)
    assert np.array_equal(F64.lowered(numbers), numbers.astype(np.float32).astype(np.float64))
    single = numbers.astype(np.float32).astype(np.float64)
    assert np.array_equal(F32.lowered(single), single.astype(np.float16).astype(np.float64))
    assert np.array_equal(F16.lowered(single), BF16.decode(BF16.encode(single)))


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("scale(float*, float const*, int)", [("f32", True, False), ("f32", True, True), "i32"]),
        ("void k<float, 4>(double*, T<int, 2>)", [("f64", True, False), None]),
        ("ns::k(__half*, _Float16 const*, unsigned long)",
         [("f16", True, False), ("f16", True, True), "u64"]),
        ("k(HIP_vector_type<float, 4u>*)", [("f32", True, False)]),
        ("k(void (*)(int, float), char const volatile*)", [None, ("i8", True, True)]),
        ("k()", []),
        ("k(float**)", [(None, True, False)]),
    ],
)  # fmt: skip
def test_signatures(signature: str, expected: list[object]) -> None:
    found = parameters_of(signature)
    assert found is not None
    assert len(found) == len(expected)
    for one, what in zip(found, expected):
        name = None if one.element is None else one.element.name
        if isinstance(what, tuple):
            assert (name, one.pointer, one.const) == what
        else:
            assert name == what
            assert not one.const


def test_a_name_alone_has_no_types() -> None:
    assert parameters_of("plain_c_kernel") is None


def judged(
    expected: list[float], found: list[float], kind: ElementType = F32, **known: object
) -> bool:
    expectation = Expectation(np.array(expected), **known)  # type: ignore[arg-type]
    return judge_elements(expectation, kind.encode(np.array(found)), kind).ok


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("expected", "found", "ok"),
    [
        (NAN, NAN, True),
        (NAN, 1.0, False),  # no wildcard in either direction
        (1.0, NAN, False),
        (NAN, INF, False),
        (INF, INF, True),
        (INF, -INF, False),
        (INF, 3.4e38, False),
        (3.4e38, INF, False),
        (0.0, -0.0, True),
        (1.0, 1.0 + 2**-23, True),
        (1.0, 1.0 + 2**-12, False),
        (0.0, 1e-30, False),
        (1e-40, 0.0, False),  # a denormal is not nothing
    ],
)
def test_single_numbers(expected: float, found: float, ok: bool) -> None:
    assert judged([expected], [found]) is ok
    # Company changes nothing: neither what is right, nor what is wrong somewhere else.
    assert judged([expected, 1e-3], [found, 1e-3]) is ok or expected in (0.0, 1e-40)
    assert judged([expected, 1.0], [found, 2.0]) is False


def test_zeros_and_tiny_elements_beside_large_ones() -> None:
    large = [1.0] * 10
    assert not judged([*large, 1e-6], [*large, 0.0])
    assert judged([*large, 1.0], [*large, 1.0 + 2 * F32.eps])
    assert not judged([*large, 1.0], [*large, 1.0 + 3 * F32.eps])
    assert not judged([1e6, 1.0], [1e6, 1.0 + 3 * F32.eps])  # company is no excuse


def test_movement_widens_the_budget_of_its_element_only() -> None:
    expected = np.array([1e-5, 1.0, 2.0])
    moved = np.array([1e-7, 1e-7, 2e-7])  # the first is a difference of large numbers
    for found, ok in (([1.07e-5, 1.0, 2.0], True), ([1.1e-5, 1.0, 2.0], False)):
        expectation = Expectation(expected, moved)
        assert judge_elements(expectation, F32.encode(np.array(found)), F32).ok is ok
        assert not judge_elements(Expectation(expected), F32.encode(np.array(found)), F32).ok


def test_where_only_inputs_move_the_budget_is_wider() -> None:
    expected, moved = np.array([1.0]), np.array([1e-6])
    found = F32.encode(expected + 6e-5)
    assert judge_elements(Expectation(expected, moved, rounded=False), found, F32).ok
    assert not judge_elements(Expectation(expected, moved), found, F32).ok


@pytest.mark.parametrize("kind", [F16, BF16], ids=lambda kind: str(kind.name))
def test_narrow_types_may_be_rounded_otherwise_once(kind: ElementType) -> None:
    """However often the last rounding of the baseline itself went the other way."""
    expected, unit = np.array([1.5]), kind.eps
    for moved, units, ok in ((0, 1, True), (0, 2, False), (1, 1, True), (1, 2, False),
                             (2, 9, True), (2, 10, False)):  # fmt: skip
        expectation = Expectation(expected, np.array([moved * unit]))
        found = kind.encode(expected + units * unit)
        assert judge_elements(expectation, found, kind).ok is ok, (moved, units)


def test_errors_are_measured_against_the_reference() -> None:
    """A candidate nearer to the truth than the baseline is right, however far from the baseline."""
    truth, baseline = np.array([1.0] * 8), np.array([1.0 + 1e-4] * 8)
    better, worse = np.array([1.0 + 1e-6] * 8), np.array([1.0 - 6e-4] * 8)
    expectation = Expectation(baseline, None, truth)
    assert judge_elements(expectation, F32.encode(better), F32).ok
    assert judge_elements(expectation, F32.encode(baseline), F32).ok
    assert not judge_elements(expectation, F32.encode(worse), F32).ok
    assert not judge_elements(Expectation(baseline), F32.encode(better), F32).ok


@pytest.mark.parametrize("kind", TYPES.values(), ids=lambda kind: str(kind.name))
def test_mutations_keep_shape_and_are_the_same_every_time(kind: ElementType) -> None:
    old = RANDOM.integers(0, 256, 1003, dtype=np.uint8)
    for mutation in MUTATIONS:
        new = mutated(mutation, kind, old, 5)
        assert len(new) == len(old)
        assert np.array_equal(new, mutated(mutation, kind, old, 5))
        rest = len(old) // kind.size * kind.size
        assert np.array_equal(new[rest:], old[rest:])
        if not kind.is_float:  # perhaps indices: the same values in other places, or one of them
            pieces = [sorted(map(bytes, a[:rest].reshape(-1, kind.size))) for a in (old, new)]
            if mutation.name == "constant":
                assert set(pieces[1]) < set(pieces[0])
                assert len(set(pieces[1])) == 1
            else:
                assert pieces[0] == pieces[1]


@pytest.mark.parametrize("kind", TYPES.values(), ids=lambda kind: str(kind.name))
def test_the_largest_element_is_one_of_them(kind: ElementType) -> None:
    old = kind.encode(np.array([3.0, 100.0, 7.0]))
    assert np.array_equal(all_largest(kind, old), np.tile(old[kind.size : 2 * kind.size], 3))
    odd = np.concatenate([old, np.array([1], dtype=np.uint8)])  # not a whole element more
    assert len(all_largest(kind, odd)) == len(odd)
    assert len(all_largest(kind, old[:0])) == 0


def test_the_largest_element_may_be_negative() -> None:
    old = TYPES["i8"].encode(np.array([3.0, -100.0, 7.0]))
    assert list(TYPES["i8"].decode(all_largest(TYPES["i8"], old))) == [-100.0] * 3


def test_boundaries_of_64_bits_are_in_the_upper_half_alone_too() -> None:
    assert any(one & 0xFFFF_FFFF == 0 and one for one in boundaries(TYPES["u64"]))
    assert set(boundaries(TYPES["u32"])) < set(boundaries(TYPES["u64"]))


INTEGERS = [kind for kind in TYPES.values() if not kind.is_float]


@pytest.mark.parametrize("kind", INTEGERS, ids=lambda kind: str(kind.name))
def test_integers_of_every_size_have_any_number_of_bits(kind: ElementType) -> None:
    drawn = of_every_size(kind, np.zeros(5000 * kind.size + 1, dtype=np.uint8), 1)
    assert len(drawn) == 5000 * kind.size + 1
    numbers = np.abs(kind.decode(drawn))
    whole = 2.0 ** (8 * kind.size - 1)
    assert numbers.max() > whole / 2
    assert np.count_nonzero(numbers < 16) > 100
    assert 0.2 < np.mean(kind.decode(drawn) < 0) < 0.8 or kind.name.startswith("u")


@pytest.mark.parametrize("kind", INTEGERS, ids=lambda kind: str(kind.name))
def test_integers_of_the_same_range_may_be_indices(kind: ElementType) -> None:
    old = kind.encode(np.array([3.0, 90.0, 90.0, 3.0] * 500))
    numbers = kind.decode(of_the_same_range(kind, old, 1))
    assert (numbers.min(), numbers.max()) == (3, 90)
    assert len(np.unique(numbers)) == 88
    assert len(of_the_same_range(kind, old[:0], 1)) == 0


@pytest.mark.parametrize("kind", FLOATS, ids=lambda kind: str(kind.name))
def test_numbers_lie_halfway_between_others(kind: ElementType) -> None:
    """Between two integers, and between two numbers of the next shorter type."""
    (halfway,) = (one for one in MUTATIONS if one.name == "halfway between others")
    numbers = kind.decode(mutated(halfway, kind, np.zeros(4000 * kind.size, dtype=np.uint8), 1))
    assert np.count_nonzero(np.abs(numbers) % 1.0 == 0.5) > 40
    digits = {"f64": 24, "f32": 11, "f16": 8, "bf16": 4}[kind.name]
    fractions = np.abs(np.frexp(numbers)[0]) * 2.0**digits
    assert np.count_nonzero(fractions % 1.0 == 0.5) > 40


@pytest.mark.parametrize("kind", FLOATS, ids=lambda kind: str(kind.name))
def test_mutations_are_what_they_are_called(kind: ElementType) -> None:
    old = np.zeros(4000 * kind.size, dtype=np.uint8)
    made = {m.name: kind.decode(mutated(m, kind, old, 1)) for m in MUTATIONS}
    assert set(np.unique(made["zeros and ones"])) == {0.0, 1.0}
    assert len(np.unique(made["constant"])) == 1
    assert np.abs(made["large"]).max() > 100
    least_normal = 2.0 ** (-1022 if kind is F64 else -14 if kind is F16 else -126)
    denormal = (np.abs(made["tiny"]) < least_normal) & (made["tiny"] != 0)
    assert denormal.sum() > 1000
    special = made["special values"]
    assert np.isnan(special).any()
    assert np.isposinf(special).any()
    assert np.isneginf(special).any()
    assert np.abs(made["denormal"]).max() < least_normal
    assert np.count_nonzero(made["denormal"]) > 3000
    assert made["0 first"][0] == 0.0
    assert np.isnan(made["NaN first"][0])
    assert np.isposinf(made["infinity first"][0])
    for name in ("0 first", "NaN first", "infinity first"):
        assert np.isfinite(made[name][1:]).all()


def test_moving_by_one_unit_moves_every_number_by_one_unit() -> None:
    old = F32.encode(np.array([1.0, -2.5, 0.0, NAN, INF, 1e-40]))
    new = F32.decode(moved_by_one_unit(F32, old, 3))
    numbers = F32.decode(old)
    chosen = [0, 1, 5]
    assert np.array_equal(np.abs(new[chosen] - numbers[chosen]), F32.ulp(numbers)[chosen])
    assert new[2] == 0.0
    assert np.isnan(new[3])
    assert np.isposinf(new[4])


@pytest.mark.parametrize("name", ["f16", "bf16", "f64"])
def test_constants_of_an_f32_are_tried_in_other_types(name: str) -> None:
    kind = TYPES[name]
    bits = kind.encode(np.array([0.5])).tobytes()
    half = int.from_bytes(bits, "little")
    assert near_as_float(kind, 0x3F00_0000) == (half, half - 1, half + 1)
    assert near_as_float(kind, 77) == ()


# --- a reference of higher precision ---------------------------------------------------------

EPS = F32.eps
TRUE = np.linspace(1.0, 1.9, 64)


def informed(found: np.ndarray, own: float, true: np.ndarray = TRUE) -> bool:
    """Against a baseline whose own error is ``own`` eps everywhere."""
    baseline = F32.decode(F32.encode(TRUE * (1 + own * EPS)))
    expectation = Expectation(baseline, reference=F32.decode(F32.encode(true)))
    return judge_elements(expectation, F32.encode(found), F32).ok


def test_with_a_reference_half_is_allowed_and_the_baselines_own_error() -> None:
    moved = np.full(64, 2 * EPS)
    without = Expectation(TRUE, moved)
    assert judge_elements(without, F32.encode(TRUE + 15 * EPS), F32).ok
    known = Expectation(F32.decode(F32.encode(TRUE)), moved, F32.decode(F32.encode(TRUE)))
    assert judge_elements(known, F32.encode(TRUE + 9 * EPS), F32).ok
    assert not judge_elements(known, F32.encode(TRUE + 15 * EPS), F32).ok
    assert not informed(TRUE * (1 + 40 * EPS), own=1.0)
    assert informed(TRUE * (1 + 40 * EPS), own=12.0)
    assert informed(TRUE, own=1000.0)  # better than the baseline
    assert informed(TRUE * (1 + 1002 * EPS), own=1000.0)  # as the baseline is
    assert informed(TRUE * (1 - 1500 * EPS), own=1000.0)


def test_no_own_error_excuses_one_precision_lower() -> None:
    lowered = F32.lowered(TRUE * (1 + 3000 * EPS))
    for own in (0.0, 100.0, 3000.0, 8000.0):
        assert not informed(lowered, own), own
    assert not informed(np.zeros(64), own=8000.0)


def test_a_reference_that_says_something_else_is_not_believed() -> None:
    elsewhere = np.where(np.arange(64) % 2 == 0, TRUE, TRUE * 1.5)
    assert informed(TRUE * (1 + 3 * EPS), own=0.0, true=elsewhere) is False
    assert informed(TRUE * (1 + EPS), own=0.0, true=elsewhere)  # the odd ones as without it
    assert not informed(np.where(np.arange(64) == 3, TRUE * 1.5, TRUE), 0.0, true=elsewhere)


def test_what_is_not_finite_is_the_baselines_to_say() -> None:
    one = Expectation(np.array([np.nan, np.inf, 1.0]), reference=np.array([1.0, 3e38, np.inf]))
    assert judge_elements(one, F32.encode(np.array([np.nan, np.inf, 1.0])), F32).ok
    for place, value in ((0, 1.0), (1, 3e38), (2, np.inf)):
        found = np.array([np.nan, np.inf, 1.0])
        found[place] = value
        assert not judge_elements(one, F32.encode(found), F32).ok
