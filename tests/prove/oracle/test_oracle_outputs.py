"""Which bytes a launch changed, and what that says of the code that ran."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Optional

import numpy as np
import pytest

from rocm_perf_lab.prove.oracle.numbers.element_type import F32
from rocm_perf_lab.prove.oracle.outputs import Right, changed_spans, shows_work, writes_to_constants
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.play import LeftMemory, Played
from rocm_perf_lab.prove.oracle.scene import MEETING, Scene
from rocm_perf_lab.replay.scenes import Edit

BASE, SIZE = 0x10000, 4096


class Stage:
    """One region; a scene writes there before the launch."""

    capture = SimpleNamespace(regions=(SimpleNamespace(base=BASE, size=SIZE),))
    guards: frozenset[int] = frozenset()

    def image(self, base: int) -> np.ndarray:
        return np.zeros(SIZE, dtype=np.uint8)

    def before(self, scene: Scene, base: int) -> np.ndarray:
        image = self.image(base)
        for edit in scene.edits:
            image[edit.address - base :][: edit.content.size] = edit.content
        return image


def test_a_launch_may_put_back_what_the_scene_changed(tmp_path: Path) -> None:
    """Then the region is as the stage has it: the launch wrote all the same."""
    stage = Stage()
    scene = Scene("edited", edits=(Edit(BASE, np.ones(16, dtype=np.uint8)),))
    left = LeftMemory(stage, tmp_path, differences=())  # type: ignore[arg-type]
    right = Right(scene, stage, Played(left))  # type: ignore[arg-type]
    buffer = Buffer(0, None, 0, BASE, 0, SIZE, F32, "signature", const=False)
    assert [(one.begin, one.end) for one in changed_spans(right, [buffer])] == [(0, 16)]


MEETS = Scene("meeting", departures=frozenset([MEETING]))
LINE = {
    "kernel": "k",
    "dispatch": 0,
    "ended": True,
    "read_bytes": 0,
    "flops": 0,
    "executed": 1,
    "longest_wave": 1,
    "instructions": [],
}


@pytest.mark.parametrize(("departures", "is_wrong"), [((), True), ((MEETING,), False)])
@pytest.mark.parametrize("at", [0, 8])
def test_an_input_that_the_captured_code_changes_is_no_trial(
    at: int, departures: tuple[str, ...], is_wrong: bool, tmp_path: Path
) -> None:
    """An index that is negative leads into it; unless the pointers meet there."""
    stage = Stage()
    left = np.zeros(SIZE, dtype=np.uint8)
    left[at] = 1
    scene = Scene("negative", departures=frozenset(departures))
    right = Right(scene, stage, Played({BASE: left}), scene.departures)  # type: ignore[arg-type]
    buffer = Buffer(0, None, 0, BASE, 0, 8, F32, "signature", const=True)
    assert writes_to_constants(right, [buffer]) is (is_wrong and at < 8)
    assert not writes_to_constants(right, [])
    edits = (Edit(BASE, left[:8]),)
    again = replace(right, scene=replace(scene, again=(edits,)))
    assert not writes_to_constants(again, [buffer])


def played(folder: Path, written: Optional[tuple[int, int]]) -> Played:
    """What was written, as the device tells it: how many bytes, and which."""
    folder.mkdir()
    if written is not None:
        line = {**LINE, "written_bytes": written[0], "written_hash": written[1]}
        (folder / "coverage").write_text(json.dumps(line) + "\n")
    return Played(folder=folder)


@pytest.mark.parametrize(
    ("scene", "of_the_candidate", "shows"),
    [
        (MEETS, (16, 7), True),
        (MEETS, (16, 8), False),  # other bytes
        (MEETS, (0, 0), False),  # nothing
        (MEETS, None, False),  # nobody counted
        (Scene("usual"), (0, 0), True),  # there outputs are poisoned
        (Scene("repeated", again=((),)), (16, 7), False),
    ],
)
def test_where_pointers_meet_a_candidate_has_to_write_the_same_bytes(
    scene: Scene, of_the_candidate: Optional[tuple[int, int]], shows: bool, tmp_path: Path
) -> None:
    right = Right(scene, Stage(), played(tmp_path / "right", (16, 7)), scene.departures)  # type: ignore[arg-type]
    assert shows_work(right, played(tmp_path / "candidate", of_the_candidate)) is shows
