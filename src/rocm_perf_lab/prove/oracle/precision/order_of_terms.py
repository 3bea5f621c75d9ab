"""What another order of the same terms may cost, beyond the captured code's own rounding.

A candidate may sum the same terms in an order that is worse than the captured one. Its own rounding
is found as the captured code's is, and counts as far as some order of the captured code's terms
explains it: with n terms of sizes t, all n - 1 partial sums are at most T1 = sum of t, and rounding
them moves the result by sqrt(n) T1 units. Moved inputs tell both: where all move by the same share
with random signs, the result moves by T2 = sqrt(sum of t^2) of it; where the shares have the
distribution of Cauchy, whose sums have that distribution again, by more than T1 in half of all
runs; n is (T1 / T2)^2. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rocm_perf_lab.prove.oracle.comparison import Images, Sharpness
from rocm_perf_lab.prove.oracle.numbers.element_type import Bytes, ElementType, Numbers
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.play import Played
from rocm_perf_lab.prove.oracle.precision.sharpness import (
    ROUNDING_VARIABLE,
    RUNS,
    moved,
    numbers_of,
    or_own,
)
from rocm_perf_lab.prove.oracle.scene import Scene, Staged

_BITS_VARIABLE = "VROCM_ROUNDING_BITS"  # only results that are at least so wide
_LEAST_BITS = 32  # narrower numbers are a loss of precision, not another order
# The median of so many is within a factor of two of T1 in 98 % of all elements.
_CAUCHY_RUNS = 32
# Units that inputs move by where terms are measured: many, so that the last place of a result that
# is larger than its terms does not hide them, and at most 2^-7 of an f32, so that the result still
# moves in proportion.
_STEP_UNITS, _CAUCHY_UNITS, _MOST_UNITS = 2.0**12, 2.0**2, 2.0**17


def term_scenes(scene: Scene, staged: Staged, inputs: Sequence[Buffer]) -> list[Scene]:
    """For ``order_bounds``: to be played with the captured code."""
    steps = [moved(scene, staged, inputs, seed, moved_by_steps) for seed in range(1, RUNS + 1)]
    many = [
        moved(scene, staged, inputs, seed, moved_by_cauchy) for seed in range(1, _CAUCHY_RUNS + 1)
    ]
    return [*steps, *many]


def order_bounds(
    own: Images, played: Sequence[Played], buffers: Sequence[Buffer]
) -> dict[int, Numbers]:
    """By argument: how far rounding may move the captured code's results in any order of terms."""
    squares = _moves(buffers, own, played[:RUNS])
    sizes = _moves(buffers, own, played[RUNS:])
    return {
        argument: order_bound(
            np.median(sizes[argument], axis=0) / _CAUCHY_UNITS,
            np.sqrt(np.mean(np.square(squares[argument]), axis=0)) / _STEP_UNITS,
        )
        for argument in squares.keys() & sizes.keys()
    }


def order_bound(size: Numbers, root_of_squares: Numbers) -> Numbers:
    """sqrt(n) T1 from T1 and T2. T2 is never larger than T1, whatever a few runs say."""
    with np.errstate(all="ignore"):
        root = np.minimum(root_of_squares, size)
        return np.asarray(np.where(root > 0, size * (size / root), 0.0))


def own_rounding(
    found: Images, runs: Sequence[Played], buffers: Sequence[Buffer]
) -> dict[int, Numbers]:
    """How far rounding moves the results of a candidate, which left ``found``."""
    moves = _moves(buffers, found, runs)
    return {argument: np.max(each, axis=0) for argument, each in moves.items()}


def rounding_variables(buffers: Sequence[Buffer]) -> Iterator[Mapping[str, str]]:
    """For the runs of a candidate: only operations that are as precise as its results."""
    widths = [8 * one.element.size for one in buffers if one.element and one.element.is_float]
    bits = max(_LEAST_BITS, min(widths, default=_LEAST_BITS))
    for seed in range(1, RUNS + 1):
        yield {ROUNDING_VARIABLE: str(seed), _BITS_VARIABLE: str(bits)}


def widened(
    sharpness: Sharpness, own: Mapping[int, Numbers], bound: Mapping[int, Numbers]
) -> Sharpness:
    """For a candidate that sums the same terms in another order."""
    moves = {
        argument: numbers + np.minimum(own[argument], bound[argument])
        if argument in own and argument in bound
        else numbers
        for argument, numbers in sharpness.moved.items()
    }
    return Sharpness(moves, sharpness.reference, sharpness.rounded)


def moved_by_steps(kind: ElementType, old: Bytes, seed: int) -> Bytes:
    """Every number up or down by the same number of units."""
    generator = np.random.default_rng([seed, kind.size, 2])
    signs = generator.choice([-1.0, 1.0], len(old) // kind.size)
    return _moved_by(kind, old, _STEP_UNITS * signs)


def moved_by_cauchy(kind: ElementType, old: Bytes, seed: int) -> Bytes:
    generator = np.random.default_rng([seed, kind.size, 1])
    units = _CAUCHY_UNITS * generator.standard_cauchy(len(old) // kind.size)
    return _moved_by(kind, old, np.clip(np.rint(units), -_MOST_UNITS, _MOST_UNITS))


def _moved_by(kind: ElementType, old: Bytes, units: Numbers) -> Bytes:
    """A unit is a share of each number. Zeros stay, and what is not finite."""
    numbers = kind.decode(old)
    with np.errstate(all="ignore"):
        changed = numbers + units * kind.eps * numbers
    changed = np.where(np.isfinite(numbers), changed, numbers)
    return np.concatenate([kind.encode(changed), old[numbers.size * kind.size :]])


def _moves(
    buffers: Sequence[Buffer], own: Images, runs: Sequence[Played]
) -> dict[int, list[Numbers]]:
    """By argument, of each run. A run that fails says nothing; what is not finite has not moved
    but become something else."""
    moves: dict[int, list[Numbers]] = {}
    for buffer in buffers:
        if buffer.element is None or not buffer.element.is_float:
            continue
        numbers = numbers_of(buffer, own)
        if numbers is None:
            continue
        each = []
        for run in runs:
            if run.failure is None:
                with np.errstate(all="ignore"):
                    change = np.abs(or_own(buffer, run.images, numbers) - numbers)
                each.append(np.where(np.isfinite(change), change, 0.0))
        moves[buffer.place] = each or [np.zeros(numbers.shape)]
    return moves
