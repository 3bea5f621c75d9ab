"""Sums in another order, contracted or in pairs are within the budget; a lost term is not.

The sums of numbers are computed here as a block of 256 lanes would, with the roundings that the
virtual device draws. Kernels are asked on the device itself.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_support import Workshop, needs_replay

from rocm_perf_lab.prove.oracle import OracleReport, OracleRequest
from rocm_perf_lab.prove.oracle.comparison import Sharpness
from rocm_perf_lab.prove.oracle.numbers.element_type import F16, F32, ElementType
from rocm_perf_lab.prove.oracle.numbers.error_budget import (
    Expectation,
    allowed_errors,
    judge_elements,
)
from rocm_perf_lab.prove.oracle.oracle import Oracle, opened_oracle
from rocm_perf_lab.prove.oracle.precision.order_of_terms import (
    moved_by_cauchy,
    order_bound,
    widened,
)
from rocm_perf_lab.prove.oracle.precision.sharpness import FEW_RUNS, RUNS
from rocm_perf_lab.replay.capture import opened_capture

LANES, ROWS = 256, 8
Terms = np.ndarray  # rows of f32


def nearest(exact: np.ndarray, _generator: np.random.Generator) -> np.ndarray:
    return exact.astype(np.float32)


def at_random(exact: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    near = exact.astype(np.float32)
    infinity = np.float32(np.inf)
    above = np.where(near < exact, np.nextafter(near, infinity), near)
    below = np.where(near > exact, np.nextafter(near, -infinity), near)
    return np.where(generator.integers(0, 2, exact.shape) == 1, above, below)


def summed(terms: Terms, rounding=nearest, lanes: int = LANES, seed: int = 0) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Every lane its share, one after the other, then pairs of lanes."""
    generator = np.random.default_rng(seed)
    missing = -terms.shape[1] % lanes
    shares = np.pad(terms, ((0, 0), (0, missing))).reshape(len(terms), -1, lanes)
    total = np.zeros((len(terms), lanes), dtype=np.float32)
    for share in np.moveaxis(shares, 1, 0):
        total = rounding(total.astype(np.float64) + share, generator)
    while total.shape[1] > 1:
        half = total.shape[1] // 2
        total = rounding(total[:, :half].astype(np.float64) + total[:, half:], generator)
    return total[:, 0].astype(np.float64)


def movement(terms: Terms, lanes: int = LANES) -> np.ndarray:
    own = summed(terms, lanes=lanes)
    moves = []
    for seed in range(RUNS):
        signs = np.random.default_rng(100 + seed).choice([-1, 1], terms.shape)
        moved = (terms + np.spacing(terms) * signs).astype(np.float32)
        moves.append(np.abs(summed(moved, at_random, lanes, seed) - own))
    return np.asarray(np.max(moves, axis=0))


def terms_of(kind: str, count: int) -> Terms:
    generator = np.random.default_rng(count)
    sizes = generator.uniform(0.5, 1.5, (ROWS, count))
    if kind == "cancelling":
        sizes *= np.resize([1.0, -1.0], count)
    elif kind == "geometric":
        sizes *= 2.0 ** -np.linspace(0, 20, count)
    return sizes.astype(np.float32)


@functools.cache
def expected_of(kind: str, count: int) -> Expectation:
    terms = terms_of(kind, count)
    return Expectation(summed(terms), movement(terms))


def smallest_noticed(kind: str, count: int) -> float:
    """In units of the root mean square of the terms; of the least sharp row."""
    terms = terms_of(kind, count)
    allowed = allowed_errors(expected_of(kind, count), F32)
    usual = np.sqrt(np.mean(terms.astype(np.float64) ** 2, axis=1))
    return float(np.max(allowed / usual))


