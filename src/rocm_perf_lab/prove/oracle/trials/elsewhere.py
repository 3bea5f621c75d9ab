"""The same buffers elsewhere and larger, so that sizes can grow and addresses change. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Optional

import numpy as np

from rocm_perf_lab.prove.oracle.buffers import Buffer
from rocm_perf_lab.prove.oracle.numbers.element_type import TYPES, Bytes
from rocm_perf_lab.prove.oracle.scene import Place
from rocm_perf_lab.prove.oracle.trials.arguments import argument_edit, pointers_of
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.scenes import Edit

GROWTH = 3  # times: room for twice as many elements and one in any one dimension
_MOST_BYTES = 256 << 20
_ALIGNMENT = 2 << 20  # of large allocations
_UNTYPED = TYPES["u32"]
ContentOf = Callable[[Buffer], Bytes]


@dataclass(frozen=True)
class Elsewhere:
    places: tuple[Place, ...]
    buffers: tuple[Buffer, ...]  # the same arguments, there
    leading: tuple[Edit, ...]  # of the arguments, to there
    shifted: tuple[Edit, ...]  # the same, one element further: another alignment
    null: Optional[int]  # where a pointer that was null may lead


def elsewhere(
    capture: Capture, buffers: Sequence[Buffer], content: ContentOf, seed: int
) -> Optional[Elsewhere]:
    """None where nothing can be moved, or all of it is too large."""
    total = GROWTH * sum(buffer.size for buffer in buffers)
    pointers = pointers_of(capture)
    if not pointers or not buffers or total > _MOST_BYTES:
        return None
    generator = np.random.default_rng([seed, GROWTH])
    end = min(region.base for region in capture.regions)
    places: list[Place] = []
    moved: dict[int, Buffer] = {}  # by the captured address
    for buffer in buffers:
        grown = _grown(buffer, content(buffer), generator)
        end = (end - len(grown)) // _ALIGNMENT * _ALIGNMENT - _ALIGNMENT
        places.append(Place(end, grown))
        moved[buffer.address] = replace(buffer, region=end, offset=0, size=len(grown))
    spare = max(len(place.content) for place in places)
    end = (end - spare) // _ALIGNMENT * _ALIGNMENT - _ALIGNMENT
    places.append(Place(end, TYPES["f32"].encode(generator.standard_normal(spare // 4))))
    leading, shifted = [], []
    for pointer in pointers:
        there = moved.get(pointer.value)
        if there is None:
            continue
        step = there.element.size if there.element is not None else _UNTYPED.size
        leading.append(argument_edit(capture, pointer.offset, _bytes(there.address)))
        shifted.append(argument_edit(capture, pointer.offset, _bytes(there.address + step)))
    return Elsewhere(
        tuple(places), tuple(moved.values()), tuple(leading), tuple(shifted), places[-1].base
    )


def _grown(buffer: Buffer, content: Bytes, generator: np.random.Generator) -> Bytes:
    """More of the same kind, but nothing that repeats: an index that wraps must be seen. What is
    not a float only changes places, because it may be an index."""
    element = buffer.element or _UNTYPED
    whole = content[: len(content) // element.size * element.size]
    count = len(whole) // element.size
    more = [whole]
    for _ in range(GROWTH - 1):
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
