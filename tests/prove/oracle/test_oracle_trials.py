"""Which values, shapes, places and contents are tried, without a device."""

from __future__ import annotations

import struct
from dataclasses import replace
from types import SimpleNamespace
from typing import Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.prove.oracle.buffers import buffers_of
from rocm_perf_lab.prove.oracle.numbers.element_type import F32, TYPES, Bytes
from rocm_perf_lab.prove.oracle.numbers.mutation import boundaries, with_values
from rocm_perf_lab.prove.oracle.trials.arguments import Field, fields_of, pointers_of, signed
from rocm_perf_lab.prove.oracle.trials.elsewhere import GROWTH, Elsewhere, elsewhere
from rocm_perf_lab.prove.oracle.trials.shapes import (
    captured_shape,
    groups_of,
    other_shapes,
    shape_edits,
)
from rocm_perf_lab.prove.oracle.trials.trials import TrialMaker
from rocm_perf_lab.prove.oracle.trials.values import (
    is_edge,
    larger_values,
    near_as_float,
    near_as_number,
    other_values,
    smaller_values,
    wants_more_work,
)
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.capture_schema import RegionEntry

OUT, IN, ARGUMENTS = 0x7000_0000, 0x7010_0000, 0x7020_0000


def region(base: int, size: int) -> RegionEntry:
    return RegionEntry(
        base=base, size=size, kind="device", is_pool=True, is_vmem=False,
        contains_kernarg=False, handle=0, access=3,
    )  # fmt: skip


def argument(offset: int, size: int, kind: str) -> SimpleNamespace:
    return SimpleNamespace(offset=offset, size=size, value_kind=kind)


def capture_of(
    name: str = "k(float*, float const*, int, float)",
    values: bytes = struct.pack("<if", 1000, 2.5),
    visible: Optional[list[SimpleNamespace]] = None,
    block: tuple[int, int, int] = (256, 1, 1),
    most: int = 1024,
    group_axes: tuple[bool, bool, bool] = (True, False, False),
    item_axes: int = 1,
) -> Capture:
    pointers = struct.pack("<QQ", OUT, IN)
    own = visible or [
        argument(0, 8, "global_buffer"),
        argument(8, 8, "global_buffer"),
        argument(16, 4, "by_value"),
        argument(20, 4, "by_value"),
    ]
    hidden = [
        argument(24, 4, "hidden_block_count_x"),
        argument(28, 4, "hidden_block_count_y"),
        argument(36, 2, "hidden_group_size_x"),
        argument(42, 2, "hidden_remainder_x"),
    ]
    return SimpleNamespace(  # type: ignore[return-value]
        regions=(region(OUT, 4000), region(IN, 4000), region(ARGUMENTS, 4096)),
        kernel=SimpleNamespace(
            visible_arguments=tuple(own),
            arguments=(*own, *hidden),
            required_workgroup_size=None,
            max_workgroup_size=most,
            lds_bytes=0,
            descriptor=SimpleNamespace(
                workgroup_id_axes=group_axes, workitem_id_dimensions=item_axes
            ),
        ),
        dispatch=SimpleNamespace(
            demangled_name=name,
            kernarg_address=ARGUMENTS + 0x100,
            grid=(1024, 1, 1),
            block=block,
            group_segment_size=0,
        ),
        kernarg=pointers + values + bytes(64),
    )


def content(_buffer: object) -> Bytes:
    return F32.encode(np.random.default_rng(3).standard_normal(1000))


def moved(capture: Capture) -> Elsewhere:
    found = elsewhere(capture, buffers_of(capture, {}), content, 0)
    assert found is not None
    return found


# --- arguments ----------------------------------------------------------------


def test_numbers_among_the_arguments_have_their_types() -> None:
    fields = fields_of(capture_of())
    found = [(one.name, one.element and one.element.name, one.value) for one in fields]
    assert found == [("argument 2", "i32", 1000), ("argument 3", "f32", 0x4020_0000)]
    assert [one.value for one in pointers_of(capture_of())] == [OUT, IN]


