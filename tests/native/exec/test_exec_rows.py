"""Rows of lanes one behind the other, and lanes that almost are: what moves as a whole is the same
memory that the lanes would have moved one by one."""

from __future__ import annotations

import numpy as np
import pytest
from exec_memory_kernels import FILL, REGION, load_text, memory_kernel, run, store_text
from exec_support import Buffer, Code, build, needs_harness

pytestmark = needs_harness

SPACES = ("global_saddr", "global_vaddr", "ds")
WIDTHS = {1: "b32", 2: "b64", 3: "b96", 4: "b128"}  # dwords, and DS's name of them
ALL = (1 << 64) - 1
LDS_OFFSET = 1024


def _operation(space: str, kind: str, dwords: int) -> str:
    if space == "ds":
        return f"ds_{'read' if kind == 'load' else 'write'}_{WIDTHS[dwords]}"
    return f"global_{kind}_dword" + (f"x{dwords}" if dwords > 1 else "")


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Code:
    kernels = []
    for space in SPACES:
        for dwords in WIDTHS:
            load = load_text(space, _operation(space, "load", dwords), dwords)
            store = store_text(space, _operation(space, "store", dwords), dwords)
            kernels.append(memory_kernel(f"{space}_load{dwords}", space, load))
            kernels.append(memory_kernel(f"{space}_store{dwords}", space, store))
    far = load_text("ds", "ds_read_b32", 1) + f" offset:{LDS_OFFSET}"
    kernels.append(memory_kernel("ds_far", "ds", far))
    return build("".join(kernels), tmp_path_factory.mktemp("rows"), "assembler")


def _patterns(width: int) -> dict[str, tuple[np.ndarray, int]]:
    row, beside = np.arange(64) * width, 64 * width + 32
    patterns = {"row": (row, ALL), "backwards": (row[::-1].copy(), ALL)}
    patterns["apart"] = (np.arange(64) * (width + 4), ALL)
    patterns["closer"] = (np.arange(64) * (width - 1), ALL)
    for lane in (0, 1, 31, 62, 63):
        moved = row.copy()
        moved[lane] = beside
        patterns[f"lane {lane} elsewhere"] = (moved, ALL)
        patterns[f"lane {lane} off"] = (moved, ALL ^ 1 << lane)
    sixteens = np.repeat(np.array([3, 1, 0, 2]) * 260 + 4, 16)
    patterns["sixteens"] = (sixteens, ALL)
    patterns["sixteens with gaps"] = (sixteens, ALL ^ 1 << 17)
    for lane in (1, 15, 16, 40, 62):
        patterns[f"sixteens but lane {lane}"] = (np.where(row == row[lane], 8, sixteens), ALL)
    draw = np.random.default_rng(width)
    for lane in range(0, 64, 7):
        mask = int(draw.integers(1, 1 << 63)) | 1 << lane
        is_on = np.array([mask >> lane & 1 for lane in range(64)], bool)
        # What is switched off points anywhere.
        patterns[f"some with {lane}"] = (np.where(is_on, row + 64, 1 << 30), mask)
        moved = np.where(np.arange(64) == lane, beside, row)
        patterns[f"some but {lane} elsewhere"] = (np.where(is_on, moved, 1 << 30), mask)
    patterns["swapped within"] = (np.r_[row[:20], row[21], row[20], row[22:]], ALL)
    for shift in (1, 2, 4, 8, 12):
        patterns[f"row at {shift}"] = (row + shift, ALL)
        patterns[f"some at {shift}"] = (row + shift, 0x7FFF_F00F_FFFF_0FF8)
        patterns[f"first half at {shift}"] = (np.where(row < 32 * width, row, row + shift), ALL)
    return patterns


def _region() -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, REGION, dtype=np.uint8)


def _data() -> np.ndarray:
    return np.random.default_rng(4).integers(0, 1 << 32, (64, 4), dtype=np.uint32)


@pytest.mark.parametrize("dwords", WIDTHS)
@pytest.mark.parametrize("space", SPACES)
def test_loads(code: Code, space: str, dwords: int) -> None:
    region = _region()
    for label, (offsets, mask) in _patterns(dwords * 4).items():
        expected = np.full((64, 4), FILL, np.uint32)
        for lane in (lane for lane in range(64) if mask >> lane & 1):
            raw = region[offsets[lane] : offsets[lane] + dwords * 4]
            expected[lane, :dwords] = np.frombuffer(raw.tobytes(), np.uint32)
        outcome = run(code, f"{space}_load{dwords}", region, offsets, _data(), mask)
        np.testing.assert_array_equal(outcome.results, expected, label)


@pytest.mark.parametrize("dwords", WIDTHS)
@pytest.mark.parametrize("space", SPACES)
def test_stores(code: Code, space: str, dwords: int) -> None:
    data = _data()
    for label, (offsets, mask) in _patterns(dwords * 4).items():
        expected = _region()
        for lane in (lane for lane in range(64) if mask >> lane & 1):
            raw = np.frombuffer(data[lane, :dwords].tobytes(), np.uint8)
            expected[offsets[lane] : offsets[lane] + dwords * 4] = raw
        outcome = run(code, f"{space}_store{dwords}", _region(), offsets, data, mask)
        np.testing.assert_array_equal(outcome.region, expected, label)


