"""Pointers that lead where others do, without a device."""

from __future__ import annotations

import numpy as np
import pytest
from trial_support import ARGUMENTS, IN, OUT, capture_of, content, maker, moved

from rocm_perf_lab.prove.oracle.scene import MEETING, Scene
from rocm_perf_lab.prove.oracle.trials.shapes import Sizes, one_wave


def pointers_in(scene: Scene) -> list[int]:
    """Where both pointers lead: the last edit of each counts."""
    led = {ARGUMENTS + 0x100: OUT, ARGUMENTS + 0x108: IN}
    for edit in scene.edits:
        if edit.address in led:
            led[edit.address] = int.from_bytes(bytes(edit.content), "little")
    return list(led.values())


def test_pointers_meet_in_whole_launches_and_by_one_wave() -> None:
    """The output leads to the input, which holds something else than what was captured."""
    made = maker(capture_of())
    met = [one for one in made.fixed() if MEETING in one.departures]
    assert [(one.name, one.shape is not None, one.optional) for one in met] == [
        ("argument 0 is argument 1, input: random", False, True),
        ("argument 0 is argument 1, input: positive", False, True),
        ("argument 0 is argument 1, one wave", True, True),
        ("argument 0 is one element behind argument 1, one wave", True, True),
    ]
    for one in met[:3]:
        assert pointers_in(one) == [IN, IN]
        held = next(edit.content for edit in one.edits if edit.address == IN)
        assert not np.array_equal(held, content(None))
    there = moved(capture_of()).moved[0].buffers[1].address
    assert pointers_in(met[3]) == [there + 4, there]
    for one in met[2:]:
        assert one.shape is not None
        assert one.shape.grid == one.shape.block == (64, 1, 1)


def test_no_wave_is_alone_where_the_kernel_asks_for_a_larger_block() -> None:
    capture = capture_of()
    capture.kernel.required_workgroup_size = (256, 1, 1)  # type: ignore[misc]
    names = [one.name for one in maker(capture).fixed() if MEETING in one.departures]
    assert [name for name in names if "one wave" in name] == []
    assert len(names) == 2


@pytest.mark.parametrize(
    ("block", "wave"),
    [((256, 1, 1), (64, 1, 1)), ((16, 16, 1), (8, 8, 1)), ((32, 1, 1), (32, 1, 1))],
)
def test_one_wave_keeps_the_axes_of_the_block(block: Sizes, wave: Sizes) -> None:
    shape = one_wave(capture_of(block=block))
    assert shape is not None
    assert (shape.grid, shape.block) == (wave, wave)