def test_a_structure_is_words_and_its_pointers_are_no_numbers() -> None:
    packed = struct.pack("<QiiB3x", IN + 16, 7, -1, 3)
    shape = [
        argument(0, 8, "global_buffer"),
        argument(8, 8, "global_buffer"),
        argument(16, 20, "by_value"),
    ]
    fields = fields_of(capture_of("k(float*, float const*, Params)", packed, shape))
    assert [(one.name, signed(one)) for one in fields] == [
        ("argument 2, byte 8", 7),
        ("argument 2, byte 12", -1),
        ("argument 2, byte 16", 3),
    ]
    assert all(one.element is None for one in fields)


def test_pointers_in_a_structure_lead_to_buffers() -> None:
    packed = struct.pack("<QQi4x", OUT + 16, IN, 7)
    shape = [argument(0, 16, "by_value"), argument(16, 24, "by_value")]
    capture = capture_of("k(Two, Params)", packed, shape)
    found = [(one.name, one.offset, one.value) for one in pointers_of(capture)]
    assert found == [
        ("argument 0, byte 0", 0, OUT),
        ("argument 0, byte 8", 8, IN),
        ("argument 1, byte 0", 16, OUT + 16),
        ("argument 1, byte 8", 24, IN),
    ]
    buffers = buffers_of(capture, {})
    assert [(one.name, one.place, one.address, one.size) for one in buffers] == [
        ("argument 0, byte 0", 0, OUT, 16),
        ("argument 1, byte 0", 16, OUT + 16, 4000 - 16),
        ("argument 0, byte 8", 8, IN, 4000),  # and argument 1, byte 8
    ]
    assert {one.element for one in buffers} == {None}
    assert {one.element for one in buffers_of(capture, {0: F32})} == {F32, None}
    there = moved(capture).moved[0]
    led = {edit.address - ARGUMENTS - 0x100 for edit in there.leading}
    assert led == {0, 8, 16, 24}


def number(value: int, kind: Optional[str] = "i32") -> Field:
    element = None if kind is None else TYPES[kind]
    return Field("n", 0, 4, element, value & 0xFFFF_FFFF)


def test_sizes_around_every_power_of_two_are_tried() -> None:
    smaller = smaller_values(number(1000))
    assert {0, 1, 2, 3, 255, 256, 257, 511, 512, 513, 998, 999, 997, 500, 501} <= set(smaller)
    assert max(smaller) < 1000
    larger = larger_values(number(1000))
    assert {1001, 2000, 2001, 1023, 1024} <= set(larger)
    assert min(larger) > 1000
    assert max(larger) <= 2001
    assert smaller_values(number(-5)) == larger_values(number(0)) == ()


@given(st.integers(1, (1 << 30) - 1))
def test_smaller_ones_fit_and_larger_ones_fit_into_what_has_grown(value: int) -> None:
    assert all(0 <= one < value for one in smaller_values(number(value)))
    assert all(value < one <= GROWTH * value for one in larger_values(number(value)))


def test_ways_edges_and_constants_are_tried() -> None:
    ways = {one if one < 1 << 31 else one - (1 << 32) for one in other_values(number(2), (77,))}
    assert {0, 1, 3, 4, 16, -1, 76, 77, 78} <= ways
    assert 2 not in ways
    size = other_values(number(1000), (77, 5000))
    minus_one = (1 << 32) - 1
    assert set(size) == {76, 77, 78, minus_one}  # no size overflows when it is doubled
    assert is_edge(number(1000), minus_one)  # code may ask whether it is one, no host passes it
    assert not is_edge(number(1000), 78)
    assert not is_edge(number(2), minus_one)  # may name a way
    assert not is_edge(number(1000, "u32"), minus_one)
    assert minus_one not in other_values(number(1000, "u32"), (77,))
    edges = other_values(number(2), ())
    assert {(1 << 31) - 1, 1 << 31, (1 << 24) + 1} <= set(edges)
    floats = other_values(number(0x3F80_0000, "f32"), ())
    shown = {struct.unpack("<f", one.to_bytes(4, "little"))[0] for one in floats}
    assert {0.0, -1.0, 0.5} <= shown
    assert any(one != one for one in shown)
    assert float("inf") in shown
    assert any(0 < abs(one) < 1e-38 for one in shown)
    assert 0x3F80_0000 not in floats
    word = other_values(number(0, None), ())
    assert 1 in word
    assert 0x3F00_0000 in word  # 0.5, should it be a float


# --- shapes -------------------------------------------------------------------