@pytest.mark.parametrize("before", [0, 4, 128, 256])
def test_a_row_in_lds_whose_addresses_wrap_around(code: Code, before: int) -> None:
    """With the offset all lie inside, whichever of them are below zero without it."""
    region = _region()
    offsets = np.arange(64) * 4 - before
    outcome = run(code, "ds_far", region, offsets, _data(), ALL)
    expected = region.view(np.uint32)[(offsets + LDS_OFFSET) // 4]
    np.testing.assert_array_equal(outcome.results[:, 0], expected)


@pytest.mark.parametrize("mask", [ALL << 8 & ALL, ALL >> 8, 0x7FFF_0180_00FF_FE00])
@pytest.mark.parametrize("space", ["global_saddr", "global_vaddr"])
def test_lanes_that_are_off_may_lie_outside(code: Code, space: str, mask: int) -> None:
    """At both ends of memory: eight lanes of the row would lie before it, or behind it."""
    memory = Buffer.unwritten(REGION, "whole pages")
    assert memory.address % 4096 == 0
    assert REGION % 4096 == 0
    lanes = np.arange(64)
    is_on = np.array([mask >> lane & 1 for lane in range(64)], bool)
    for begin in (-32, REGION - 4 * 56):
        offsets = begin + 4 * lanes
        taken = is_on & (offsets >= 0) & (offsets < REGION)
        memory.array[:] = _region()
        at, data = Buffer(offsets.astype(np.uint32)), Buffer(_data())
        results = Buffer(np.zeros((64, 4), np.uint32))
        active = sum(1 << int(lane) for lane in lanes[taken])
        arguments = [memory.address, at, data, results, active]
        code.run(f"{space}_load1", 64, 64, arguments)
        expected = np.full(64, FILL, np.uint32)
        expected[taken] = _region().view(np.uint32)[offsets[taken] // 4]
        np.testing.assert_array_equal(results.array[:, 0], expected)
        code.run(f"{space}_store1", 64, 64, arguments)
        stored = _region().view(np.uint32)
        stored[offsets[taken] // 4] = data.array[taken, 0]
        np.testing.assert_array_equal(memory.array.view(np.uint32), stored)
        for buffer in (at, data, results):
            buffer.free()
    memory.free()


@pytest.mark.parametrize("dwords", WIDTHS)
@pytest.mark.parametrize("before", [0, 8, 256])
def test_a_row_across_four_gigabytes(code: Code, dwords: int, before: int) -> None:
    """The high halves of its addresses differ."""
    memory = Buffer.unwritten((1 << 32) + 2 * REGION, "large")
    border = (memory.address + before + (1 << 32) - 1) >> 32 << 32
    at = border - before - memory.address
    region = memory.array[at : at + REGION]
    region[:] = _region()
    offsets = Buffer((np.arange(64) * dwords * 4).astype(np.uint32))
    data, results = Buffer(_data()), Buffer(np.zeros((64, 4), np.uint32))
    arguments = [memory.address + at, offsets, data, results, ALL]
    code.run(f"global_vaddr_load{dwords}", 64, 64, arguments)
    expected = _region()[: 256 * dwords].view(np.uint32).reshape(64, dwords)
    np.testing.assert_array_equal(results.array[:, :dwords], expected)
    code.run(f"global_vaddr_store{dwords}", 64, 64, arguments)
    stored = region[: 256 * dwords].view(np.uint32).reshape(64, dwords)
    np.testing.assert_array_equal(stored, data.array[:, :dwords])
    some = 0x7FFF_F00F_FFFF_0FF8
    results.array[:] = 0
    code.run(f"global_vaddr_load{dwords}", 64, 64, [*arguments[:-1], some])
    is_on = np.array([some >> lane & 1 for lane in range(64)], bool)
    np.testing.assert_array_equal(results.array[is_on, :dwords], stored[is_on])
    assert (results.array[~is_on] == FILL).all()
    for buffer in (memory, offsets, data, results):
        buffer.free()


@pytest.mark.parametrize("mask", [ALL, ALL ^ 1 << 40])
@pytest.mark.parametrize("space", ["global_saddr", "global_vaddr"])
def test_eight_lanes_four_gigabytes_behind(code: Code, space: str, mask: int) -> None:
    """The low halves of all addresses, or of all offsets, follow each other nevertheless."""
    far = 1 << 32
    memory = Buffer.unwritten(far + REGION, "large")
    front, back = (memory.array[at : at + 256].view(np.uint32) for at in (0, far - 32))
    front[:], back[:] = np.arange(64), np.arange(100, 164)
    offsets = Buffer((np.arange(64) * 4 - 32).astype(np.uint32))
    data, results = Buffer(_data()), Buffer(np.zeros((64, 4), np.uint32))
    code.run(f"{space}_load1", 64, 64, [memory.address, offsets, data, results, mask])
    expected = np.r_[back[:8], front[:56]]
    expected[[lane for lane in range(64) if not mask >> lane & 1]] = FILL
    np.testing.assert_array_equal(results.array[:, 0], expected)
    for buffer in (memory, offsets, data, results):
        buffer.free()