# Analysis: no partial sum is larger than the sum of all sizes, so that a run moves the sum by less
# than sqrt(n) n t eps (root mean square 0.71, the largest of twelve some 2.3 times that), and 8
# times it is allowed, with two units of the result.
@pytest.mark.parametrize("count", [10, 1000, 100000])
@pytest.mark.parametrize("kind", ["positive", "cancelling", "geometric"])
def test_a_lost_term_is_noticed(kind: str, count: int) -> None:
    terms = terms_of(kind, count)
    least = smallest_noticed(kind, count)
    assert least < (13 * count**1.5 + 4 * count) * F32.eps
    expectation = expected_of(kind, count)
    place = count // 3
    lost = terms.copy()
    usual = np.sqrt(np.mean(terms.astype(np.float64) ** 2, axis=1))
    lost[:, place] = (terms[:, place] - 4 * least * usual).astype(np.float32)
    assert judge_elements(expectation, F32.encode(summed(lost)), F32).over_budget == ROWS
    if kind != "geometric" or count < 100000:  # there the smallest terms are below the last place
        lost[:, place] = terms[:, place] - np.sign(terms[:, place]) * usual
        assert not judge_elements(expectation, F32.encode(summed(lost)), F32).ok


@pytest.mark.parametrize("count", [10, 1000, 100000])
@pytest.mark.parametrize("kind", ["positive", "cancelling", "geometric"])
def test_other_orders_pass(kind: str, count: int) -> None:
    terms = terms_of(kind, count)
    expectation = expected_of(kind, count)
    shuffled = np.random.default_rng(1).permutation(terms, axis=1)
    for found in (summed(shuffled), summed(terms, lanes=128), terms.astype(np.float64).sum(axis=1)):
        assert judge_elements(expectation, F32.encode(found), F32).ok


def test_half_precision_fails() -> None:
    terms = terms_of("positive", 1000)
    expectation = expected_of("positive", 1000)
    lowered = F16.decode(F16.encode(terms.astype(np.float64).ravel())).reshape(terms.shape)
    assert not judge_elements(expectation, F32.encode(lowered.sum(axis=1)), F32).ok
    assert not judge_elements(expectation, F32.encode(F32.lowered(summed(terms))), F32).ok


def test_one_long_sum_passes_with_its_own_rounding_only() -> None:
    """Against a tree. Alone the tree's budget is too small, and the candidate's own rounding counts
    no further than an order of the terms explains."""
    terms = np.full((ROWS, 4096), 1.3, dtype=np.float32)
    own, serial = summed(terms), summed(terms, lanes=1)
    sharp = Sharpness({0: movement(terms)}, {}, True)
    size = np.abs(terms).sum(axis=1) * F32.eps
    bound = order_bound(size, np.sqrt(np.square(terms.astype(np.float64)).sum(axis=1)) * F32.eps)
    assert np.allclose(bound, np.sqrt(4096) * size)

    def ok(moved: np.ndarray, found: np.ndarray) -> bool:
        return judge_elements(Expectation(own, moved), F32.encode(found), F32).ok

    assert not ok(sharp.moved[0], serial)
    assert ok(widened(sharp, {0: movement(terms, lanes=1)}, {0: bound}).moved[0], serial)
    noise = np.full(ROWS, 1e6)  # of a candidate that adds a large number and takes it away
    wide = widened(sharp, {0: noise}, {0: bound}).moved[0]
    assert np.array_equal(wide, sharp.moved[0] + bound)
    assert not ok(wide, own - 1.3)


def test_lanes_that_do_not_cancel_pass_for_a_sum_that_cancels_at_every_step() -> None:
    """The captured code adds what it has just subtracted: its partial sums are as small as a term.
    Of two lanes each gets terms of one sign, and its sum is a thousand terms."""
    generator = np.random.default_rng(3)
    signs = np.resize([1.0, -1.0], 2000)
    terms = (signs * generator.uniform(0.99, 1.01, (ROWS, 2000)) * 1e8).astype(np.float32)
    own, strided = summed(terms, lanes=1), summed(terms, lanes=2)
    sharp = Sharpness({0: movement(terms, lanes=1)}, {}, True)
    size = np.abs(terms.astype(np.float64)).sum(axis=1) * F32.eps
    bound = order_bound(size, np.sqrt(np.square(terms.astype(np.float64)).sum(axis=1)) * F32.eps)

    def over(moved: np.ndarray) -> int:
        expectation = Expectation(own, moved)
        return judge_elements(expectation, F32.encode(strided), F32).over_budget

    assert over(sharp.moved[0]) > 0
    assert over(widened(sharp, {0: movement(terms, lanes=2)}, {0: bound}).moved[0]) == 0


