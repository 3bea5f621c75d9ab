"""Many launches of a captured dispatch in one process, each with other memory or another shape."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import numpy as np
from numpy.typing import NDArray

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import ReplayFailed
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.plan import ReplayOptions
from rocm_perf_lab.replay.replayer import Comparison, run_replayer
from rocm_perf_lab.replay.variant import VariantCode
from rocm_perf_lab.strict_json import Strict, read_strict


@dataclass(frozen=True)
class Shape:
    """Of a launch: work-items, and work-items of a workgroup."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    more_lds: int = 0  # dynamic LDS beyond the captured one


@dataclass(frozen=True)
class Edit:
    """Other bytes at an address of the captured memory."""

    address: int
    content: NDArray[np.uint8]


@dataclass(frozen=True)
class SceneLines:
    """What the replayer gets for one scene: the edits before each of its launches."""

    launches: tuple[tuple[Edit, ...], ...]
    shape: Optional[Shape] = None
    may_fail: bool = False  # without ending what is played


class SceneRecord(Strict):
    scene: int
    seconds: float
    comparison: Comparison


@dataclass(frozen=True)
class SceneRun:
    """The outcome of one scene. ``folder`` holds the pages that differ from the capture's."""

    folder: Path
    comparison: Optional[Comparison]  # None: it faulted or did not end
    seconds: float
    said: str  # by the device meanwhile
    failure: Optional[str] = None


@dataclass(frozen=True)
class SceneRuns:
    runs: tuple[SceneRun, ...]
    not_enforced: tuple[str, ...] = ()


def run_scenes(
    capture: Capture,
    prefix: Prefix,
    options: ReplayOptions,
    code: Optional[VariantCode],
    scenes: Sequence[SceneLines],
    folder: Path,
    *,
    variables: Optional[Mapping[str, str]] = None,
    boxed: bool = False,
    stop_at_failure: bool = False,
) -> SceneRuns:
    """Plays all scenes; one that ends the process is a failure, and the rest goes on in a new one,
    unless ``stop_at_failure`` and it may not fail. ``folder`` keeps what they left."""
    content = folder / "edits.bin"
    lines = list(_plan_lines(scenes, content))
    runs: list[SceneRun] = []
    missing: tuple[str, ...] = ()
    while len(runs) < len(scenes):
        cause, missing = _one_process(
            capture, prefix, options, code, [f"first-scene {len(runs)}", *lines], folder,
            variables, boxed,
        )  # fmt: skip
        records = _records(folder)
        runs += [_ended(folder, records[n]) for n in range(len(runs), len(scenes)) if n in records]
        if len(runs) == len(scenes):
            break
        if cause is None:
            raise ReplayFailed("the replayer ended without playing all scenes")
        if not (folder / str(len(runs)) / "said").is_file():
            raise ReplayFailed(cause)
        runs.append(_failed(folder, len(runs), cause))
        if stop_at_failure and not scenes[len(runs) - 1].may_fail:
            break
    return SceneRuns(tuple(runs), missing)


def _one_process(
    capture: Capture,
    prefix: Prefix,
    options: ReplayOptions,
    code: Optional[VariantCode],
    lines: Sequence[str],
    folder: Path,
    variables: Optional[Mapping[str, str]],
    boxed: bool,
) -> tuple[Optional[str], tuple[str, ...]]:
    """Why it ended early, and what the box could not hold."""
    try:
        result = run_replayer(
            capture, prefix, options, (code,),
            dump=folder, variables=variables, boxed=boxed, more_lines=lines,
        )  # fmt: skip
    except ReplayFailed as error:
        return error.cause, ()
    return None, result.not_enforced


def _plan_lines(scenes: Sequence[SceneLines], content: Path) -> Iterator[str]:
    """Writes the file of edits as well; what several scenes share is in it once."""
    yield f"edits {content.absolute()}"
    known: dict[int, int] = {}  # by identity: scenes share arrays, and all of them stay alive
    with content.open("wb") as file:
        for scene in scenes:
            yield "scene"
            if scene.shape is not None:
                sizes = (*scene.shape.block, *scene.shape.grid, scene.shape.more_lds)
                yield f"shape {' '.join(map(str, sizes))}"
            for number, edits in enumerate(scene.launches):
                if number:
                    yield "again"
                for edit in edits:
                    key = id(edit.content)
                    if key not in known:
                        known[key] = file.tell()
                        file.write(edit.content.tobytes())
                    yield f"edit {edit.address} {len(edit.content)} {known[key]}"


def _records(folder: Path) -> dict[int, SceneRecord]:
    try:
        text = (folder / "scenes").read_bytes()
    except FileNotFoundError:
        return {}
    whole = text[: text.rfind(b"\n") + 1]  # the last line may be cut
    found = [read_strict(SceneRecord, line) for line in whole.splitlines()]
    return {record.scene: record for record in found}


def _ended(folder: Path, record: SceneRecord) -> SceneRun:
    place = folder / str(record.scene)
    return SceneRun(place, record.comparison, record.seconds, _said(place))


def _failed(folder: Path, number: int, cause: str) -> SceneRun:
    place = folder / str(number)
    said = _said(place)
    last = said.strip().splitlines()
    return SceneRun(place, None, 0.0, said, last[-1] if last else cause)


def _said(place: Path) -> str:
    path = place / "said"
    if not os.path.exists(path):
        return ""
    return path.read_bytes().decode("utf-8", "replace")
