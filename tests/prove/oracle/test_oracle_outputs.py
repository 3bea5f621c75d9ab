"""Which bytes a launch changed, and what that says of the code that ran."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np

from rocm_perf_lab.prove.oracle.numbers.element_type import F32
from rocm_perf_lab.prove.oracle.outputs import Right, changed_spans, shows_work
from rocm_perf_lab.prove.oracle.passed.buffers import Buffer
from rocm_perf_lab.prove.oracle.play import LeftMemory, Played
from rocm_perf_lab.prove.oracle.scene import Scene
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
    scene = Scene("meeting", edits=(Edit(BASE, np.ones(16, dtype=np.uint8)),), meets=True)
    left = LeftMemory(stage, tmp_path, differences=())  # type: ignore[arg-type]
    right = Right(scene, stage, Played(left))  # type: ignore[arg-type]
    buffer = Buffer(0, None, 0, BASE, 0, SIZE, F32, "signature", const=False)
    assert [(one.begin, one.end) for one in changed_spans(right, [buffer])] == [(0, 16)]
    assert shows_work(right, [buffer])
