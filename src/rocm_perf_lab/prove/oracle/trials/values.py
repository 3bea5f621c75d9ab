"""Which other values a number among the arguments gets. Pure."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from rocm_perf_lab.prove.oracle.numbers.element_type import TYPES, ElementType
from rocm_perf_lab.prove.oracle.passed.arguments import Field, float_bits, signed
from rocm_perf_lab.prove.oracle.scene import Departures

# Where code that works in steps of a power of two changes its ways: below, at and above each.
_SMALL = (*range(10), 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257)
_LARGER_POWERS = tuple(1 << bits for bits in range(9, 24))
# Where the type, a float that holds it, or a product of it ends.
_EDGES = (-1, (1 << 24) + 1, (1 << 31) - 1, -(1 << 31))
_MODES = 17  # a value below may name one of some ways; the others are tried
_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, math.nan, math.inf, -math.inf)
_HUGE = {"f64": 1e300, "f32": 3e38, "f16": 6e4, "bf16": 3e38}
_TINY = {"f64": 5e-324, "f32": 1e-44, "f16": 6e-8, "bf16": 1e-40}
EXPONENT = 0x7F80_0000  # of an f32; without it, the bits are those of a small integer
_SMALLEST_FLOAT = 0x0080_0000  # bits of a normal f32
_WORD_INTEGERS = (0, 1, 2, 3, -1)


def is_size(field: Field) -> bool:
    """Whether more of it could need more room. A word of a structure may be a float."""
    most = 1 << 30 if field.element is not None else _SMALLEST_FLOAT
    return _is_integer(field) and 0 < signed(field) < most


def wants_more_work(field: Field, value: int) -> bool:
    """Whether a host that passes so much would launch more work-items; a small number may name a
    way as well, and then nothing else changes."""
    grows = signed(replace(field, value=value)) > signed(field)
    return is_size(field) and grows and signed(field) >= _MODES


def more_of(field: Field) -> str:
    return f"more of {field.name} than work-items"


def departures_of(field: Field, value: int) -> Departures:
    """Why no host may pass the value to the captured launch. They do not depend on how large it is:
    what a candidate does otherwise may show with one value and not with the next."""
    more = [more_of(field)] if wants_more_work(field, value) else []
    return frozenset([*more, f"an end of {field.name}"] if is_edge(field, value) else more)


def may_be_offset(field: Field, value: int) -> bool:
    """Of a number that was 0, whether this needs room behind the captured elements as an offset, a
    halo or a first row does."""
    is_small = 0 < signed(replace(field, value=value)) <= _MODES
    return _is_integer(field) and signed(field) == 0 and is_small


def is_edge(field: Field, value: int) -> bool:
    """The ends of a signed integer, next to which what is computed overflows and means nothing, and
    a size below 0: code may ask for these, hosts pass neither."""
    top = 1 << (8 * field.size - 1)
    if _is_signed_size(field):
        return value >= top - 1
    return _is_integer(field) and value in (top - 1, top)


def _is_signed_size(field: Field) -> bool:
    is_signed = field.element is not None and field.element.name.startswith("i")
    return is_signed and is_size(field) and signed(field) >= _MODES


def smaller_values(field: Field) -> tuple[int, ...]:
    """Not larger than the captured one: the captured memory holds that many elements."""
    value = signed(field)
    if not _is_integer(field) or value <= 0:
        return ()
    powers = [near for power in _LARGER_POWERS for near in (power - 1, power, power + 1)]
    near = (value - 1, value - 2, value // 2, value // 2 + 1, _prime_below(value))
    found = {one for one in (*_SMALL, *powers, *near) if 0 <= one < value}
    return tuple(sorted(found))


def larger_values(field: Field) -> tuple[int, ...]:
    """For buffers that have grown by at least twice and one element."""
    value = signed(field)
    if not is_size(field):
        return ()
    power = 1 << value.bit_length()
    found = {value + 1, value + 2, 2 * value, 2 * value - 1, 2 * value + 1, power, power - 1}
    return tuple(sorted(one for one in found if value < one <= 2 * value + 1))


def other_values(field: Field, constants: Sequence[int]) -> tuple[int, ...]:
    """As bits: ways, edges, and what the code compares with, whatever the number may mean."""
    element = field.element
    if element is not None and element.is_float:
        found = list(_float_values(element, constants))
    elif element is None and field.size == 4:
        word = [*_WORD_INTEGERS, signed(field) + 1, signed(field) - 1, *_near(constants)]
        found = [*word, *_float_values(TYPES["f32"], ())]
    else:
        found = _integer_values(signed(field), constants)
        found += [-1] if _is_signed_size(field) else []
        found += _upper_half(field)
    mask = (1 << 8 * field.size) - 1
    kept = dict.fromkeys(one & mask for one in found)
    return tuple(one for one in kept if one != field.value)


def _integer_values(value: int, constants: Sequence[int]) -> list[int]:
    """A large one is a size, for which there is no sense in being far below 0, nor in a multiple of
    it overflowing; a small one may name a way."""
    if value >= _MODES:
        return [one for one in _near(constants) if 0 <= one <= 2 * value + 1]
    ways = range(-1, _MODES + 1) if value >= 0 else ()
    return [*ways, *_EDGES, value + 1, value - 1, *_near(constants)]


def _upper_half(field: Field) -> list[int]:
    """What differs from a number of 64 bits in the upper half alone, and in both."""
    if field.size < 8:
        return []
    return [field.value + (1 << 32), 3 * field.value + (5 << 40) + 1]


def random_value(field: Field, generator: np.random.Generator, most: int) -> int:
    """Bits; an integer that is a size is at most ``most`` times the captured one."""
    element = field.element
    if element is not None and element.is_float:
        return float_bits(
            element, float(generator.standard_normal() * 10.0 ** generator.integers(4))
        )
    value = signed(field)
    if element is None and field.size == 4 and not is_size(field):
        return _random_word(value, generator)
    if value <= 0:
        return field.value
    return int(generator.integers(0, most * value + 1))


def _random_word(value: int, generator: np.random.Generator) -> int:
    """Of a structure: a float, or what names a way where it is as small as that."""
    if abs(value) < _MODES and generator.random() < 0.5:
        return int(generator.integers(0, _MODES))
    number = float(generator.standard_normal() * 10.0 ** generator.integers(-1, 3))
    return float_bits(TYPES["f32"], number)


def _is_integer(field: Field) -> bool:
    return field.element is None or not field.element.is_float


def _near(constants: Sequence[int]) -> Iterator[int]:
    for one in constants:
        yield from (one, one - 1, one + 1)


def _float_values(element: ElementType, constants: Sequence[int]) -> Iterator[int]:
    """Constants of machine code are bits of a float, or an integer that it is compared with."""
    numbers: Iterable[float] = (*_FLOATS, _HUGE[element.name], -_HUGE[element.name])
    for number in (*numbers, _TINY[element.name], -_TINY[element.name]):
        yield float_bits(element, number)
    for one in constants:
        yield from near_as_float(element, one)
        yield from near_as_number(element, one)[:1]


def element_values(kind: ElementType, constant: int) -> dict[str, tuple[int, ...]]:
    """Bits that are or hold the constant and its neighbours. The float that it may be is not among
    large numbers: those would hide in a sum what happens to it."""
    if not kind.is_float:
        return {"": (constant - 1, constant, constant + 1)}
    return {
        " as a float": near_as_float(kind, constant),
        " as a number": near_as_number(kind, constant),
    }


def near_as_float(element: ElementType, constant: int) -> tuple[int, ...]:
    """Bits of the f32 whose bits a constant is, and of its neighbours; none where that is no normal
    number."""
    if not constant & EXPONENT:
        return ()
    number = struct.unpack("<f", (constant & 0xFFFF_FFFF).to_bytes(4, "little"))[0]
    return _with_neighbours(element, number)


def near_as_number(element: ElementType, constant: int) -> tuple[int, ...]:
    """Bits of the float that is as large as an integer constant, and of its neighbours."""
    return _with_neighbours(
        element, float(constant if constant < 1 << 31 else constant - (1 << 32))
    )


def _with_neighbours(element: ElementType, number: float) -> tuple[int, ...]:
    bits = float_bits(element, number)
    return (bits, bits - 1, bits + 1) if number else (bits,)


def _prime_below(value: int) -> int:
    """The largest one; 1 where there is none."""
    for one in range(value - 1, 1, -1):
        if all(one % divisor for divisor in range(2, math.isqrt(one) + 1)):
            return one
    return 1


def said(one: Field, bits: int) -> str:
    """What a field holds, for people: the name of a trial."""
    return f"{one.name} = {_shown(one, bits)}"


def _shown(one: Field, bits: int) -> str:
    if one.element is not None and one.element.is_float:
        raw = np.frombuffer(bits.to_bytes(one.size, "little"), dtype=np.uint8)
        return f"{float(one.element.decode(raw)[0]):.{17 if one.size > 4 else 9}g}"
    top = 1 << (8 * one.size - 1)
    return str(bits - 2 * top if bits >= top else bits)