def test_sums_of_cauchy_moves_tell_the_sizes_of_terms() -> None:
    terms = terms_of("cancelling", 1000)
    old = F32.encode(terms.astype(np.float64).ravel())
    moves = [
        np.abs((F32.decode(moved_by_cauchy(F32, old, seed)).reshape(terms.shape) - terms).sum(1))
        for seed in range(32)
    ]
    found = np.median(moves, axis=0) / (4 * F32.eps)
    sizes = np.abs(terms).sum(axis=1)
    assert np.all((found > sizes / 3) & (found < sizes * 3))


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(-20, 20), st.sampled_from([F32, F16]))
def test_the_budget_scales_and_permutes_with_the_elements(
    seed: int, power: int, kind: ElementType
) -> None:
    generator = np.random.default_rng(seed)
    scale = 2.0 ** (power if kind is F32 else power // 10)
    numbers = kind.decode(kind.encode(generator.uniform(0.1, 100, 50)))
    moved = generator.uniform(0, 1e-2, 50)
    allowed = allowed_errors(Expectation(numbers, moved), kind)
    scaled = allowed_errors(Expectation(numbers * scale, moved * scale), kind)
    assert np.array_equal(scaled, allowed * scale)
    order = generator.permutation(50)
    permuted = allowed_errors(Expectation(numbers[order], moved[order]), kind)
    assert np.array_equal(permuted, allowed[order])


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.sampled_from([F32, F16]))
def test_what_few_runs_explain_all_runs_explain(seed: int, kind: ElementType) -> None:
    """Why a few are asked first."""
    generator = np.random.default_rng(seed)
    numbers = kind.decode(kind.encode(generator.uniform(-100, 100, 50)))
    moves = generator.standard_cauchy((RUNS, 50)) ** 2 * 1e-3
    few, every = (np.max(moves[:runs], axis=0) for runs in (FEW_RUNS, RUNS))
    for reference in (None, numbers + moves[0]):
        less = allowed_errors(Expectation(numbers, few, reference), kind)
        more = allowed_errors(Expectation(numbers, every, reference), kind)
        assert np.all(less <= more)


# --- kernels ----------------------------------------------------------------------------------

RIGHT = {
    "forces": ["right_contracted", "right_unrolled"],
    "dots": ["right_in_pieces"],
}
WRONG = {
    "forces": ["wrong_lost_term", "wrong_half_weights"],
    "dots": ["wrong_lost_term", "wrong_half_inputs", "wrong_half_sum"],
}


class Sums:
    def __init__(self, oracle: Oracle, workshop: Workshop, kernel: str) -> None:
        self._oracle, self.kernel = oracle, kernel
        self._code = workshop.built("sums_candidates.hip", "--genco")

    def check(self, name: str) -> OracleReport:
        """What is asked is rounding: unrolled code has ways that no launch of these takes."""
        return self._oracle.check(self._code, f"{self.kernel}_{name}", allow_unseen=True)


@pytest.fixture(scope="module", params=sorted(RIGHT))
def sums(request: pytest.FixtureRequest, workshop: Workshop) -> Iterator[Sums]:
    folder = workshop.capture(request.param, program=workshop.built("sums.hip"))
    with opened_capture(folder) as capture:
        code = workshop.built("sums_candidates.hip", "--genco")
        with opened_oracle(OracleRequest(capture, code, workshop.rocm)) as oracle:
            yield Sums(oracle, workshop, request.param)


class TestKernels:
    pytestmark = needs_replay

    def test_the_same_terms_are_equal(self, sums: Sums) -> None:
        for name in RIGHT[sums.kernel]:
            found = sums.check(name)
            assert (found.verdict, found.tier) == ("equal", "error_budget"), (name, found.reason)

    def test_lost_terms_and_digits_are_different(self, sums: Sums) -> None:
        for name in WRONG[sums.kernel]:
            found = sums.check(name)
            assert (found.verdict, found.stage) == ("different", "captured memory"), name

    @pytest.mark.weekly
    def test_a_long_sum_and_the_instruction_for_a_root_are_equal(self, sums: Sums) -> None:
        names = {"forces": "right_by_instruction", "dots": "right_one_after_the_other"}
        found = sums.check(names[sums.kernel])
        assert found.verdict == "equal", found.reason
