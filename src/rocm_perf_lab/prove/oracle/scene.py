"""A captured dispatch with other memory and shapes: what the oracle plays, and the stage for it.

The stage is a capture again, with guards around its buffers and larger copies of them elsewhere.
A scene changes bytes of it and perhaps the shape of the launch, so that one process plays many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Optional

import numpy as np

from rocm_perf_lab import strict_json
from rocm_perf_lab.prove.oracle.numbers.element_type import Bytes
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.capture_schema import HOST_KINDS, PAGE_BYTES, RegionEntry
from rocm_perf_lab.replay.scenes import Edit, SceneLines, Shape

# As numbers: NaN in every type of floating point, and large but finite ones.
PATTERNS = (0xFF, 0x4B)
# Of outputs in all other trials: a result may be NaN or -1 there, as the first pattern is, and an
# element that was left out would look right.
POISON = PATTERNS[1]
# Of the virtual device: a dword that holds this was written by nobody (VROCM_CHECK=uninit).
_UNWRITTEN_FACTOR = np.uint64(0x9E37_79B9_7F4A_7C15)

Kind = Literal[
    "captured memory",
    "poisoned output",
    "inputs",
    "scalars",
    "sizes",
    "null pointers",
    "launch shapes",
    "addresses",
    "launch sequence",
    "random",
    "directed",
]


# In what a launch departs from those that hosts make, whatever its memory holds.
Departures = frozenset[str]
MEETING = "pointers meet"  # outputs cannot be poisoned there
SMALL_BLOCKS, ODD_BLOCKS = "blocks smaller than a wave", "blocks of no power of two"
FEWER_ITEMS, OTHER_SHAPE = "fewer work-items", "another launch shape"


@dataclass(frozen=True)
class Scene:
    name: str
    kind: Kind = "captured memory"
    edits: tuple[Edit, ...] = ()
    shape: Optional[Shape] = None  # None: as captured
    again: tuple[tuple[Edit, ...], ...] = ()  # further launches, each behind edits of its own
    # Where scenes of these names leave something else, this one may be what no host would launch:
    # fewer workgroups than the work needs, say. Those that do not count say nothing.
    same_as: tuple[str, ...] = ()
    otherwise: str = ""  # the departure then
    departures: Departures = frozenset()  # why no host may launch it at all; none: hosts do
    setting: int = 0  # where the buffers lie: 0 as captured; elsewhere they have grown

    @property
    def optional(self) -> bool:
        return bool(self.departures)

    @property
    def lines(self) -> SceneLines:
        return SceneLines((self.edits, *self.again), self.shape, self.optional)


@dataclass(frozen=True)
class Place:
    """Memory besides what was captured, for buffers that lie elsewhere."""

    base: int
    content: Bytes


@dataclass(frozen=True)
class Staged:
    """On disk. ``guards``: bases of regions that nobody may touch."""

    capture: Capture
    guards: frozenset[int]

    def image(self, base: int) -> Bytes:
        """A region before any scene."""
        region = next(region for region in self.capture.regions if region.base == base)
        return np.fromfile(self.capture.memory_file(region.file), dtype=np.uint8)

    def before(self, scene: Scene, base: int) -> Bytes:
        """A region before the first launch of the scene."""
        image = self.image(base)
        for edit in scene.edits:
            offset = edit.address - base
            if 0 <= offset < len(image):
                image[offset : offset + len(edit.content)] = edit.content
        return image


def set_stage(
    capture: Capture, folder: Path, *, guard_pages: bool, places: Sequence[Place] = ()
) -> Staged:
    (folder / "memory").mkdir(parents=True)
    for region in capture.regions:
        (folder / region.file).symlink_to(capture.memory_file(region.file).absolute())
    added = [_region(capture.regions[0], place.base, len(place.content)) for place in places]
    for region, place in zip(added, places):
        place.content.tofile(folder / region.file)
    regions = sorted((*capture.regions, *added), key=lambda region: region.base)
    guards = tuple(_guards(regions, guard_pages))
    for guard in guards:
        unwritten(guard.base, guard.size).tofile(folder / guard.file)
    every = tuple(sorted((*regions, *guards), key=lambda region: region.base))
    staged = replace(capture, regions=every, changes=None, unpacked=folder)
    return Staged(staged, frozenset(guard.base for guard in guards))


def unwritten(base: int, size: int) -> Bytes:
    """What the virtual device takes for memory that nobody wrote; any other bytes elsewhere."""
    first = base & ~3
    dwords = np.arange(first, base + size, 4, dtype=np.uint64)
    with np.errstate(over="ignore"):
        words = ((dwords * _UNWRITTEN_FACTOR) >> np.uint64(32)).astype("<u4") | np.uint32(1)
    whole: Bytes = np.ascontiguousarray(words).view(np.uint8)
    return np.array(whole[base - first :][:size], dtype=np.uint8)


def captured_images(capture: Capture) -> dict[int, Bytes]:
    """The regions that the dispatch changed, as the application left them."""
    images = {}
    for changed in capture.changes or ():
        region = next(region for region in capture.regions if region.base == changed.base)
        image = np.fromfile(capture.memory_file(region.file), dtype=np.uint8)
        pages = np.fromfile(capture.memory_file(changed.file), dtype=np.uint8)
        at = 0
        for first, count in changed.runs:
            begin, end = first * PAGE_BYTES, min((first + count) * PAGE_BYTES, region.size)
            image[begin:end] = pages[at : at + end - begin]
            at += end - begin
        images[changed.base] = image
    return images


def _guards(regions: Sequence[RegionEntry], pages: bool) -> Iterator[RegionEntry]:
    """The rest of each first and last page, and a page before and behind if nothing is there."""
    taken = 0  # end of what the regions and guards so far occupy
    for number, region in enumerate(regions):
        following = regions[number + 1].base if number + 1 < len(regions) else 1 << 64
        if region.kind == "code":
            taken = _page_end(region.end)
            continue
        extra = PAGE_BYTES if pages else 0
        begin = max(taken, region.base // PAGE_BYTES * PAGE_BYTES - extra)
        if begin < region.base:
            yield _region(region, begin, region.base - begin)
        free = following // PAGE_BYTES * PAGE_BYTES  # the next one's page is of its own kind
        same_page = following < _page_end(region.end)
        limit = following if same_page else free
        end = min(limit, _page_end(region.end) + extra)
        if end > region.end:
            yield _region(region, region.end, end - region.end)
        taken = max(region.end, end)


def _page_end(address: int) -> int:
    return -(-address // PAGE_BYTES) * PAGE_BYTES


def _region(like: RegionEntry, base: int, size: int) -> RegionEntry:
    kind = "host" if like.kind in HOST_KINDS else "device"
    return strict_json.replace(
        like, base=base, size=size, kind=kind, contains_kernarg=False, stored_bytes=None
    )
