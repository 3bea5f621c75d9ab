"""Types and buffers of a capture, guards around them, and the output of an application."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.prove.oracle.application import Output, compare_outputs
from rocm_perf_lab.prove.oracle.numbers.element_type import F16, F32
from rocm_perf_lab.prove.oracle.passed.buffers import buffers_of, parse_types
from rocm_perf_lab.prove.oracle.play import CHECKS, Played, play_checked
from rocm_perf_lab.prove.oracle.scene import Place, Scene, set_stage, unwritten
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.capture_schema import RegionEntry
from rocm_perf_lab.replay.scenes import Edit

OUT, IN = 0x10000, 0x20000

# --- buffers and scenes -------------------------------------------------------


def region(base: int, size: int, kind: str = "device") -> RegionEntry:
    return RegionEntry(
            base=base, size=size, kind=kind, is_pool=True, is_vmem=False,
            contains_kernarg=False, handle=0, access=3,
        )  # fmt: skip


def argument(offset: int, size: int, kind: str) -> SimpleNamespace:
    return SimpleNamespace(offset=offset, size=size, value_kind=kind)


def capture_of(name: str, pointers: list[int], value: int = 1000) -> Capture:
    words = [pointer.to_bytes(8, "little") for pointer in pointers]
    arguments = [argument(8 * i, 8, "global_buffer") for i in range(len(pointers))]
    arguments.append(argument(8 * len(pointers), 4, "by_value"))
    kernarg = b"".join(words) + value.to_bytes(4, "little")
    return SimpleNamespace(  # type: ignore[return-value]
        regions=(region(OUT, 4000), region(IN, 8192), region(0x30000, 4096)),
        kernel=SimpleNamespace(visible_arguments=tuple(arguments)),
        dispatch=SimpleNamespace(demangled_name=name, kernarg_address=0x30100),
        kernarg=kernarg,
    )


def test_types_come_from_the_signature_or_from_the_user() -> None:
    capture = capture_of("k(float*, __half const*, int)", [OUT, IN + 64])
    found = buffers_of(capture, {})
    assert [(b.argument, b.offset, b.size, b.source, b.const) for b in found] == [
        (0, 0, 4000, "signature", False),
        (1, 64, 8128, "signature", True),
    ]
    assert [b.element for b in found] == [F32, F16]
    given = buffers_of(capture, parse_types(["1=f32"]))
    assert (given[1].element, given[1].source) == (F32, "user")
    plain = buffers_of(capture_of("k", [OUT, IN]), {})
    assert [(b.element, b.source) for b in plain] == [(None, "unknown")] * 2


def test_several_arguments_in_one_region() -> None:
    two = buffers_of(capture_of("k(float*, float*, int)", [IN, IN + 4096]), {})
    assert [(b.offset, b.size) for b in two] == [(0, 4096), (4096, 4096)]
    same = buffers_of(capture_of("k(float*, float const*, int)", [IN, IN]), {})
    assert [(b.element, b.const) for b in same] == [(F32, False)]
    quarrel = buffers_of(capture_of("k(float*, int const*, int)", [IN, IN]), {})
    assert [(b.element, b.source) for b in quarrel] == [(None, "unknown")]
    assert buffers_of(capture_of("k(float*, int)", [0xDEAD0000]), {}) == ()


@pytest.mark.parametrize("text", ["f32", "x=f32", "0=f31", "0=", "-1=f32"])
def test_types_that_make_no_sense(text: str) -> None:
    with pytest.raises(UsageError):
        parse_types([text])


def staged(tmp_path: Path, regions: tuple[RegionEntry, ...], pages: bool) -> list[tuple[int, int]]:
    """Begin and end of the guards."""
    folder = tmp_path / "capture"
    (folder / "memory").mkdir(parents=True, exist_ok=True)
    for one in regions:
        (folder / one.file).write_bytes(b"\x11" * one.size)
    made = Capture(folder, None, regions, None, None, None, None, b"")  # type: ignore[arg-type]
    edit = Edit(regions[0].base + 8, np.full(4, 0x22, dtype=np.uint8))
    stage = set_stage(made, tmp_path / "scene", guard_pages=pages)
    scene = Scene("x", edits=(edit,))
    assert bytes(stage.before(scene, regions[0].base)[6:14]) == b"\x11\x11\x22\x22\x22\x22\x11\x11"
    assert set(stage.image(regions[0].base)) == {0x11}
    guards = [one for one in stage.capture.regions if one.base in stage.guards]
    for one in guards:
        assert np.array_equal(stage.image(one.base), unwritten(one.base, one.size))
    ends = [(one.base, one.end) for one in stage.capture.regions]
    assert all(one[1] <= other[0] for one, other in zip(ends, ends[1:]))
    return [(one.base, one.end) for one in guards]


def test_guards_fill_the_rest_of_pages_and_the_pages_beside(tmp_path: Path) -> None:
    one = (region(0x10010, 100),)
    assert staged(tmp_path / "a", one, False) == [(0x10000, 0x10010), (0x10074, 0x11000)]
    assert staged(tmp_path / "b", one, True) == [(0xF000, 0x10010), (0x10074, 0x12000)]


def test_guards_leave_neighbours_alone(tmp_path: Path) -> None:
    regions = (
        region(0x10000, 100),
        region(0x10200, 0x200),  # in the same page
        region(0x11000, 0x1000, "host"),  # a page of another kind
        region(0x12000, 0x800),
        region(0x13000, 0x1000, "code"),
    )
    found = staged(tmp_path, regions, True)
    assert found == [
        (0xF000, 0x10000),
        (0x10064, 0x10200),
        (0x10400, 0x11000),
        (0x12800, 0x13000),
    ]


def test_places_elsewhere_are_guarded_too(tmp_path: Path) -> None:
    folder = tmp_path / "capture"
    (folder / "memory").mkdir(parents=True)
    own = region(0x10000, 0x1000)
    (folder / own.file).write_bytes(b"\x11" * own.size)
    made = Capture(folder, None, (own,), None, None, None, None, b"")  # type: ignore[arg-type]
    there = Place(0x4000, np.full(100, 0x33, dtype=np.uint8))
    stage = set_stage(made, tmp_path / "scene", guard_pages=True, places=(there,))
    assert set(stage.image(0x4000)) == {0x33}
    assert {0x3000, 0x4064} <= stage.guards


def test_unwritten_memory_depends_on_the_address_alone() -> None:
    whole = unwritten(0x1000, 64)
    for begin, size in ((0, 64), (1, 7), (3, 4), (8, 56), (61, 3)):
        assert np.array_equal(unwritten(0x1000 + begin, size), whole[begin : begin + size])
    assert not np.array_equal(unwritten(0x2000, 64), whole)


# --- the application's output -------------------------------------------------


def output(stdout: bytes, file: object = b"1", ok: bool = True) -> Output:
    return Output("exit code 0" if ok else "exit code 3", ok, stdout, {"f": file})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("first", "second", "found", "verdicts"),
    [
        (output(b"a\n"), output(b"a\n"), output(b"a\n"), ["pass", "pass"]),
        (output(b"a\n"), output(b"a\n"), output(b"b\n"), ["fail", "pass"]),
        (output(b"a\n"), output(b"a\n"), output(b"a"), ["fail", "pass"]),
        (output(b"a\n"), output(b"a\n"), output(b"a\n", b"2"), ["pass", "fail"]),
        (output(b"a\n"), output(b"a\n"), output(b"a\n", None), ["pass", "fail"]),
        (output(b"a\n"), output(b"a\n"), output(b"a\n", ok=False), ["fail"]),
        (output(b"a\nt 1\n"), output(b"a\nt 2\n"), output(b"a\nt 3\n"), ["pass", "pass"]),
        (output(b"a\nt 1\n"), output(b"a\nt 2\n"), output(b"b\nt 3\n"), ["fail", "pass"]),
        (output(b"a\nt 1\n"), output(b"a\nt 2\n"), output(b"a\n"), ["fail", "pass"]),
        (output(b"t 1", None), output(b"t 2", None), output(b"t 3", None), ["unverified"] * 2),
        (output(b"", None), output(b"", None), output(b"", None), ["unverified"] * 2),
    ],
)
def test_outputs(first: Output, second: Output, found: Output, verdicts: list[str]) -> None:
    assert [one.verdict for one in compare_outputs(first, second, found)] == verdicts


# --- playing ------------------------------------------------------------------


class Stage:
    """Notes what is played; scenes of these names fail."""

    def __init__(self, folder: Path, *endless: str) -> None:
        self._folder, self._endless = folder, endless
        self.asked: list[tuple[list[str], dict[str, str], bool]] = []

    def play(self, scenes, *, variables, covered=False):
        self.asked.append(([scene.name for scene in scenes], dict(variables), covered))
        return [self._played(scene, len(self.asked)) for scene in scenes]

    def _played(self, scene: Scene, turn: int) -> Played:
        if scene.name in self._endless:
            return Played(failure=f"{scene.name} does not end")
        folder = self._folder / f"{turn}-{scene.name}"
        folder.mkdir()
        return Played(findings=(f"turn {turn}: {scene.name}",), folder=folder)


SCENES = [Scene("one"), Scene("loop"), Scene("two")]
LIMITS = {"VROCM_MOST_INSTRUCTIONS": "100000"}


def test_what_does_not_end_is_not_played_with_the_checks(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "loop")
    played = play_checked(stage.play, SCENES, LIMITS, CHECKS)
    assert stage.asked == [
        (["one", "loop", "two"], LIMITS, False),
        (["one", "two"], {**CHECKS, **LIMITS}, True),
    ]
    assert [one.failure for one in played] == [None, "loop does not end", None]
    assert [one.findings for one in played] == [("turn 2: one",), (), ("turn 2: two",)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2-one", "2-two"]


def test_where_nothing_ends_nothing_is_checked(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "one", "loop", "two")
    assert all(one.failure for one in play_checked(stage.play, SCENES, LIMITS, CHECKS))
    assert len(stage.asked) == 1


def test_a_device_without_checks_is_asked_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    played = play_checked(stage.play, SCENES, LIMITS, {})
    assert stage.asked == [(["one", "loop", "two"], LIMITS, True)]
    assert all(one.folder is not None and one.folder.is_dir() for one in played)
