"""Other inputs for a captured dispatch, of the same shape. Pure and seeded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rocm_perf_lab.prove.oracle.numbers.element_type import Bytes, ElementType, Numbers

Generator = np.random.Generator
# Large enough that exp overflows in every type, small enough that sums do not.
_LARGE = {"f64": 1e4, "f32": 1e4, "f16": 200.0, "bf16": 1e4}
# Around the least normal number: many are denormal.
_TINY = {"f64": 2.0**-1022, "f32": 2.0**-126, "f16": 2.0**-14, "bf16": 2.0**-126}
# One more than the next shorter types have, of those that are usual.
_DIGITS = {"f64": 25, "f32": 12, "f16": 9, "bf16": 5}
_SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0)
_SPECIAL_EVERY = 13  # elements; prime, so that no stride of a kernel meets or misses all


def _places_changed(elements: Bytes, generator: Generator) -> Bytes:
    return generator.permutation(elements)


def _all_alike(elements: Bytes, generator: Generator) -> Bytes:
    """One of them everywhere: rows without entries, keys that all meet, counts that are largest."""
    chosen = int(generator.integers(len(elements))) if len(elements) else 0
    return np.repeat(elements[chosen : chosen + 1], len(elements), axis=0)


@dataclass(frozen=True)
class Mutation:
    """``others``: of integers, which may be indices, so that no other values come in."""

    name: str
    floats: Callable[[ElementType, int, Generator], Numbers]
    others: Callable[[Bytes, Generator], Bytes] = _places_changed


def _normal(_kind: ElementType, count: int, generator: Generator) -> Numbers:
    return generator.standard_normal(count)


def _large(kind: ElementType, count: int, generator: Generator) -> Numbers:
    return generator.uniform(-1.0, 1.0, count) * _LARGE[kind.name]


def _tiny(kind: ElementType, count: int, generator: Generator) -> Numbers:
    return generator.uniform(-2.0, 2.0, count) * _TINY[kind.name]


def _denormal(kind: ElementType, count: int, generator: Generator) -> Numbers:
    return generator.uniform(-0.5, 0.5, count) * _TINY[kind.name]


def _constant(_kind: ElementType, count: int, generator: Generator) -> Numbers:
    return np.full(count, float(generator.uniform(0.5, 2.0)))


def _positive(_kind: ElementType, count: int, generator: Generator) -> Numbers:
    return generator.uniform(0.5, 2.0, count)


def _bits(_kind: ElementType, count: int, generator: Generator) -> Numbers:
    return generator.integers(0, 2, count).astype(np.float64)


def _special(_kind: ElementType, count: int, generator: Generator) -> Numbers:
    """At the same places in every buffer, each time another one: so that each meets each."""
    numbers = generator.standard_normal(count)
    places = np.arange(_SPECIAL_EVERY // 2, count, _SPECIAL_EVERY)
    numbers[places] = generator.choice(np.array(_SPECIAL), places.size)
    return numbers


def _halfway(kind: ElementType, count: int, generator: Generator) -> Numbers:
    """Odd multiples of powers of two: some lie exactly between two integers, or between two numbers
    of a shorter type, where roundings differ."""
    digits = generator.integers(1, _DIGITS[kind.name] + 1, count)
    odd = 2.0 * generator.integers(0, 1 << (digits - 1)) + 1.0
    last = generator.integers(-_DIGITS[kind.name], 3, count)
    numbers: Numbers = odd * generator.choice([-1.0, 1.0], count) * np.exp2(last)
    return numbers


def _first_is(value: float) -> Callable[[ElementType, int, Generator], Numbers]:
    """The element that code is most likely to read in every lane, and to decide by."""

    def numbers(_kind: ElementType, count: int, generator: Generator) -> Numbers:
        found = generator.standard_normal(count)
        found[:1] = value
        return found

    return numbers


TINY = Mutation("tiny", _tiny)
MUTATIONS = (
    Mutation("random", _normal),
    Mutation("positive", _positive),
    Mutation("large", _large),
    TINY,
    Mutation("denormal", _denormal),
    Mutation("constant", _constant, _all_alike),
    Mutation("zeros and ones", _bits),
    Mutation("special values", _special),
    Mutation("halfway between others", _halfway),
    Mutation("0 first", _first_is(0.0)),
    Mutation("NaN first", _first_is(np.nan)),
    Mutation("infinity first", _first_is(np.inf)),
)


def mutated(mutation: Mutation, kind: ElementType, old: Bytes, seed: int) -> Bytes:
    """As many bytes."""
    generator = np.random.default_rng([seed, *mutation.name.encode()])
    count = len(old) // kind.size
    if not kind.is_float:
        elements = old[: count * kind.size].reshape(count, kind.size)
        new = mutation.others(elements, generator).reshape(-1)
    else:
        new = kind.encode(mutation.floats(kind, count, generator))
    return np.concatenate([new, old[count * kind.size :]])


def all_largest(kind: ElementType, old: Bytes) -> Bytes:
    """Every integer is the largest one in size."""
    numbers = old[: len(old) // kind.size * kind.size].reshape(-1, kind.size)
    if not len(numbers):
        return old
    at = int(np.argmax(np.abs(kind.decode(numbers.reshape(-1)))))
    return np.concatenate(
        [np.repeat(numbers[at : at + 1], len(numbers), 0).reshape(-1), old[numbers.size :]]
    )


def low_bits_changed(old: Bytes, seed: int) -> Bytes:
    """The lowest bit of every other word of four bytes, at random: a float stays a number of its
    size, an index stays near, and constant content is no longer constant."""
    generator = np.random.default_rng([seed, len(old)])
    new: Bytes = old.copy()
    first_bytes = new[: len(new) // 4 * 4 : 4]
    first_bytes ^= generator.integers(0, 2, first_bytes.size, dtype=np.uint8)
    return new


# Where integers end, where a float no longer holds them, and what divides by nothing. Of 64 bits:
# what one half of does not show.
_BOUNDARIES = (0, 1, -1, 2, (1 << 24) + 1, (1 << 31) - 1, -(1 << 31), 255, -128)
_WIDE_BOUNDARIES = (1 << 31, 1 << 32, (1 << 32) + 1, (1 << 53) + 1, (1 << 63) - 1, 1 << 63)


def with_values(
    kind: ElementType, old: Bytes, values: Sequence[int], seed: int, share: float = 1 / 3
) -> Bytes:
    """A share of the elements, at random, is one of ``values``: bits of a float, or integers."""
    generator = np.random.default_rng([seed, kind.size, len(values)])
    count = len(old) // kind.size
    mask = (1 << 8 * kind.size) - 1
    words = np.array([value & mask for value in values], dtype=np.uint64)
    chosen = generator.integers(0, len(values), count)
    drawn = words[chosen].astype(f"<u{kind.size}").view(np.uint8)
    taken = np.repeat(generator.random(count) < share, kind.size)
    new = np.where(taken, drawn, old[: count * kind.size])
    return np.concatenate([new.astype(np.uint8), old[count * kind.size :]])


def of_every_size(kind: ElementType, old: Bytes, seed: int) -> Bytes:
    """Integers with as many bits as the type has, and with fewer."""
    generator = np.random.default_rng([seed, kind.size, 1])
    count = len(old) // kind.size
    bits = generator.integers(0, 8 * kind.size, count).astype(np.uint64)
    numbers = generator.integers(0, 1 << 64, count, dtype=np.uint64) >> (np.uint64(63) - bits)
    numbers = np.where(generator.random(count) < 0.5, numbers, ~numbers + np.uint64(1))
    return np.concatenate(
        [numbers.astype(f"<u{kind.size}").view(np.uint8), old[count * kind.size :]]
    )


def of_the_same_range(kind: ElementType, old: Bytes, seed: int) -> Bytes:
    """Integers between the smallest and the largest one: indices that lead to what is there."""
    generator = np.random.default_rng([seed, kind.size, 2])
    count = len(old) // kind.size
    if not count:
        return old
    numbers = old[: count * kind.size].view(f"<{kind.name[0]}{kind.size}")
    drawn = generator.integers(numbers.min(), numbers.max(), count, numbers.dtype, endpoint=True)
    return np.concatenate([drawn.view(np.uint8), old[count * kind.size :]])


def boundaries(kind: ElementType) -> tuple[int, ...]:
    """Of an integer type, as bits."""
    if kind.size < 4:
        return (0, 1, -1, 1 << (8 * kind.size - 1))
    return (*_BOUNDARIES, *_WIDE_BOUNDARIES) if kind.size > 4 else _BOUNDARIES


def moved_by_one_unit(kind: ElementType, old: Bytes, seed: int) -> Bytes:
    """Every number one unit in the last place up or down, at random; zeros stay."""
    generator = np.random.default_rng([seed, kind.size])
    numbers = kind.decode(old)
    step = kind.ulp(numbers) * generator.choice([-1.0, 1.0], numbers.size)
    with np.errstate(all="ignore"):
        moved = np.where(np.isfinite(numbers) & (numbers != 0), numbers + step, numbers)
    return np.concatenate([kind.encode(moved), old[numbers.size * kind.size :]])
