"""Types of IR and their sizes. Integers, floating point, pointers, vectors, arrays, structs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from rocm_perf_lab.prove.symbolic.reasons import NotProven

FLOAT_BYTES = {"half": 2, "bfloat": 2, "float": 4, "double": 8}
_NARROW_SPACES = (2, 3, 5, 6)  # 32-bit pointers of AMDGPU: region, LDS, private, 32-bit constant


@dataclass(frozen=True)
class Scalar:
    """``i32``, ``float``, ``void``, ``metadata``, ..."""

    name: str


@dataclass(frozen=True)
class Pointer:
    space: int = 0


@dataclass(frozen=True)
class Vector:
    count: int
    element: Type


@dataclass(frozen=True)
class Array:
    count: int
    element: Type


@dataclass(frozen=True)
class Struct:
    fields: tuple[Type, ...]
    packed: bool = False


Type = Union[Scalar, Pointer, Vector, Array, Struct]


def is_integer(kind: Type) -> bool:
    return isinstance(kind, Scalar) and kind.name[0] == "i" and kind.name[1:].isdigit()


def bits_of(kind: Type) -> int:
    """Of an integer or a pointer, as arithmetic on addresses sees it."""
    if isinstance(kind, Pointer):
        return 32 if kind.space in _NARROW_SPACES else 64
    if isinstance(kind, Scalar) and is_integer(kind):
        return int(kind.name[1:])
    raise NotProven(f"a value of type {kind} is used as a number")


def size_of(kind: Type) -> int:
    """Bytes from one element of an array to the next."""
    if isinstance(kind, Scalar):
        if kind.name in FLOAT_BYTES:
            return FLOAT_BYTES[kind.name]
        if is_integer(kind):
            return _power_of_two((int(kind.name[1:]) + 7) // 8)
        raise NotProven(f"the size of type {kind.name} is not known")
    if isinstance(kind, Pointer):
        return bits_of(kind) // 8
    if isinstance(kind, Vector):
        return _power_of_two(kind.count * size_of(kind.element))
    if isinstance(kind, Array):
        return kind.count * size_of(kind.element)
    end = field_offset(kind, len(kind.fields))
    return _rounded_up(end, align_of(kind))


def align_of(kind: Type) -> int:
    if isinstance(kind, Array):
        return align_of(kind.element)
    if isinstance(kind, Struct):
        return 1 if kind.packed else max((align_of(field) for field in kind.fields), default=1)
    return size_of(kind)


def field_offset(kind: Struct, index: int) -> int:
    """Bytes in front of a field; of the one behind the last: where the last one ends."""
    at = 0
    for number, field in enumerate(kind.fields):
        if not kind.packed:
            at = _rounded_up(at, align_of(field))
        if number == index:
            return at
        at += size_of(field)
    return at


def _rounded_up(value: int, step: int) -> int:
    return -(-value // step) * step


def _power_of_two(value: int) -> int:
    return 1 << max(value - 1, 0).bit_length()
