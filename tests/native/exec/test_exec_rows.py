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
    patterns["swapped within"] = (np.r_[row[:20], row[21], row[20], row[22:]], ALL)
    for shift in (1, 2, 4, 8, 12):
        patterns[f"row at {shift}"] = (row + shift, ALL)
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
    for buffer in (memory, offsets, data, results):
        buffer.free()
