"""Loads and stores of every width in every address space."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from exec_memory_kernels import (
    FILL,
    REGION,
    SPACES,
    lane_addresses,
    load_text,
    memory_kernel,
    patterns,
    run,
    store_text,
)
from exec_support import Buffer, Code, assembly_kernel, build, needs_harness

pytestmark = needs_harness


class Shape(NamedTuple):
    bytes: int
    signed: bool = False
    part: str = "whole"  # which half of the register a narrow value fills
    ds: str = ""  # the DS spelling


LOADS: dict[str, Shape] = {
    "load_ubyte": Shape(1, ds="read_u8"),
    "load_sbyte": Shape(1, True, ds="read_i8"),
    "load_ushort": Shape(2, ds="read_u16"),
    "load_sshort": Shape(2, True, ds="read_i16"),
    "load_ubyte_d16": Shape(1, part="low", ds="read_u8_d16"),
    "load_ubyte_d16_hi": Shape(1, part="high", ds="read_u8_d16_hi"),
    "load_sbyte_d16": Shape(1, True, "low", ds="read_i8_d16"),
    "load_sbyte_d16_hi": Shape(1, True, "high", ds="read_i8_d16_hi"),
    "load_short_d16": Shape(2, part="low", ds="read_u16_d16"),
    "load_short_d16_hi": Shape(2, part="high", ds="read_u16_d16_hi"),
    "load_dword": Shape(4, ds="read_b32"),
    "load_dwordx2": Shape(8, ds="read_b64"),
    "load_dwordx3": Shape(12, ds="read_b96"),
    "load_dwordx4": Shape(16, ds="read_b128"),
}
STORES: dict[str, Shape] = {
    "store_byte": Shape(1, ds="write_b8"),
    "store_byte_d16_hi": Shape(1, part="high", ds="write_b8_d16_hi"),
    "store_short": Shape(2, ds="write_b16"),
    "store_short_d16_hi": Shape(2, part="high", ds="write_b16_d16_hi"),
    "store_dword": Shape(4, ds="write_b32"),
    "store_dwordx2": Shape(8, ds="write_b64"),
    "store_dwordx3": Shape(12, ds="write_b96"),
    "store_dwordx4": Shape(16, ds="write_b128"),
}


def _operation(space: str, name: str, shape: Shape) -> str:
    prefix = SPACES[space].prefix
    return f"ds_{shape.ds}" if prefix == "ds" else f"{prefix}_{name}"


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Code:
    kernels = []
    for space in SPACES:
        for name, shape in LOADS.items():
            text = load_text(space, _operation(space, name, shape), max(1, shape.bytes // 4))
            kernels.append(memory_kernel(f"{space}_{name}", space, text))
        for name, shape in STORES.items():
            text = store_text(space, _operation(space, name, shape), max(1, shape.bytes // 4))
            kernels.append(memory_kernel(f"{space}_{name}", space, text))
    return build("".join(kernels), tmp_path_factory.mktemp("memory"), "assembler")


def _region() -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, REGION, dtype=np.uint8)


def _data() -> np.ndarray:
    return np.random.default_rng(4).integers(0, 1 << 32, (64, 4), dtype=np.uint32)


def _loaded(raw: bytes, shape: Shape) -> np.ndarray:
    """The four destination dwords of a lane."""
    result = np.full(4, FILL, np.uint32)
    if shape.bytes >= 4:
        result[: shape.bytes // 4] = np.frombuffer(raw, np.uint32)
        return result
    value = int.from_bytes(raw, "little", signed=shape.signed)
    if shape.part == "low":
        result[0] = FILL & 0xFFFF0000 | value & 0xFFFF
    elif shape.part == "high":
        result[0] = FILL & 0xFFFF | (value & 0xFFFF) << 16
    else:
        result[0] = value & 0xFFFFFFFF
    return result


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("name", LOADS)
def test_loads(code: Code, space: str, name: str) -> None:
    shape, region = LOADS[name], _region()
    for label, (offsets, mask) in patterns(SPACES[space].private, shape.bytes, False).items():
        outcome = run(code, f"{space}_{name}", region, offsets, _data(), mask)
        expected = np.full((64, 4), FILL, np.uint32)
        for lane, at in enumerate(lane_addresses(space, offsets)):
            if mask >> lane & 1:
                expected[lane] = _loaded(region[at : at + shape.bytes].tobytes(), shape)
        np.testing.assert_array_equal(outcome.results, expected, f"{space} {label}")
        np.testing.assert_array_equal(outcome.region, region)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("name", STORES)
def test_stores(code: Code, space: str, name: str) -> None:
    shape, data = STORES[name], _data()
    for label, (offsets, mask) in patterns(SPACES[space].private, shape.bytes, False).items():
        outcome = run(code, f"{space}_{name}", _region(), offsets, data, mask)
        expected = _region()
        for lane, at in enumerate(lane_addresses(space, offsets)):
            raw = data[lane].tobytes()[2:] if shape.part == "high" else data[lane].tobytes()
            if mask >> lane & 1:
                expected[at : at + shape.bytes] = np.frombuffer(raw[: shape.bytes], np.uint8)
        np.testing.assert_array_equal(outcome.region, expected, f"{space} {label}")


def test_scalar_loads_and_instruction_offsets(tmp_path: Path) -> None:
    body = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_movk_i32 s3, 0x20
  s_load_dwordx16 s[8:23], s[4:5], s3
  s_load_dword s24, s[4:5], 0x4
  s_mov_b32 s28, s4
  s_mov_b32 s29, s5
  s_mov_b32 s30, 0x18
  s_mov_b32 s31, 0
  s_buffer_load_dwordx4 s[32:35], s[28:31], 0x10
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s8
  v_mov_b32 v3, s23
  v_mov_b32 v4, s24
  v_mov_b32 v5, s33
  v_mov_b32 v6, s34
  v_mov_b32 v10, 64
  global_store_dwordx4 v10, v[2:5], s[6:7] offset:-64
  global_store_dword v10, v6, s[6:7] offset:-48
  s_endpgm
"""
    code = build(assembly_kernel("scalars", body), tmp_path, "assembler")
    data = Buffer(np.arange(100, 164, dtype=np.uint32))
    out = Buffer(np.zeros(8, np.uint32))
    code.run("scalars", 1, 64, [data, out])
    # The buffer ends after 0x18 bytes: its third dword at 0x18 reads 0.
    assert out.array.tolist() == [108, 123, 101, 105, 0, 0, 0, 0]


