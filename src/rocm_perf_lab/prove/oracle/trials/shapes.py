"""Other shapes of a launch: more or fewer workgroups, larger or smaller ones. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional

from rocm_perf_lab.prove.oracle.passed.arguments import argument_edit, arguments_address
from rocm_perf_lab.prove.oracle.scene import ODD_BLOCKS, SMALL_BLOCKS, Departures
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.scenes import Edit, Shape

_AXES = "xyz"
_WAVE = 64  # a host that launches smaller blocks does so on purpose
_MOST_BLOCK = 1024
_POWERS = tuple(1 << bits for bits in range(11))
_ODD = (3, 7, 24, 96, 200)  # work-items in a row
_FURTHER = (2,)  # rows of work-items along an axis that has one: buffers have room for three
Sizes = tuple[int, int, int]


def captured_shape(capture: Capture) -> Shape:
    return Shape(capture.dispatch.grid, capture.dispatch.block)


def other_shapes(capture: Capture) -> tuple[tuple[str, Shape, Departures], ...]:
    """With a name each, and why a host may never launch that: blocks of less than a wave, and of no
    power of two, for which reductions in trees are not right. Workgroups are added and left out
    along each axis."""
    return (
        *((name, shape, _departures(shape.block)) for name, shape in _other_blocks(capture)),
        *((name, shape, frozenset()) for name, shape in _other_grids(capture)),
    )


def grid_shape(capture: Capture, axis: int, groups: int) -> Shape:
    """Another number of whole workgroups along one axis."""
    dispatch = capture.dispatch
    return Shape(_with(dispatch.grid, axis, groups * dispatch.block[axis]), dispatch.block)


def one_wave(capture: Capture) -> Optional[Shape]:
    """One workgroup of one wave, along the axes of the captured one; None where the kernel asks for
    more."""
    block = capture.dispatch.block
    if _items(block) > _WAVE and capture.kernel.required_workgroup_size is not None:
        return None
    while _items(block) > _WAVE:
        axis = block.index(max(block))
        block = _with(block, axis, block[axis] // 2)
    return Shape(block, block)


def groups_of(capture: Capture) -> Sizes:
    dispatch = capture.dispatch
    x, y, z = (-(-grid // block) for grid, block in zip(dispatch.grid, dispatch.block))
    return x, y, z


def shape_edits(capture: Capture, shape: Shape) -> tuple[Edit, ...]:
    """Of the hidden arguments, which tell the kernel its own shape."""
    if arguments_address(capture) is None:
        return ()
    edits = []
    for argument in capture.kernel.arguments:
        value = _hidden_value(argument.value_kind, shape)
        if value is not None:
            content = value.to_bytes(argument.size, "little")
            edits.append(argument_edit(capture, argument.offset, content))
    return tuple(edits)


def _hidden_value(kind: str, shape: Shape) -> Optional[int]:
    axis = _AXES.find(kind[-1])
    if axis < 0 or not kind.startswith("hidden_"):
        return None
    grid, block = shape.grid[axis], shape.block[axis]
    return {
        f"hidden_block_count_{_AXES[axis]}": grid // block,
        f"hidden_group_size_{_AXES[axis]}": block,
        f"hidden_remainder_{_AXES[axis]}": grid % block,
    }.get(kind)


def _other_grids(capture: Capture) -> Iterator[tuple[str, Shape]]:
    groups = groups_of(capture)
    for axis in range(3):
        count = groups[axis]
        if count == 1 and axis > 0 and not _uses_groups(capture, axis):
            continue
        for other in sorted({1, 2, 3, count - 1, count + 1, 2 * count, 2 * count + 1} - {count, 0}):
            if other <= 2 * count + 1:
                name = f"{other} instead of {count} workgroups along {_AXES[axis]}"
                yield name, grid_shape(capture, axis, other)


def _other_blocks(capture: Capture) -> Iterator[tuple[str, Shape]]:
    dispatch = capture.dispatch
    block = dispatch.block
    total = _items(block)
    if capture.kernel.required_workgroup_size is not None:
        return
    most = min(_MOST_BLOCK, capture.kernel.max_workgroup_size or _MOST_BLOCK)
    dynamic = max(0, dispatch.group_segment_size - capture.kernel.lds_bytes)
    for axis in range(3):
        size = block[axis]
        if size & (size - 1) or (size == 1 and not _uses_items(capture, axis)):
            continue
        groups = dispatch.grid[axis] // size
        others = (*sorted(_POWERS, key=lambda one: _distance(one, size)), *_ODD)
        for other in others if size > 1 else _FURTHER:
            workers = total // size * other
            if other == size or workers > most:
                continue
            changed = _with(block, axis, other)
            more_lds = max(0, dynamic * other // size - dynamic)
            if dispatch.grid[axis] % other == 0:
                yield f"blocks of {_text(changed)}", Shape(dispatch.grid, changed, more_lds)
            as_many = _with(dispatch.grid, axis, groups * other)
            yield f"as many blocks of {_text(changed)}", Shape(as_many, changed, more_lds)


def _uses_groups(capture: Capture, axis: int) -> bool:
    """Whether the captured code tells workgroups apart along an axis, however few were launched: a
    batch of one is launched with two elsewhere."""
    descriptor = capture.kernel.descriptor
    if capture.dispatch.block[axis] > 1:
        return True
    return descriptor is not None and descriptor.workgroup_id_axes[axis]


def _uses_items(capture: Capture, axis: int) -> bool:
    """Likewise work-items, along an axis of which the launch has one row only."""
    descriptor = capture.kernel.descriptor
    return axis > 0 and descriptor is not None and descriptor.workitem_id_dimensions > axis


def _distance(one: int, other: int) -> float:
    """Of powers of two, in doublings; a larger one comes before a smaller one."""
    doublings = one.bit_length() - other.bit_length()
    return abs(doublings) - (0.5 if doublings > 0 else 0.0)


def _with(sizes: Sizes, axis: int, value: int) -> Sizes:
    x, y, z = (value if at == axis else one for at, one in enumerate(sizes))
    return x, y, z


def _departures(block: Sizes) -> Departures:
    items = _items(block)
    small = [SMALL_BLOCKS] if items < _WAVE else []
    return frozenset([*small, ODD_BLOCKS] if items & (items - 1) else small)


def _items(sizes: Sizes) -> int:
    return sizes[0] * sizes[1] * sizes[2]


def _text(sizes: Sizes) -> str:
    return " x ".join(map(str, sizes))
