"""Playing scenes in a process of their own and reading the memory that they leave."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Protocol, TypeVar

import numpy as np

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.prove.oracle.numbers.element_type import Bytes
from rocm_perf_lab.prove.oracle.scene import Scene, Staged
from rocm_perf_lab.replay.capture_schema import PAGE_BYTES
from rocm_perf_lab.replay.coverage import COVERAGE_VARIABLE
from rocm_perf_lab.replay.plan import ReplayOptions
from rocm_perf_lab.replay.replayer import Difference
from rocm_perf_lab.replay.scenes import SceneRun, SceneRuns, run_scenes
from rocm_perf_lab.replay.variant import VariantCode

_Item = TypeVar("_Item")

# Read by the virtual device. How long it takes is not asked here.
_NO_TIMING = {"VROCM_TIMING": "0"}
CHECKS = {"VROCM_CHECK": "memory,uninit,race,divide,each"}
ORDER_VARIABLE = "VROCM_ORDER"  # a real device orders as it likes
_THREADS_VARIABLE = "VROCM_THREADS"
# Fewer scenes are not worth a process. As many on every host: what is said must not depend on it.
_LEAST_SCENES, _MOST_PROCESSES = 12, 2
_FINDING = re.compile(r"^VROCM_CHECK: (.*)$", re.MULTILINE)


def in_parts(items: Sequence[_Item], count: int) -> list[Sequence[_Item]]:
    """Neighbours together; no part has two more than another."""
    size, more = divmod(len(items), count)
    ends = [(n + 1) * size + min(n + 1, more) for n in range(count)]
    return [items[begin:end] for begin, end in zip([0, *ends], ends)]


class LeftMemory(Mapping[int, Bytes]):
    """The regions that a scene changed, as they are afterwards, by base; read when asked for."""

    def __init__(self, staged: Staged, folder: Path, differences: Sequence[Difference]) -> None:
        self._staged = staged
        self._folder = folder
        self._differences = {one.base: one for one in differences}

    def __iter__(self) -> Iterator[int]:
        return iter(self._differences)

    def __len__(self) -> int:
        return len(self._differences)

    def __getitem__(self, base: int) -> Bytes:
        """The whole region: what was there before, and the changed pages over it."""
        runs = self._differences[base].runs  # KeyError: it changed nothing there
        image, pages = self._staged.image(base), self._pages(base)
        at = 0
        for first, count in runs:
            begin = first * PAGE_BYTES
            end = min(begin + count * PAGE_BYTES, len(image))
            image[begin:end] = pages[at : at + end - begin]
            at += end - begin
        return image

    def _pages(self, base: int) -> Bytes:
        return np.fromfile(self._folder / f"region_{base:x}.bin", dtype=np.uint8)

    def get(self, base: int, default: Optional[Bytes] = None) -> Optional[Bytes]:  # type: ignore[override]
        """A region that is not among the changed ones is as the stage has it, whatever a scene put
        there before: the launch put that back."""
        return self[base] if base in self._differences else self._staged.image(base)

    def same_as(self, other: LeftMemory) -> bool:
        """Bit by bit, without building the images."""
        mine, others = self._differences, other._differences
        return mine.keys() == others.keys() and all(
            one.runs == others[base].runs and np.array_equal(self._pages(base), other._pages(base))
            for base, one in mine.items()
        )


@dataclass(frozen=True)
class Played:
    """The memory that a scene left; or why there is none."""

    images: Mapping[int, Bytes] = field(default_factory=dict)
    failure: Optional[str] = None
    findings: tuple[str, ...] = ()  # of the checks of the virtual device
    seconds: float = 0.0
    folder: Optional[Path] = None  # with what was executed, where that was asked for


def _first_failure(ran: Sequence[tuple[Scene, SceneRun]]) -> int:
    """Of those that may not fail; how many there are if none does."""
    failed = (n for n, (scene, run) in enumerate(ran) if run.failure and not scene.optional)
    return next(failed, len(ran))


@dataclass(frozen=True)
class Player:
    """Plays scenes on one stage. ``folder`` keeps what they leave as long as it is needed."""

    staged: Staged
    folder: Path
    prefix: Prefix
    device: int
    timeout_s: float

    def play(
        self,
        scenes: Sequence[Scene],
        code: Optional[VariantCode],
        name: str,
        *,
        variables: Optional[Mapping[str, str]] = None,
        stop_at_failure: bool = False,
        covered: bool = False,
        processes: int = 1,
    ) -> tuple[list[Played], tuple[str, ...]]:
        """Faults and endless loops are answers too; other troubles are raised. Also what the box
        around other code than the captured one could not hold."""

        def part(number: int, some: Sequence[Scene]) -> SceneRuns:
            dump = self.folder / f"{name}-{number}"
            dump.mkdir()
            more = {COVERAGE_VARIABLE: str(dump / "executed")} if covered else {}
            if processes > 1:
                more[_THREADS_VARIABLE] = str(max(1, (os.cpu_count() or 1) // processes))
            return run_scenes(
                self.staged.capture,
                self.prefix,
                ReplayOptions(device=self.device, timeout_s=self.timeout_s),
                code,
                [scene.lines for scene in some],
                dump,
                variables={**_NO_TIMING, **more, **(variables or {})},
                boxed=code is not None,  # the captured code ran before, in the application
                stop_at_failure=stop_at_failure,
            )

        parts = in_parts(scenes, processes)
        with ThreadPoolExecutor(min(processes, os.cpu_count() or 1)) as pool:
            found = list(pool.map(part, range(processes), parts))
        ran = [pair for some, runs in zip(parts, found) for pair in zip(some, runs.runs)]
        last = _first_failure(ran) if stop_at_failure else len(ran)
        return [self._played(run) for _, run in ran[: last + 1]], found[0].not_enforced

    def processes(self, scenes: int) -> int:
        """Side by side, for so many; on a real device one after the other."""
        most = _MOST_PROCESSES if self.prefix.kind == "virtual" else 1
        return max(1, min(most, scenes // _LEAST_SCENES))

    def _played(self, run: SceneRun) -> Played:
        findings = tuple(sorted(set(_FINDING.findall(run.said))))
        if run.comparison is None:
            return Played(failure=run.failure, findings=findings)
        images = LeftMemory(self.staged, run.folder, run.comparison.differences)
        return Played(images, None, findings, run.seconds, run.folder)


def left_the_same(one: Played, other: Played) -> bool:
    if not (isinstance(one.images, LeftMemory) and isinstance(other.images, LeftMemory)):
        return False
    return one.images.same_as(other.images)


class Play(Protocol):
    def __call__(
        self, scenes: Sequence[Scene], *, variables: Mapping[str, str], covered: bool = False
    ) -> list[Played]: ...


def play_checked(
    play: Play, scenes: Sequence[Scene], limits: Mapping[str, str], checks: Mapping[str, str]
) -> list[Played]:
    """The captured code, checked. The checks make a launch up to a hundred times as long: what
    faults or does not end within the limits (a loop to 2147483647) is found without them first."""
    if not checks:
        return play(scenes, variables=limits, covered=True)
    unchecked = play(scenes, variables=limits)
    for one in unchecked:
        if one.folder is not None:  # the memory is asked for of the checked launch
            shutil.rmtree(one.folder)
    ending = [scene for scene, one in zip(scenes, unchecked) if one.failure is None]
    played = play(ending, variables={**checks, **limits}, covered=True) if ending else []
    checked = iter(played)
    return [next(checked) if one.failure is None else one for one in unchecked]
