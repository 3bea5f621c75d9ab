"""Two pointers that lead into one buffer, one some way behind the other. Pure.

Code that asks at run time whether pointers overlap has a way for each answer. Hosts may launch
neither, so that these trials only show code at work. What a launch leaves there may depend on the
order of its work-items, and then the trial is dropped. It often does not with one workgroup or one
work-item, nor where a size is 1, so that a work-item meets only itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from rocm_perf_lab.prove.oracle.buffers import Buffer
from rocm_perf_lab.prove.oracle.numbers.mutation import MUTATIONS, mutated
from rocm_perf_lab.prove.oracle.scene import Scene
from rocm_perf_lab.prove.oracle.trials.arguments import (
    Field,
    argument_edit,
    number_edit,
    pointers_of,
)
from rocm_perf_lab.prove.oracle.trials.elsewhere import Moved
from rocm_perf_lab.prove.oracle.trials.setting import Setting, kind_of
from rocm_perf_lab.prove.oracle.trials.sizes import shaped
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.scenes import Edit, Shape

_WAVE = 64
_MOST_PAIRS = 6
_DRAWN = 3  # inputs of each kind
_UNTYPED_SIZE = 4


def overlaps(
    capture: Capture,
    moved: Moved,
    setting: Setting,
    written: AbstractSet[int],
    sizes: Sequence[Field] = (),
    seed: int = 0,
) -> Iterator[Scene]:
    """Of each pair of buffers, of which one is among the arguments ``written``, the larger one has
    grown far enough to hold both."""
    pairs = [
        pair
        for pair in itertools.combinations(moved.buffers, 2)
        if written & {one.argument for one in pair}
    ]
    shapes = _small_shapes(capture)
    for pair in pairs[:_MOST_PAIRS]:
        there = max(pair, key=lambda one: one.size)
        captured = [replace(one, size=one.size // moved.growth) for one in pair]
        yield from _with_itself(capture, captured, there.address, setting, sizes, seed)
        for first, second in (captured, reversed(captured)):
            for name, distance in _distances(first, second):
                if distance + max(first.size, second.size) > there.size:
                    continue
                edits = [
                    *_leading(capture, first, there.address),
                    *_leading(capture, second, there.address + distance),
                ]
                label = f"{second.name} is {name} {first.name}"
                scene = replace(setting.scene(label, "addresses", edits), optional=True)
                for shape_name, shape in shapes:
                    named = replace(scene, name=f"{label}, {shape_name}")
                    yield shaped(capture, named, shape)


def _with_itself(
    capture: Capture,
    pair: Sequence[Buffer],
    address: int,
    setting: Setting,
    sizes: Sequence[Field],
    seed: int,
) -> Iterator[Scene]:
    """Both at one place, the whole launch, with one size less and inputs of all kinds."""
    leading = [edit for one in pair for edit in _leading(capture, one, address)]
    inputs = {one.argument: one for one in setting.inputs}
    read = [inputs[one.argument] for one in pair if one.argument in inputs]
    for size, mutation, number in itertools.product(sizes, MUTATIONS, range(_DRAWN)):
        drawn = seed + number * len(MUTATIONS)
        there = [
            Edit(address, mutated(mutation, kind_of(one), setting.content(one), drawn))
            for one in read
        ]
        edits = [number_edit(capture, size, 1), *setting.mutated(mutation, drawn), *there, *leading]
        at = f"{pair[1].name} is at {pair[0].name}, {size.name} = 1"
        name = f"{at}, input: {mutation.name} {number + 1}"
        yield replace(setting.scene(name, "addresses", edits), optional=True)


def _distances(first: Buffer, second: Buffer) -> Iterator[tuple[str, int]]:
    """In bytes: the same place, one element and one wave further, and where the first one ends."""
    element = second.element or first.element
    size = _UNTYPED_SIZE if element is None else element.size
    yield "at", 0
    yield "one element behind", size
    yield "one wave behind", _WAVE * size
    yield "at the end of", first.size


def _leading(capture: Capture, buffer: Buffer, address: int) -> Iterator[Edit]:
    for pointer in pointers_of(capture):
        if pointer.argument == buffer.argument:
            yield argument_edit(capture, pointer.offset, address.to_bytes(8, "little"))


def _small_shapes(capture: Capture) -> tuple[tuple[str, Shape], ...]:
    """As few work-items as the kernel takes."""
    block = capture.dispatch.block
    found = {"one workgroup": Shape(block, block)}
    if capture.kernel.required_workgroup_size is None:
        found["one work-item"] = Shape((1, 1, 1), (1, 1, 1))
    return tuple(found.items())
