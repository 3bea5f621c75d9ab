"""Where the arguments of a captured dispatch lead, and what lies there. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.prove.oracle.numbers.element_type import (
    TYPES,
    ElementType,
    Parameter,
    parameters_of,
)
from rocm_perf_lab.prove.oracle.passed.arguments import passed_pointers, place_name
from rocm_perf_lab.replay.capture import Capture

Source = Literal["signature", "user", "unknown"]


@dataclass(frozen=True)
class Buffer:
    """What a pointer among the arguments leads to: from there to the next one, or to the region's
    end."""

    argument: int
    byte: Optional[int]  # of a structure that is the argument
    place: int  # of the pointer in the arguments
    region: int  # base
    offset: int
    size: int
    element: Optional[ElementType]
    source: Source
    const: bool

    @property
    def name(self) -> str:
        return place_name(self.argument, self.byte)

    @property
    def seed(self) -> int:
        """So that buffers get different content from one seed."""
        return self.argument + (self.byte or 0)

    @property
    def address(self) -> int:
        return self.region + self.offset


def parse_types(texts: Sequence[str]) -> dict[int, ElementType]:
    """``0=f32``: types by number of argument."""
    found = {}
    for text in texts:
        number, sign, name = text.partition("=")
        if not sign or not number.isdigit() or name not in TYPES:
            raise UsageError(
                f"--dtype {text} makes no sense",
                f"write for example 0=f32; the types are {' '.join(TYPES)}",
            )
        found[int(number)] = TYPES[name]
    return found


def buffers_of(capture: Capture, given: Mapping[int, ElementType]) -> tuple[Buffer, ...]:
    """Of every pointer that leads to captured memory, by address."""
    parameters = parameters_of(capture.dispatch.demangled_name)
    if parameters is None or len(parameters) != len(capture.kernel.visible_arguments):
        parameters = None
    found = []
    for one in passed_pointers(capture):
        region = next((r for r in capture.regions if r.base <= one.value < r.end), None)
        if region is None:
            continue
        parameter = None if parameters is None or one.byte is not None else parameters[one.argument]
        element, source = _typed(given.get(one.argument), parameter)
        const = parameter is not None and parameter.const
        offset, size = one.value - region.base, region.end - one.value
        found.append(
            Buffer(
                one.argument, one.byte, one.offset, region.base, offset, size, element, source,
                const,
            )
        )  # fmt: skip
    return _cut(sorted(found, key=lambda buffer: (buffer.address, buffer.place)))


def _typed(
    given: Optional[ElementType], parameter: Optional[Parameter]
) -> tuple[Optional[ElementType], Source]:
    if given is not None:
        return given, "user"
    element = None if parameter is None or not parameter.pointer else parameter.element
    return element, "unknown" if element is None else "signature"


def _cut(buffers: list[Buffer]) -> tuple[Buffer, ...]:
    """Each ends where the next begins. Two at one address are one, of no type if they disagree; a
    pointer in a structure tells no type and disagrees with none."""
    made: list[Buffer] = []
    for buffer in buffers:
        last = made[-1] if made else None
        if last is not None and last.region == buffer.region:
            if last.offset == buffer.offset:
                made[-1] = _joined(last, buffer)
                continue
            made[-1] = replace(last, size=buffer.offset - last.offset)
        made.append(buffer)
    return tuple(made)


def _joined(one: Buffer, other: Buffer) -> Buffer:
    const = one.const and other.const
    if _tells_nothing(other):
        return replace(one, const=const)
    if _tells_nothing(one):
        return replace(other, const=const)
    if one.element == other.element:
        return replace(one, const=const)
    return replace(one, element=None, source="unknown", const=const)


def _tells_nothing(buffer: Buffer) -> bool:
    return buffer.byte is not None and buffer.element is None