def test_buffer_bounds_structures_and_swizzle(tmp_path: Path) -> None:
    body = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx4 s[8:11], s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  s_or_b32 s5, s5, s8            // stride and swizzle bits
  s_mov_b32 s12, s6
  s_mov_b32 s13, s7
  s_mov_b32 s6, s10              // records
  s_mov_b32 s7, s11              // word 3: index stride
  v_mov_b32 v2, v0
  v_mov_b32 v3, 4
  buffer_load_dwordx2 v[4:5], v[2:3], s[4:7], 0 idxen offen
  v_lshlrev_b32 v1, 3, v0
  s_waitcnt vmcnt(0)
  global_store_dwordx2 v1, v[4:5], s[12:13]
  s_endpgm
"""
    code = build(assembly_kernel("structure", body), tmp_path, "assembler")
    memory = np.arange(1024, dtype=np.uint32)
    out = Buffer(np.zeros((64, 2), np.uint32))

    def run_with(stride: int, swizzle: int, records: int, index_stride: int) -> np.ndarray:
        data = Buffer(memory)
        word1 = stride << 16 | swizzle << 31
        code.run("structure", 64, 64, [data, out, word1, records | index_stride << 32])
        data.free()
        return out.array.copy()

    linear = run_with(16, 0, 50, 0)
    lanes = np.arange(64)
    expected = np.stack([lanes * 4 + 1, lanes * 4 + 2], axis=1)
    expected[50:] = 0  # behind the last record
    np.testing.assert_array_equal(linear, expected)

    swizzled = run_with(16, 1, 64, 1 << 21)  # 16 elements side by side, dword by dword
    first = (lanes // 16 * 4 + 1) * 16 + lanes % 16
    np.testing.assert_array_equal(swizzled, np.stack([first, first + 16], axis=1))
