"""LDS instructions beyond plain reads and writes: pairs, lanes, counters, direct loads."""

from __future__ import annotations

import numpy as np
import pytest
from exec_memory_kernels import FILL, REGION, memory_kernel, run
from exec_support import Buffer, Code, assembly_kernel, build, needs_harness

pytestmark = needs_harness

KERNELS: dict[str, str] = {
    "read2": "ds_read2_b32 v[12:13], v2 offset0:3 offset1:200",
    "read2_64": "ds_read2_b64 v[12:15], v2 offset0:3 offset1:200",
    "read2st": "ds_read2st64_b32 v[12:13], v2 offset0:1 offset1:9",
    "read2st_64": "ds_read2st64_b64 v[12:15], v2 offset0:1 offset1:6",
    "write2": "ds_write2_b32 v2, v4, v6 offset0:3 offset1:200",
    "write2_64": "ds_write2_b64 v2, v[4:5], v[6:7] offset0:3 offset1:200",
    "write2st": "ds_write2st64_b32 v2, v4, v6 offset0:1 offset1:9",
    "write2st_64": "ds_write2st64_b64 v2, v[4:5], v[6:7] offset0:1 offset1:6",
    "swap2": "ds_wrxchg2_rtn_b32 v[12:13], v2, v4, v6 offset0:3 offset1:200",
    "swap2_64": "ds_wrxchg2_rtn_b64 v[12:15], v2, v[4:5], v[6:7] offset0:3 offset1:200",
    "swap2st": "ds_wrxchg2st64_rtn_b32 v[12:13], v2, v4, v6 offset0:1 offset1:9",
    "swap2st_64": "ds_wrxchg2st64_rtn_b64 v[12:15], v2, v[4:5], v[6:7] offset0:1 offset1:6",
    "read_offset": "ds_read_b32 v12, v2 offset:2064",
    "condxchg": "ds_condxchg32_rtn_b64 v[12:13], v2, v[4:5]",
    "permute": "ds_permute_b32 v12, v2, v4 offset:8",
    "bpermute": "ds_bpermute_b32 v12, v2, v4 offset:8",
    "swizzle_xor": 'ds_swizzle_b32 v12, v4 offset:swizzle(BITMASK_PERM, "01p0i")',
    "swizzle_quad": "ds_swizzle_b32 v12, v4 offset:swizzle(QUAD_PERM, 3, 0, 2, 1)",
    "swizzle_rotate": "ds_swizzle_b32 v12, v4 offset:0xc065",
    "swizzle_fft": "ds_swizzle_b32 v12, v4 offset:0xe003",
    "append": "s_mov_b32 m0, 0x10\n  ds_append v12 offset:16",
    "consume": "s_mov_b32 m0, 0x10\n  ds_consume v12 offset:16",
    "read_addtid": "s_mov_b32 m0, 0x40\n  ds_read_addtid_b32 v12 offset:8",
    "write_addtid": "s_mov_b32 m0, 0x40\n  ds_write_addtid_b32 v4 offset:8",
}
MASK = 0xFFF0_00FF_7FFF_FFF5
LANES = [lane for lane in range(64) if MASK >> lane & 1]


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Code:
    source = "".join(memory_kernel(name, "ds", text) for name, text in KERNELS.items())
    return build(source, tmp_path_factory.mktemp("lds"), "assembler")


def _words(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 1 << 32, shape, dtype=np.uint32)


PAIRS = [  # name, dwords, byte offsets of the two elements
    ("2", 1, 3 * 4, 200 * 4),
    ("2_64", 2, 3 * 8, 200 * 8),
    ("2st", 1, 256, 9 * 256),
    ("2st_64", 2, 512, 6 * 512),
]


