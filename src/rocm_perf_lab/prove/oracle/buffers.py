"""Where the arguments of a captured dispatch lead, and what lies there. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.prove.oracle.numbers.element_type import TYPES, ElementType, parameters_of
from rocm_perf_lab.replay.capture import Capture

Source = Literal["signature", "user", "unknown"]


@dataclass(frozen=True)
class Buffer:
    """What a pointer argument leads to: from there to the next one, or to the region's end."""

    argument: int
    region: int  # base
    offset: int
    size: int
    element: Optional[ElementType]
    source: Source
    const: bool

    @property
    def name(self) -> str:
        return f"argument {self.argument}"

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
    """Every pointer argument that leads to captured memory, by address."""
    found = []
    visible = capture.kernel.visible_arguments
    parameters = parameters_of(capture.dispatch.demangled_name)
    if parameters is None or len(parameters) != len(visible):
        parameters = None
    for number, argument in enumerate(visible):
        if argument.value_kind != "global_buffer" or argument.size != 8:
            continue
        address = _value(capture, argument.offset, 8)
        region = next((r for r in capture.regions if r.base <= address < r.end), None)
        if region is None:
            continue
        parameter = None if parameters is None else parameters[number]
        element, source = given.get(number), "user"
        if element is None:
            element = None if parameter is None or not parameter.pointer else parameter.element
            source = "unknown" if element is None else "signature"
        const = parameter is not None and parameter.const
        offset = address - region.base
        found.append(_buffer(number, region.base, offset, region.size, element, source, const))
    return _cut(sorted(found, key=lambda buffer: (buffer.address, buffer.argument)))


def _buffer(
    number: int,
    base: int,
    offset: int,
    region_size: int,
    element: Optional[ElementType],
    source: str,
    const: bool,
) -> Buffer:
    known: Source = "unknown"
    if element is not None:
        known = "user" if source == "user" else "signature"
    return Buffer(number, base, offset, region_size - offset, element, known, const)


def _cut(buffers: list[Buffer]) -> tuple[Buffer, ...]:
    """Each ends where the next begins; two at one address are one, of no type if they disagree."""
    made: list[Buffer] = []
    for buffer in buffers:
        last = made[-1] if made else None
        if last is not None and last.region == buffer.region:
            if last.offset == buffer.offset:
                made[-1] = _joined(last, buffer)
                continue
            made[-1] = _sized(last, buffer.offset - last.offset)
        made.append(buffer)
    return tuple(made)


def _sized(buffer: Buffer, size: int) -> Buffer:
    return Buffer(
        buffer.argument, buffer.region, buffer.offset, size, buffer.element, buffer.source,
        buffer.const,
    )  # fmt: skip


def _joined(one: Buffer, other: Buffer) -> Buffer:
    agreed = one.element == other.element
    return Buffer(
        one.argument, one.region, one.offset, one.size, one.element if agreed else None,
        one.source if agreed else "unknown", one.const and other.const,
    )  # fmt: skip


def _value(capture: Capture, offset: int, size: int) -> int:
    return int.from_bytes(capture.kernarg[offset : offset + size], "little")
