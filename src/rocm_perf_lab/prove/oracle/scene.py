"""A captured dispatch with other memory: mutated inputs, poisoned outputs, guards around buffers.

A scene is a capture again, so that the replayer runs it like any other. Files that do not change
are links to the captured ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rocm_perf_lab import strict_json
from rocm_perf_lab.prove.oracle.element_type import Bytes
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.capture_schema import HOST_KINDS, PAGE_BYTES, RegionEntry

# As numbers: NaN in every type of floating point, and large but finite ones.
PATTERNS = (0xFF, 0x4B)


@dataclass(frozen=True)
class Edit:
    address: int
    content: Bytes


@dataclass(frozen=True)
class Scene:
    name: str
    edits: tuple[Edit, ...] = ()
    guard: int = PATTERNS[0]  # the byte that fills what lies around the buffers


@dataclass(frozen=True)
class StagedScene:
    """A scene on disk."""

    scene: Scene
    capture: Capture
    guards: frozenset[int]  # bases of regions that nobody may touch

    def before(self, base: int) -> Bytes:
        region = next(region for region in self.capture.regions if region.base == base)
        return np.fromfile(self.capture.memory_file(region.file), dtype=np.uint8)


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


def stage(capture: Capture, scene: Scene, folder: Path, *, guard_pages: bool) -> StagedScene:
    """Write the memory of ``scene`` into ``folder``."""
    (folder / "memory").mkdir(parents=True)
    for region in capture.regions:
        target = folder / region.file
        edits = [edit for edit in scene.edits if region.base <= edit.address < region.end]
        if not edits:
            target.symlink_to(capture.memory_file(region.file).absolute())
            continue
        content = np.fromfile(capture.memory_file(region.file), dtype=np.uint8)
        for edit in edits:
            offset = edit.address - region.base
            content[offset : offset + len(edit.content)] = edit.content
        content.tofile(target)
    guards = tuple(_guards(capture.regions, guard_pages))
    for guard in guards:
        np.full(guard.size, scene.guard, dtype=np.uint8).tofile(folder / guard.file)
    regions = tuple(sorted((*capture.regions, *guards), key=lambda region: region.base))
    staged = replace(capture, regions=regions, changes=None, unpacked=folder)
    return StagedScene(scene, staged, frozenset(guard.base for guard in guards))


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
            yield _guard(region, begin, region.base)
        free = following // PAGE_BYTES * PAGE_BYTES  # the next one's page is of its own kind
        same_page = following < _page_end(region.end)
        limit = following if same_page else free
        end = min(limit, _page_end(region.end) + extra)
        if end > region.end:
            yield _guard(region, region.end, end)
        taken = max(region.end, end)


def _page_end(address: int) -> int:
    return -(-address // PAGE_BYTES) * PAGE_BYTES


def _guard(region: RegionEntry, begin: int, end: int) -> RegionEntry:
    kind = "host" if region.kind in HOST_KINDS else "device"
    return strict_json.replace(
        region, base=begin, size=end - begin, kind=kind, contains_kernarg=False, stored_bytes=None
    )