@pytest.mark.parametrize(("suffix", "dwords", "first", "second"), PAIRS)
@pytest.mark.parametrize("kind", ["read", "write", "swap"])
def test_pairs(code: Code, kind: str, suffix: str, dwords: int, first: int, second: int) -> None:
    region, data = _words(1, REGION // 4), _words(2, 64, 4)
    offsets = np.random.default_rng(5).permutation(64) * 8
    outcome = run(code, kind + suffix, region.view(np.uint8).copy(), offsets, data, MASK)
    expected, results = region.copy(), np.full((64, 4), FILL, np.uint32)
    for lane in LANES:
        for which, offset in enumerate((first, second)):
            at = (int(offsets[lane]) + offset) // 4
            results[lane, which * dwords : (which + 1) * dwords] = expected[at : at + dwords]
        if kind != "read":
            for which, offset in enumerate((first, second)):
                at = (int(offsets[lane]) + offset) // 4
                expected[at : at + dwords] = data[lane, which * 2 : which * 2 + dwords]
    np.testing.assert_array_equal(outcome.region.view(np.uint32), expected)
    if kind != "write":
        np.testing.assert_array_equal(outcome.results, results)


@pytest.mark.parametrize(("kernel", "offset"), [("read_offset", 2064), ("read2", 12)])
def test_an_offset_on_a_negative_address_wraps_around(code: Code, kernel: str, offset: int) -> None:
    region = _words(1, REGION // 4)
    addresses = np.arange(64) * 4 - offset  # the compiler folds constants into the offset
    outcome = run(code, kernel, region.view(np.uint8).copy(), addresses, _words(2, 64, 4), MASK)
    np.testing.assert_array_equal(outcome.results[LANES, 0], region[LANES])


def test_conditional_exchange(code: Code) -> None:
    region, data = _words(1, REGION // 4), _words(2, 64, 4)
    offsets = np.arange(64) * 8 + 4  # the low bits of the address do not count
    outcome = run(code, "condxchg", region.view(np.uint8).copy(), offsets, data, MASK)
    expected = region.copy()
    for lane in LANES:
        for half in range(2):
            value = int(data[lane, half])
            assert outcome.results[lane, half] == region[lane * 2 + half]
            if value >> 31:
                expected[lane * 2 + half] = value & 0x7FFFFFFF
    np.testing.assert_array_equal(outcome.region.view(np.uint32), expected)


def test_permute_pushes_and_bpermute_pulls(code: Code) -> None:
    data = _words(2, 64, 4)
    offsets = np.random.default_rng(6).integers(0, 1 << 20, 64)
    region = np.zeros(REGION, np.uint8)
    pushed, pulled = np.full(64, FILL, np.uint32), np.full(64, FILL, np.uint32)
    landed = np.zeros(64, np.uint32)
    for lane in LANES:
        landed[(int(offsets[lane]) + 8) // 4 % 64] = data[lane, 0]
    for lane in LANES:
        source = (int(offsets[lane]) + 8) // 4 % 64
        pushed[lane] = landed[lane]
        pulled[lane] = data[source, 0] if source in LANES else 0
    assert (
        run(code, "permute", region, offsets, data, MASK).results[:, 0].tolist() == pushed.tolist()
    )
    assert (
        run(code, "bpermute", region, offsets, data, MASK).results[:, 0].tolist() == pulled.tolist()
    )


def _reverse5(v: int) -> int:
    return int(f"{v:05b}"[::-1], 2)


SWIZZLES = {
    # "01p0i": from the top bit, 0, 1, keep, 0, invert
    "swizzle_xor": lambda i: i & 32 | (8 | i & 4 | (i & 1 ^ 1)),
    "swizzle_quad": lambda i: i & ~3 | (3, 0, 2, 1)[i & 3],
    "swizzle_rotate": lambda i: i & 32 | i & 5 | (i + 3) & 31 & ~5,
    "swizzle_fft": lambda i: i & 32 | _reverse5(i & 31) >> 2 | i & 3,
}


@pytest.mark.parametrize("name", SWIZZLES)
def test_swizzle(code: Code, name: str) -> None:
    data = _words(2, 64, 4)
    outcome = run(code, name, np.zeros(REGION, np.uint8), np.zeros(64), data, MASK)
    expected = np.full(64, FILL, np.uint32)
    for lane in LANES:
        source = SWIZZLES[name](lane)
        expected[lane] = data[source, 0] if source in LANES else 0
    np.testing.assert_array_equal(outcome.results[:, 0], expected)


@pytest.mark.parametrize(("name", "sign"), [("append", 1), ("consume", -1)])
def test_counters(code: Code, name: str, sign: int) -> None:
    region = np.full(REGION // 4, 1000, np.uint32)
    outcome = run(code, name, region.view(np.uint8).copy(), np.zeros(64), _words(2, 64, 4), MASK)
    region[32 // 4] = 1000 + sign * len(LANES)
    np.testing.assert_array_equal(outcome.region.view(np.uint32), region)
    assert {int(outcome.results[lane, 0]) for lane in LANES} == {1000}


def test_thread_addressed(code: Code) -> None:
    region, data = _words(1, REGION // 4), _words(2, 64, 4)
    first = (0x40 + 8) // 4
    read = run(code, "read_addtid", region.view(np.uint8).copy(), np.zeros(64), data, MASK)
    written = run(code, "write_addtid", region.view(np.uint8).copy(), np.zeros(64), data, MASK)
    expected = region.copy()
    for lane in LANES:
        assert read.results[lane, 0] == region[first + lane]
        expected[first + lane] = data[lane, 0]
    np.testing.assert_array_equal(written.region.view(np.uint32), expected)


def test_loads_straight_into_lds(tmp_path_factory: pytest.TempPathFactory) -> None:
    body = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v0
  s_mov_b32 m0, 0x100
  global_load_lds_dword v1, s[4:5] offset:16
  s_mov_b32 m0, 0x400
  global_load_lds_sbyte v0, s[4:5]
  s_mov_b32 s8, s4
  s_mov_b32 s9, s5
  s_movk_i32 s10, 0x80
  s_mov_b32 s11, 0x27000
  s_mov_b32 m0, 0x800
  buffer_load_dword v1, s[8:11], 0 offen lds
  s_waitcnt vmcnt(0)
  ds_read_b32 v4, v1 offset:0x110
  ds_read_b32 v5, v1 offset:0x400
  ds_read_b32 v6, v1 offset:0x800
  v_mov_b32 v7, 0
  v_lshlrev_b32 v2, 4, v0
  s_waitcnt lgkmcnt(0)
  global_store_dwordx4 v2, v[4:7], s[6:7]
  s_endpgm
"""
    code = build(
        assembly_kernel("direct", body, lds=REGION), tmp_path_factory.mktemp("direct"), "assembler"
    )
    data, out = Buffer(_words(9, 128)), Buffer(np.zeros((64, 4), np.uint32))
    code.run("direct", 64, 64, [data, out])
    np.testing.assert_array_equal(out.array[:, 0], data.array[4:68])
    signed = data.array.view(np.int8)[:64].astype(np.int32).view(np.uint32)
    np.testing.assert_array_equal(out.array[:, 1], signed)
    inside = np.where(np.arange(64) < 32, data.array[:64], 0)  # the buffer ends after 0x80 bytes
    np.testing.assert_array_equal(out.array[:, 2], inside)
