"""What a launch writes, and where what was there before does not matter. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.prove.oracle.blame import overwritten
from rocm_perf_lab.prove.oracle.comparison import parts_of
from rocm_perf_lab.prove.oracle.executed.code import work_of
from rocm_perf_lab.prove.oracle.numbers.element_type import Bytes
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.play import Played
from rocm_perf_lab.prove.oracle.scene import MEETING, PATTERNS, Departures, Scene, Staged
from rocm_perf_lab.prove.oracle.strength import Written
from rocm_perf_lab.replay.scenes import Edit


@dataclass(frozen=True)
class Right:
    """A scene and what the captured code leaves there."""

    scene: Scene
    staged: Staged
    played: Played
    # Why no host may launch it: too few work-items for the work, say. Then a candidate that does
    # more of it is not wrong, and one that does as much has been executed.
    departures: Departures = frozenset()

    @property
    def optional(self) -> bool:
        return bool(self.departures)

    @property
    def name(self) -> str:
        return self.scene.name

    def before(self, base: int) -> Bytes:
        return self.staged.before(self.scene, base)

    def changed(self, base: int) -> np.ndarray:
        """Which bytes of a region the launch changed. It may also have put back what the scene
        changed there; then the region is not among those that differ from the stage."""
        image = self.played.images.get(base)
        assert image is not None
        return np.not_equal(image, self.before(base))


def changed_spans(right: Right, buffers: Sequence[Buffer]) -> list[Written]:
    """From the first to the last changed byte in each part of each changed region."""
    found = []
    bases = {region.base for region in right.staged.capture.regions}
    edited = {base for base in bases for edit in right.scene.edits if edit.address == base}
    for region in sorted({*right.played.images, *edited} - right.staged.guards):
        changed = right.changed(region)
        where = np.flatnonzero(changed)
        found += [Written(region, *one) for one in _spans(region, len(changed), where, buffers)]
    return found


def left_alike(one: Right, other: Right, arguments: Optional[int]) -> bool:
    """But for the region at the address of the arguments themselves."""
    mine, others = one.played.images, other.played.images
    for base in mine.keys() | others.keys():
        image = one.staged.image(base)
        if arguments is not None and 0 <= arguments - base < len(image):
            continue
        if not np.array_equal(mine.get(base, image), others.get(base, image)):
            return False
    return True


def writes_to_constants(right: Right, constants: Sequence[Buffer]) -> bool:
    """What comes from elements, an index say, may lead outside of an output and into an input. No
    code has to do the same there."""
    if MEETING in right.scene.departures or any(right.scene.again):  # launches with other inputs
        return False
    return overwritten(constants, right.before, {}, right.played.images) is not None


def shows_work(right: Right, candidate: Played) -> bool:
    """Whether it would be noticed if code of a candidate that runs there did nothing. Not where
    memory holds results already: behind a launch that is repeated as it was, and where pointers
    meet, because nothing can be poisoned there, and a candidate does not write just the bytes that
    the captured code writes."""
    if any(not edits for edits in right.scene.again):
        return False
    if MEETING not in right.departures:
        return True
    works = [work_of(played.folder) for played in (right.played, candidate)]
    wrote = {None if work is None else (work.written_bytes, work.written_hash) for work in works}
    return len(wrote) == 1 and None not in wrote


def _spans(
    region: int, region_size: int, changed: np.ndarray, buffers: Sequence[Buffer]
) -> list[tuple[int, int]]:
    """By buffer, whole elements."""
    spans = []
    for part in parts_of(region, region_size, buffers):
        inside = changed[(changed >= part.begin) & (changed < part.end)] - part.begin
        element = None if part.buffer is None else part.buffer.element
        size = 1 if element is None else element.size
        if inside.size:
            first = int(inside[0]) // size * size
            last = -(-(int(inside[-1]) + 1) // size) * size
            spans.append((part.begin + first, min(part.begin + last, part.end)))
    return spans


def is_pure(one: Written, captured: Right, played: Sequence[Played], varying: bool) -> bool:
    """``played``: with each of the patterns where it writes."""
    outcomes = []
    for found in played:
        image = found.images.get(one.region)
        if found.failure is not None or image is None:
            return False
        outcomes.append(image[one.begin : one.end])
    left = captured.played.images.get(one.region)
    if left is None:
        left = captured.before(one.region)
    expected = left[one.begin : one.end]
    if varying:
        # What it computes anew is never what was there; the values themselves may vary.
        return all(not np.any(o == p) for o, p in zip(outcomes, PATTERNS))
    return all(np.array_equal(outcome, expected) for outcome in outcomes)


def lies_in(one: Written, buffer: Buffer) -> bool:
    begin = one.begin - buffer.offset
    return one.region == buffer.region and 0 <= begin < buffer.size


def poisoned(one: Written, pattern: int) -> Edit:
    return Edit(one.region + one.begin, full(one.end - one.begin, pattern))


def full(size: int, pattern: int) -> Bytes:
    return np.full(size, pattern, dtype=np.uint8)
