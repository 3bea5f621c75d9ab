"""How sharp the captured code's results are in a scene: what its own rounding moves them by.

The virtual device repeats the captured code and rounds every result that is not exact up or down at
random, each time otherwise, while every ``f32`` and ``f64`` input moves by one unit in its last
place. The inputs move because a load rounds nothing, and yet its number takes part, with its last
place, in every partial sum of another order. A real device rounds as it likes: there only the
inputs move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Callable, Optional

import numpy as np

from rocm_perf_lab.prove.oracle.comparison import Images, Sharpness
from rocm_perf_lab.prove.oracle.numbers.element_type import Bytes, ElementType, Numbers
from rocm_perf_lab.prove.oracle.numbers.mutation import moved_by_one_unit
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.play import Played
from rocm_perf_lab.prove.oracle.scene import Scene, Staged
from rocm_perf_lab.replay.scenes import Edit

Move = Callable[[ElementType, Bytes, int], Bytes]  # other inputs from a seed

ROUNDING_VARIABLE = "VROCM_ROUNDING"  # read by the virtual device: a seed, not 0
INPUTS_ONLY = (
    "this device rounds as it likes: the error budget is what the captured code moves with its "
    "inputs alone"
)
# The largest of so many movements is less than a tenth of their usual size once in 2.8e-10: what
# the factor in error_budget.py rests on.
RUNS = 12
# The largest of a few is smaller: what it explains, all of them explain, and it is asked first.
FEW_RUNS = 3


def find_sharpness(
    own: Images,
    runs: Sequence[Played],
    buffers: Sequence[Buffer],
    *,
    rounds_at_random: bool,
    known: Optional[Played] = None,
) -> Sharpness:
    """``own`` is what the captured code left in the scene, ``runs`` are more runs of it that are as
    right: those of ``moved`` scenes, and other orders of waves where it varies by itself; ``known``
    is a run of higher precision."""
    whole = [one for one in runs if one.failure is None]
    moves: dict[int, Numbers] = {}
    reference: dict[int, Numbers] = {}
    for buffer in buffers:
        if buffer.element is None or not buffer.element.is_float:
            continue
        numbers = numbers_of(buffer, own)
        if numbers is None:
            continue
        found = [or_own(buffer, one.images, numbers) for one in whole]
        moves[buffer.place] = _largest_move(numbers, found)
        if known is not None and known.failure is None:
            reference[buffer.place] = or_own(buffer, known.images, numbers)
    return Sharpness(moves, reference, rounds_at_random)


def moved(
    scene: Scene,
    staged: Staged,
    inputs: Sequence[Buffer],
    seed: int,
    move: Move = moved_by_one_unit,
) -> Scene:
    """The same scene with every wide input some units in the last place off, in further launches,
    too."""
    wide = [one for one in inputs if one.element is not None and one.element.is_wide]
    edits = list(scene.edits)
    for buffer in wide:
        assert buffer.element is not None
        old = staged.before(scene, buffer.region)[buffer.offset : buffer.offset + buffer.size]
        edits.append(Edit(buffer.address, move(buffer.element, old, seed)))
    kinds = {one.address: one.element for one in wide}
    again = tuple(
        tuple(_moved_edit(edit, kinds.get(edit.address), seed, move) for edit in launch)
        for launch in scene.again
    )
    return replace(scene, name=f"{scene.name}, moved", edits=tuple(edits), again=again)


def _moved_edit(edit: Edit, kind: Optional[ElementType], seed: int, move: Move) -> Edit:
    return edit if kind is None else Edit(edit.address, move(kind, edit.content, seed))


def rounding(seed: int) -> Mapping[str, str]:
    """Variables for one run."""
    return {ROUNDING_VARIABLE: str(seed)}


def _largest_move(own: Numbers, found: Sequence[Numbers]) -> Numbers:
    """What is not finite in one of them has not moved but become something else."""
    largest = np.zeros(own.shape)
    for numbers in found:
        with np.errstate(all="ignore"):
            change = np.abs(numbers - own)
        largest = np.maximum(largest, np.where(np.isfinite(change), change, 0.0))
    return largest


def or_own(buffer: Buffer, images: Images, own: Numbers) -> Numbers:
    found = numbers_of(buffer, images)
    return own if found is None else found


def numbers_of(buffer: Buffer, images: Images) -> Optional[Numbers]:
    assert buffer.element is not None
    if buffer.region not in images:
        return None
    image = images[buffer.region]
    return buffer.element.decode(image[buffer.offset : buffer.offset + buffer.size])
