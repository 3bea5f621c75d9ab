"""Which values, places and contents are tried, without a device."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest
from trial_support import ARGUMENTS, IN, OUT, argument, capture_of, content, maker, moved, number

from rocm_perf_lab.prove.oracle.numbers.element_type import TYPES
from rocm_perf_lab.prove.oracle.numbers.mutation import boundaries, with_values
from rocm_perf_lab.prove.oracle.passed.arguments import Field
from rocm_perf_lab.prove.oracle.passed.buffers import buffers_of
from rocm_perf_lab.prove.oracle.scene import FEWER_ITEMS, ODD_BLOCKS, SMALL_BLOCKS
from rocm_perf_lab.prove.oracle.trials.elsewhere import APART, GROWTH, elsewhere
from rocm_perf_lab.prove.oracle.trials.trials import TrialMaker
from rocm_perf_lab.prove.oracle.trials.values import (
    departures_of,
    more_of,
    near_as_float,
    near_as_number,
    other_values,
    wants_more_work,
)
from rocm_perf_lab.replay.capture import Capture

MORE = "more of argument 2 than work-items"

# --- elsewhere ----------------------------------------------------------------


def test_buffers_grow_without_repeating_themselves() -> None:
    capture = capture_of()
    there = moved(capture)
    first = there.places[0].content
    assert len(first) == GROWTH * 4000
    assert np.array_equal(first[:4000], content(None))
    assert not np.array_equal(first[:4000], first[4000:8000])
    ends = sorted((one.base, one.base + len(one.content)) for one in there.places)
    assert all(one[1] < other[0] for one, other in zip(ends, ends[1:]))
    assert ends[-1][1] < OUT
    for moved_to, step in zip(there.moved, (0, 4, 0)):
        led = [int.from_bytes(bytes(one.content), "little") for one in moved_to.leading]
        assert led == [one.address for one in moved_to.buffers]
        assert {address % (2 << 20) for address in led} == {step}
    held = {one.base: one.content for one in there.places}
    for one, other in zip(there.moved[0].buffers, there.moved[1].buffers):
        assert np.array_equal(held[one.address], held[other.address])


def test_far_larger_buffers_hold_more_than_16_bits_count() -> None:
    capture = capture_of()
    far = moved(capture).moved[2]
    assert far.growth * 1000 > 1 << 17
    assert [one.size for one in far.buffers] == [far.growth * 4000] * 2
    scenes = [scene for scene in maker(capture).fixed() if scene.setting == 3]
    assert [scene.kind for scene in scenes] == ["sizes"] * 2
    wide = next(scene for scene in scenes if scene.shape is not None)
    assert wide.shape is not None
    assert wide.shape.grid[0] >= far.growth * 1000 - 1
    assert not [one for one in maker(capture, work=10_000).fixed() if one.setting == 3]


def test_zeros_of_a_structure_change_among_others() -> None:
    """A fault behind one field may show only with another one that the application leaves 0."""
    packed = struct.pack("<ifff", 0, 0.0, 2.5, 0.0)
    shape = [
        argument(0, 8, "global_buffer"),
        argument(8, 8, "global_buffer"),
        argument(16, 16, "by_value"),
    ]
    capture = capture_of("k(float*, float const*, Params)", packed, shape)
    scenes = [one for one in maker(capture).fixed() if one.name.endswith("among others")]
    place = ARGUMENTS + 0x100 + 16
    for offset in (0, 4, 12):
        found = {
            bytes(edit.content)
            for scene in scenes
            for edit in scene.edits
            if edit.address == place + offset
        }
        assert len(found) > 10


def test_a_small_number_is_asked_strictly_and_a_size_with_a_larger_launch() -> None:
    scenes = {
        scene.name: scene for scene in maker(capture_of(values=struct.pack("<if", 3, 2.5))).fixed()
    }
    assert not scenes["argument 2 = 5"].optional
    scenes = {scene.name: scene for scene in maker(capture_of()).directed((1500,))}
    assert scenes["argument 2 = 1500"].optional
    wide = next(one for name, one in scenes.items() if "argument 2 = 1500" in name and one.shape)
    assert not wide.optional
    bits = struct.unpack("<i", struct.pack("<f", 1.5))[0]
    word = number(bits, None)
    assert not wants_more_work(word, bits + 1)


def test_numbers_of_64_bits_differ_in_the_upper_half() -> None:
    """A launch with some more workgroups tells a size from a number that is used as it is."""
    sizes = [argument(0, 8, "global_buffer"), argument(8, 8, "global_buffer")]
    capture = capture_of(
        "k(float*, float const*, unsigned long)",
        struct.pack("<Q", 1000),
        [*sizes, argument(16, 8, "by_value")],
    )
    value = 1000 + (1 << 32)
    scenes = {one.name: one for one in maker(capture).fixed() if str(value) in one.name}
    assert scenes[f"argument 2 = {value}"].optional
    moved_to = scenes[f"argument 2 = {value}, buffers elsewhere"]
    assert not moved_to.optional
    (wide,) = moved_to.same_as
    shape = scenes[wide].shape
    assert shape is not None
    assert shape.grid == (GROWTH * 1024, 1, 1)


def test_no_launch_is_larger_than_its_buffers() -> None:
    """The bits of a float are a large number where nobody knows the type."""
    shape = [
        argument(0, 8, "global_buffer"),
        argument(8, 8, "global_buffer"),
        argument(16, 8, "by_value"),
    ]
    capture = capture_of("k(float*, float const*, Params)", struct.pack("<ii", 64, 2), shape)
    near = [one for one in maker(capture).fixed() if one.setting in (1, 2)]
    sizes = [one.shape.grid[0] for one in near if one.kind == "sizes" and one.shape]
    assert sizes
    assert max(sizes) <= GROWTH * 1024


def test_large_buffers_do_not_grow_far() -> None:
    capture = capture_of("k(float*, float const*, int, float)", struct.pack("<if", 1, 2.5))
    many = content(None).repeat(2000)
    large = [replace(one, size=len(many)) for one in buffers_of(capture, {})]
    there = elsewhere(capture, large, lambda _one: many, 0)
    assert there is not None
    assert [one.growth for one in there.moved] == [GROWTH, GROWTH]


def test_two_pointers_to_one_buffer_stay_together() -> None:
    capture = met(capture_of())
    led = {bytes(one.content) for one in moved(capture).moved[0].leading}
    assert len(led) == 1


def met(capture: Capture) -> Capture:
    """Both pointers lead to one buffer."""
    capture.kernarg = struct.pack("<QQ", OUT, OUT) + capture.kernarg[16:]  # type: ignore[misc]
    return capture


def test_pointers_that_meet_are_led_apart() -> None:
    capture = met(capture_of())
    there = moved(capture)
    apart = there.moved[-1]
    assert (apart.name, apart.growth) == (APART, 1)
    assert [one.place for one in apart.buffers] == [0, 8]
    assert apart.further == {8}
    led = [int.from_bytes(bytes(one.content), "little") for one in apart.leading]
    assert led == [one.address for one in apart.buffers]
    held = {one.base: one.content for one in there.places}
    first, further = (held[address] for address in led)
    assert np.array_equal(first, content(None))
    assert len(further) == len(first)
    assert not np.array_equal(further, first)
    scenes = [scene for scene in maker(capture).fixed() if scene.name.startswith(APART)]
    assert len(scenes) > 10
    assert not any(scene.optional for scene in scenes)
    varied = {edit.address for scene in scenes for edit in scene.edits}
    assert led[1] in varied


def test_pointers_that_do_not_meet_stay_where_they_are_led() -> None:
    assert all(one.name != APART for one in moved(capture_of()).moved)


def test_a_departure_is_the_same_for_all_values_and_shapes() -> None:
    """What a candidate does otherwise may show with some of them only."""
    size = number(1000)
    more, edge = more_of(size), "an end of n"
    assert departures_of(size, 1001) == departures_of(size, 1500) == {more}
    assert departures_of(size, (1 << 31) - 1) == {more, edge}
    assert departures_of(size, (1 << 32) - 1) == {edge}
    assert departures_of(size, 999) == frozenset()
    scenes = list(maker(capture_of()).fixed())
    for block, why in ((3, {SMALL_BLOCKS, ODD_BLOCKS}), (32, {SMALL_BLOCKS}), (96, {ODD_BLOCKS})):
        blocks = [one for one in scenes if one.name.startswith(f"as many blocks of {block} x")]
        assert blocks
        assert {one.departures for one in blocks} == {frozenset(why)}
    integers = maker(capture_of("k(int*, int const*, int, float)")).fixed()
    unless = {one.otherwise for one in (*scenes, *integers) if one.same_as}
    assert unless == {FEWER_ITEMS, MORE}


def test_one_workgroup_for_all_is_no_launch_of_a_host() -> None:
    """Also where two sizes together are as large as before, because one of them is 1."""
    sizes = [argument(8 * n, 8, "global_buffer") for n in range(2)]
    sizes += [argument(16, 4, "by_value"), argument(20, 4, "by_value")]
    capture = capture_of("k(float*, float const*, int, int)", struct.pack("<ii", 1000, 1), sizes)
    both = [one for one in maker(capture).fixed() if " and argument 3 = 1, " in one.name]
    alone = [one for one in both if one.shape is not None]
    assert alone
    assert all(FEWER_ITEMS in one.departures for one in alone)


def test_far_larger_limits_meet_elements_of_every_size() -> None:
    capture = capture_of("k(int*, int const*, int, float)")
    names = [one.name for one in maker(capture).fixed() if one.setting == 3]
    assert any(", integers of every size, " in name for name in names)


def test_integers_only_change_places_when_they_grow() -> None:
    capture = capture_of("k(int*, int const*, int, float)")
    whole = np.arange(1000, dtype="<i4").view(np.uint8)
    there = elsewhere(capture, buffers_of(capture, {}), lambda _one: whole, 0)
    assert there is not None
    values = there.places[0].content.view("<i4")
    assert set(values) == set(range(1000))
    assert not np.array_equal(values[:1000], values[1000:2000])


# --- contents and all of it ---------------------------------------------------


@pytest.mark.parametrize("name", ["i32", "u8", "i64", "f32"])
def test_values_are_put_among_the_others(name: str) -> None:
    kind = TYPES[name]
    old = np.zeros(3000 * kind.size, dtype=np.uint8)
    new = with_values(kind, old, (5, 7), 1).view(f"<u{kind.size}")
    assert set(new) == {0, 5, 7}
    assert 800 < np.count_nonzero(new) < 1200
    every = with_values(kind, old, (5, 7), 1, 1).view(f"<u{kind.size}")
    assert set(every) == {5, 7}
    assert np.array_equal(with_values(kind, old, (5, 7), 1), with_values(kind, old, (5, 7), 1))
    assert len(boundaries(kind)) >= 4


def test_content_of_no_known_type_changes_places_and_lowest_bits() -> None:
    capture = capture_of("k(void*, void const*, int, float)")
    held = np.arange(4000, dtype=np.uint8)
    maker = TrialMaker(capture, buffers_of(capture, {}), lambda _: held, (), None)
    scenes = {one.name: one for one in maker.fixed() if one.kind == "inputs"}
    assert not any(name.startswith(("boundary", "tiny")) for name in scenes)
    words = [bytes(edit.content) for edit in scenes["input: random"].edits]
    assert len(words) == 2
    for content_of_one in words:
        assert content_of_one != held.tobytes()
        pieces = np.frombuffer(content_of_one, "<u8")
        assert sorted(pieces) == sorted(held.view("<u8"))
    (edit,) = scenes["lowest bits in argument 1"].edits
    changed = np.asarray(edit.content) ^ held
    assert set(changed[::4]) == {0, 1}
    assert not changed.reshape(-1, 4)[:, 1:].any()
    directed = list(maker.directed((77,)))
    assert not any(" in argument" in one.name for one in directed)


def test_every_kind_of_trial_is_among_the_first() -> None:
    scenes = maker(capture_of()).fixed()
    kinds = {"inputs", "sizes", "scalars", "launch shapes", "addresses", "null pointers"}
    assert kinds <= {scene.kind for scene in scenes[:10]}
    assert "launch sequence" in {scene.kind for scene in scenes}
    names = [scene.name for scene in scenes]
    assert len(set(names)) == len(names)


def test_random_trials_follow_from_their_seed() -> None:
    made = maker(capture_of())

    def bits(seed: int) -> list[object]:
        return [
            (scene.shape, [(edit.address, bytes(edit.content)) for edit in scene.edits])
            for scene in made.random(seed)
        ]

    assert bits(1) == bits(1)
    assert bits(1) != bits(2)


def test_constants_of_the_code_are_tried_everywhere() -> None:
    scenes = list(maker(capture_of()).directed((777,)))
    names = {scene.name for scene in scenes}
    assert {
        "argument 2 = 777",
        "argument 2 = 776",
        "values near 777 as a number in argument 1",
        "nothing but values near 777 as a number in argument 1",
    } <= names
    assert "argument 3 = 777" in names
    assert all(scene.kind == "directed" for scene in scenes)


def test_every_argument_has_its_turn() -> None:
    """Long loops may use up the work that there is: not before each has been tried."""
    names = [one.name for one in maker(capture_of()).directed((77, 5000))]
    first = {name.partition(" = ")[0] for name in names[:12]}
    assert {"argument 2", "argument 3"} <= first
    assert any(name.startswith("values near 77") for name in names[:12])


def test_constants_are_tried_with_integers_of_every_size() -> None:
    """Nothing is kept above a limit of 5500 where all elements are small."""
    capture = capture_of("k(int*, int const*, int, float)")
    held = np.arange(1000, dtype="<i4").view(np.uint8)
    made = TrialMaker(capture, buffers_of(capture, {})[1:], lambda _: held, (), None)
    scenes = {one.name: one for one in made.directed([500])}
    scene = scenes["argument 2 = 500, integers of every size"]
    element = next(edit.content for edit in scene.edits if edit.address == IN).view("<i4")
    assert element.max() > 1 << 20
    assert not any("every size" in one.name for one in maker(capture_of()).directed([500]))


def test_a_size_that_needs_room_is_tried_where_there_is_some() -> None:
    scenes = {scene.name: scene for scene in maker(capture_of()).directed((1500,))}
    assert scenes["argument 2 = 1500"].setting == 1
    assert scenes["argument 2 = 1500 among others"].setting == 1
    near = next(scene for scene in maker(capture_of()).fixed() if scene.name == "argument 2 = 1")
    around = list(maker(capture_of()).around(near, (1500,)))
    names = [scene.name for scene in around]
    assert len(set(names)) == len(names)
    assert not [name for name in names if name.endswith("argument 2 = 1500")]
    assert all(scene.edits[: len(near.edits)] == near.edits for scene in around)


def test_values_among_others_change_every_number_that_is_no_size() -> None:
    capture = capture_of()
    scenes = {scene.name: scene for scene in maker(capture).fixed()}
    alone, others = scenes["argument 3 = 1"], scenes["argument 3 = 1 among others"]
    assert others.edits[: len(alone.edits)] == alone.edits
    assert len(others.edits) > len(alone.edits)
    size = ARGUMENTS + 0x100 + 16
    assert size not in {edit.address for edit in others.edits}


def test_neighbours_of_a_float_are_trials_of_their_own() -> None:
    bits = 0x3F06_6666  # 0.525
    one = Field("x", 0, 4, TYPES["f32"], 0)
    assert {bits - 1, bits, bits + 1} <= set(other_values(one, (bits,)))
    capture = capture_of(values=struct.pack("<if", 3, 2.5))
    names = [scene.name for scene in maker(capture).directed((bits,))]
    assert len(names) == len(set(names))
    alone = [name for name in names if "= 0.52" in name and "others" not in name]
    assert len(alone) == 3, names


def test_a_float_is_not_tried_among_large_numbers() -> None:
    constant = 0xC0F0_0000  # -7.5, or a large number
    numbers = [
        np.abs(TYPES["f32"].decode(np.array(values, dtype="<u4").view(np.uint8))).max()
        for values in (
            near_as_float(TYPES["f32"], constant),
            near_as_number(TYPES["f32"], constant),
        )
    ]
    assert numbers[0] < 8 < 1e9 < numbers[1]
    scenes = [one.name for one in maker(capture_of()).directed((constant,)) if "near" in one.name]
    assert any("as a float" in name for name in scenes)
    assert any("as a number" in name for name in scenes)
