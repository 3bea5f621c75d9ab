"""What the arguments of a captured dispatch hold: numbers, words of structures, pointers. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.prove.oracle.numbers.element_type import (
    TYPES,
    Bytes,
    ElementType,
    Parameter,
    parameters_of,
)
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.scenes import Edit

_WORD = 4


@dataclass(frozen=True)
class Field:
    """A number among the arguments. ``element`` None: a word of a structure, whose type the
    signature does not tell."""

    name: str
    offset: int  # in the arguments
    size: int
    element: Optional[ElementType]
    value: int  # the bits, unsigned


@dataclass(frozen=True)
class Pointer:
    argument: int
    byte: Optional[int]  # in a structure; None: the argument itself
    offset: int  # in the arguments
    value: int

    @property
    def name(self) -> str:
        return place_name(self.argument, self.byte)


def place_name(argument: int, byte: Optional[int]) -> str:
    return f"argument {argument}" if byte is None else f"argument {argument}, byte {byte}"


def fields_of(capture: Capture) -> tuple[Field, ...]:
    """Every number that is passed by value; none where the arguments lie outside of memory."""
    if arguments_address(capture) is None:
        return ()
    return tuple(_fields(capture))


def pointers_of(capture: Capture) -> tuple[Pointer, ...]:
    """Those that can be changed."""
    return () if arguments_address(capture) is None else tuple(passed_pointers(capture))


def passed_pointers(capture: Capture) -> Iterator[Pointer]:
    """Arguments, and what lies in structures as pointers do and leads to captured memory."""
    for number, one in enumerate(capture.kernel.visible_arguments):
        if one.value_kind == "global_buffer" and one.size == 8:
            yield Pointer(number, None, one.offset, _value(capture, one.offset, 8))
        elif one.value_kind == "by_value":
            for byte in _pointer_places(capture, one.offset, one.size):
                place = one.offset + byte
                yield Pointer(number, byte, place, _value(capture, place, 8))


def arguments_address(capture: Capture) -> Optional[int]:
    place = capture.dispatch.kernarg_address
    inside = place is not None and any(r.base <= place < r.end for r in capture.regions)
    return place if inside else None


def argument_edit(capture: Capture, offset: int, content: bytes) -> Edit:
    place = arguments_address(capture)
    assert place is not None
    return Edit(place + offset, np.frombuffer(content, dtype=np.uint8))


def number_edit(capture: Capture, field: Field, value: int) -> Edit:
    content = (value & ((1 << 8 * field.size) - 1)).to_bytes(field.size, "little")
    return argument_edit(capture, field.offset, content)


def signed(field: Field) -> int:
    """The value as its type reads it; words of unknown type as signed integers."""
    unsigned = field.element is not None and field.element.name.startswith("u")
    top = 1 << (8 * field.size - 1)
    return field.value - 2 * top if field.value >= top and not unsigned else field.value


def float_bits(element: ElementType, number: float) -> int:
    encoded: Bytes = element.encode(np.array([number], dtype=np.float64))
    return int.from_bytes(encoded.tobytes(), "little")


def _fields(capture: Capture) -> Iterator[Field]:
    visible = capture.kernel.visible_arguments
    parameters = parameters_of(capture.dispatch.demangled_name)
    known: tuple[Optional[Parameter], ...] = (None,) * len(visible)
    if parameters is not None and len(parameters) == len(visible):
        known = tuple(parameters)
    for number, (argument, parameter) in enumerate(zip(visible, known)):
        if argument.value_kind != "by_value":
            continue
        element = None if parameter is None or parameter.pointer else parameter.element
        name = f"argument {number}"
        if element is not None and element.size == argument.size:
            value = _value(capture, argument.offset, argument.size)
            yield Field(name, argument.offset, argument.size, element, value)
        elif element is None:
            yield from _words(capture, name, argument.offset, argument.size)
        else:  # a vector: float4
            for at in range(0, argument.size - element.size + 1, element.size):
                place = argument.offset + at
                value = _value(capture, place, element.size)
                yield Field(f"{name}, byte {at}", place, element.size, element, value)


def _words(capture: Capture, name: str, offset: int, size: int) -> Iterator[Field]:
    """A structure, four bytes at a time; a pointer in it is not a number."""
    pointers = set(_pointer_places(capture, offset, size))
    at = 0
    while at < size:
        place, left = offset + at, size - at
        if at in pointers:
            at += 8
            continue
        width = _WORD if left >= _WORD else 2 if left >= 2 else 1
        element = TYPES["u8"] if size == 1 else None  # bool
        label = name if size <= _WORD else f"{name}, byte {at}"
        yield Field(label, place, width, element, _value(capture, place, width))
        at += width


def _pointer_places(capture: Capture, offset: int, size: int) -> Iterator[int]:
    """Bytes of a structure."""
    for at in range(0, size - 7, 8):
        if _leads_somewhere(capture, _value(capture, offset + at, 8)):
            yield at


def _leads_somewhere(capture: Capture, address: int) -> bool:
    return any(region.base <= address < region.end for region in capture.regions)


def _value(capture: Capture, offset: int, size: int) -> int:
    return int.from_bytes(capture.kernarg[offset : offset + size], "little")