def test_more_fewer_larger_and_smaller_workgroups() -> None:
    capture = capture_of()
    assert groups_of(capture) == (4, 1, 1)
    shapes = [shape for _, shape, _ in other_shapes(capture)]
    grids = {shape.grid[0] // 256 for shape in shapes if shape.block == (256, 1, 1)}
    assert grids == {1, 2, 3, 5, 8, 9}
    hosts = {shape.block[0] for _, shape, odd in other_shapes(capture) if not odd}
    assert hosts == {64, 128, 256, 512, 1024}
    odd = {shape.block[0] for _, shape, odd in other_shapes(capture) if odd}
    assert odd == {1, 2, 4, 8, 16, 32, 3, 7, 24, 96, 200}
    assert all(shape.grid[1:] == (1, 1) for shape in shapes)
    assert captured_shape(capture) not in shapes
    small = [shape.block[0] for _, shape, _ in other_shapes(capture_of(most=256))]
    assert max(small) == 256


@pytest.mark.parametrize(
    ("axes", "grids"),
    [
        ((True, False, False), {(1, 1)}),
        ((True, True, False), {(1, 1), (2, 1), (3, 1)}),
        ((True, True, True), {(1, 1), (2, 1), (3, 1), (1, 2), (1, 3)}),
    ],
)
def test_a_batch_of_one_is_launched_with_more_where_the_code_asks_which(
    axes: tuple[bool, bool, bool], grids: set[tuple[int, int]]
) -> None:
    shapes = [shape for _, shape, _ in other_shapes(capture_of(group_axes=axes))]
    assert {shape.grid[1:] for shape in shapes} == grids


def test_blocks_of_one_row_get_another_where_the_code_asks_which() -> None:
    def blocks(item_axes: int) -> set[tuple[int, int, int]]:
        found = other_shapes(capture_of(item_axes=item_axes))
        return {shape.block for _, shape, _ in found if shape.block[0] == 256}

    assert blocks(1) == {(256, 1, 1)}
    assert blocks(2) == {(256, 1, 1), (256, 2, 1)}
    assert blocks(3) == {(256, 1, 1), (256, 2, 1), (256, 1, 2)}
    rows = [s for _, s, _ in other_shapes(capture_of(item_axes=2)) if s.block == (256, 2, 1)]
    assert [shape.grid for shape in rows] == [(1024, 2, 1)]


def test_blocks_that_are_no_power_of_two_stay() -> None:
    shapes = [shape for _, shape, _ in other_shapes(capture_of(block=(96, 1, 1)))]
    assert {shape.block for shape in shapes} == {(96, 1, 1)}


def test_a_kernel_is_told_its_shape() -> None:
    capture = capture_of()
    shape = next(s for _, s, _ in other_shapes(capture) if s.block == (512, 1, 1))
    edits = {e.address - ARGUMENTS - 0x100: bytes(e.content) for e in shape_edits(capture, shape)}
    assert int.from_bytes(edits[24], "little") == shape.grid[0] // 512
    assert int.from_bytes(edits[36], "little") == 512
    assert int.from_bytes(edits[42], "little") == 0


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


def test_large_buffers_do_not_grow_far() -> None:
    capture = capture_of("k(float*, float const*, int, float)", struct.pack("<if", 1, 2.5))
    many = content(None).repeat(2000)
    large = [replace(one, size=len(many)) for one in buffers_of(capture, {})]
    there = elsewhere(capture, large, lambda _one: many, 0)
    assert there is not None
    assert [one.growth for one in there.moved] == [GROWTH, GROWTH]


def test_two_pointers_to_one_buffer_stay_together() -> None:
    capture = capture_of()
    capture.kernarg = struct.pack("<QQ", OUT, OUT) + capture.kernarg[16:]  # type: ignore[misc]
    led = {bytes(one.content) for one in moved(capture).moved[0].leading}
    assert len(led) == 1


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
    assert np.array_equal(with_values(kind, old, (5, 7), 1), with_values(kind, old, (5, 7), 1))
    assert len(boundaries(kind)) >= 4


def maker(capture: Capture, work: int = 0) -> TrialMaker:
    buffers = buffers_of(capture, {})
    return TrialMaker(capture, buffers[1:], content, (), moved(capture), work=work)


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
    } <= names
    assert "argument 3 = 777" in names
    assert all(scene.kind == "directed" for scene in scenes)


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
