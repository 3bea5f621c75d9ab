"""What a dispatch is passed, and in which shapes it is launched, without a device."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trial_support import ARGUMENTS, IN, OUT, argument, capture_of, moved, number

from rocm_perf_lab.prove.oracle.numbers.element_type import F32
from rocm_perf_lab.prove.oracle.passed.arguments import fields_of, pointers_of, signed
from rocm_perf_lab.prove.oracle.passed.buffers import buffers_of
from rocm_perf_lab.prove.oracle.trials.elsewhere import GROWTH
from rocm_perf_lab.prove.oracle.trials.shapes import (
    captured_shape,
    groups_of,
    other_shapes,
    shape_edits,
)
from rocm_perf_lab.prove.oracle.trials.values import (
    is_edge,
    larger_values,
    other_values,
    smaller_values,
)

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


@pytest.mark.parametrize("first", [False, True])
def test_a_pointer_in_a_structure_does_not_hide_the_type_of_an_argument(first: bool) -> None:
    """Whichever of the two comes first."""
    passed = ("k(View, float*)", (16, 8)) if first else ("k(float*, View)", (8, 16))
    kinds = {16: "by_value", 8: "global_buffer"}
    places = (0, passed[1][0])
    shape = [argument(at, size, kinds[size]) for at, size in zip(places, passed[1])]
    capture = capture_of(passed[0], struct.pack("<Q", OUT), shape)
    view = struct.pack("<Qi4x", OUT, 7)
    pointer = struct.pack("<Q", OUT)
    held = view + pointer if first else pointer + view
    capture.kernarg = held + bytes(64)  # type: ignore[misc]
    (buffer,) = buffers_of(capture, {})
    assert (buffer.address, buffer.element, buffer.source) == (OUT, F32, "signature")
    led = {edit.address - ARGUMENTS - 0x100 for edit in moved(capture).moved[0].leading}
    assert led == set(places)


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
