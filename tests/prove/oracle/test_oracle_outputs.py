"""Which bytes a launch changed, and what that says of the code that ran."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Optional

import numpy as np
import pytest

from rocm_perf_lab.prove.oracle.numbers.element_type import F32
from rocm_perf_lab.prove.oracle.outputs import Right, changed_spans, shows_work
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
