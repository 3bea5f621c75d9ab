"""The same buffers elsewhere and larger, so that sizes can grow and addresses change. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Optional

import numpy as np

from rocm_perf_lab.prove.oracle.numbers.element_type import TYPES, Bytes
from rocm_perf_lab.prove.oracle.passed.arguments import (
    Pointer,
    argument_edit,
    fields_of,
    pointers_of,
    signed,
)
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.scene import Place
from rocm_perf_lab.prove.oracle.trials.values import is_size
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.scenes import Edit

GROWTH = 3  # times: room for twice as many elements and one in any one dimension
# As many elements as an index of 16 bits, even of pairs, no longer counts; and bytes for that.
_FAR, _FAR_BYTES = (1 << 17) + 1, 8 << 20
_MOST_BYTES = 256 << 20
_ALIGNMENT = 2 << 20  # of large allocations
_UNTYPED = TYPES["u32"]
_THERE = "buffers elsewhere"
APART = "pointers apart"
ContentOf = Callable[[Buffer], Bytes]
Contents = Mapping[int, Bytes]  # by the captured address


@dataclass(frozen=True)
class Moved:
    name: str
    growth: int  # times the captured sizes
    buffers: tuple[Buffer, ...]  # the same arguments, there
    leading: tuple[Edit, ...]  # of the arguments, to there
    further: frozenset[int] = frozenset()  # places of pointers that led where another one does


@dataclass(frozen=True)
class Elsewhere:
    """Larger buffers; the same once more, one element further, which is another alignment; far
    larger ones where they are not too large; and where pointers led to one buffer, one for each."""

    places: tuple[Place, ...]
    moved: tuple[Moved, ...]
    null: int  # where a pointer that was null may lead

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        return tuple(buffer for one in self.moved for buffer in one.buffers)


@dataclass
class _Free:
    """Addresses below what was captured."""

    end: int
    places: list[Place] = field(default_factory=list)

    def put(self, held: Bytes, step: int) -> int:
        """Behind free pages, ``step`` bytes from where an allocation begins."""
        self.end = (self.end - step - len(held)) // _ALIGNMENT * _ALIGNMENT - _ALIGNMENT
        self.places.append(Place(self.end + step, held))
        return self.end + step


def elsewhere(
    capture: Capture, buffers: Sequence[Buffer], content: ContentOf, seed: int
) -> Optional[Elsewhere]:
    """None where nothing can be moved, or all of it is too large."""
    total = 2 * GROWTH * sum(buffer.size for buffer in buffers)
    if not pointers_of(capture) or not buffers or total > _MOST_BYTES:
        return None
    generator = np.random.default_rng([seed, GROWTH])

    def grown(growth: int) -> Contents:
        return {one.address: _grown(one, content(one), growth, generator) for one in buffers}

    near, far_growth = grown(GROWTH), _far_growth(capture, buffers)
    spare = TYPES["f32"].encode(generator.standard_normal(max(map(len, near.values())) // 4))
    free = _Free(min(region.base for region in capture.regions))

    def moved(name: str, growth: int, held_at: Contents, is_off: bool = False) -> Moved:
        there = {}
        for one in buffers:
            step = (one.element or _UNTYPED).size if is_off else 0
            held = held_at[one.address]
            there[one.address] = replace(one, region=free.put(held, step), offset=0, size=len(held))
        leading = [
            argument_edit(capture, pointer.offset, _bytes(there[pointer.value].address))
            for pointer in pointers_of(capture)
            if pointer.value in there
        ]
        return Moved(name, growth, tuple(there.values()), tuple(leading))

    every = [
        moved(_THERE, GROWTH, near),
        moved(f"{_THERE}, one element off", GROWTH, near, is_off=True),
    ]
    if far_growth > GROWTH:
        every.append(moved(f"{_THERE}, far larger", far_growth, grown(far_growth)))
    if _meeting(capture, buffers):
        every.append(_apart(capture, buffers, content, free, generator))
    null = free.put(spare, 0)
    return Elsewhere(tuple(free.places), tuple(every), null)


def _meeting(capture: Capture, buffers: Sequence[Buffer]) -> dict[Pointer, Buffer]:
    """Pointers to where another one leads, too."""
    first = {one.place for one in buffers}
    at = {one.address: one for one in buffers}
    pointers = pointers_of(capture)
    return {one: at[one.value] for one in pointers if one.value in at and one.offset not in first}


def _apart(
    capture: Capture,
    buffers: Sequence[Buffer],
    content: ContentOf,
    free: _Free,
    generator: np.random.Generator,
) -> Moved:
    """A buffer for each pointer, of which the further ones hold something else."""
    there = [replace(one, region=free.put(content(one), 0), offset=0) for one in buffers]
    meeting = _meeting(capture, buffers)
    for pointer, one in meeting.items():
        held = _grown(one, content(one), 2, generator)[-one.size :]
        own = replace(one, argument=pointer.argument, byte=pointer.byte, place=pointer.offset)
        there.append(replace(own, region=free.put(held, 0), offset=0))
    leading = [argument_edit(capture, one.place, _bytes(one.address)) for one in there]
    further = frozenset(pointer.offset for pointer in meeting)
    return Moved(APART, 1, tuple(there), tuple(leading), further)


def _far_growth(capture: Capture, buffers: Sequence[Buffer]) -> int:
    """With which a number or a whole buffer comes to ``_FAR`` elements, if there is room."""
    total = sum(one.size for one in buffers)
    sizes = [signed(one) for one in fields_of(capture) if is_size(one)]
    elements = [one.size // (one.element or _UNTYPED).size for one in buffers]
    wanted = [-(-_FAR // count) for count in (*sizes, *elements) if count > 0]
    return max((one for one in wanted if one * total <= _FAR_BYTES), default=0)


def _grown(buffer: Buffer, content: Bytes, growth: int, generator: np.random.Generator) -> Bytes:
    """More of the same kind, but nothing that repeats: an index that wraps must be seen. What is
    not a float only changes places, because it may be an index."""
    element = buffer.element or _UNTYPED
    whole = content[: len(content) // element.size * element.size]
    count = len(whole) // element.size
    more = [whole]
    for _ in range(growth - 1):
        if element.is_float:
            numbers = element.decode(whole)
            finite = numbers[np.isfinite(numbers)]
            scale = float(np.std(finite)) if finite.size else 1.0
            middle = float(np.mean(finite)) if finite.size else 0.0
            drawn = generator.standard_normal(count) * (scale or 1.0) + middle
            more.append(element.encode(drawn))
        else:
            more.append(generator.permutation(whole.reshape(count, element.size)).reshape(-1))
    return np.concatenate(more) if count else content


def _bytes(address: int) -> bytes:
    return address.to_bytes(8, "little")
