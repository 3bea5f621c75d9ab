"""Typed buffer loads and stores: data formats, number formats, d16 and missing components."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from exec_support import Buffer, Code, assembly_kernel, build, needs_harness

pytestmark = needs_harness

USED = [
    ("8_8_8_8", "UNORM"),
    ("8_8_8_8", "SNORM"),
    ("8_8_8_8", "USCALED"),
    ("8_8_8_8", "SSCALED"),
    ("8_8_8_8", "UINT"),
    ("8_8_8_8", "SINT"),
    ("16_16", "FLOAT"),
    ("16_16", "SINT"),
    ("2_10_10_10", "UNORM"),
    ("2_10_10_10", "SINT"),
    ("10_11_11", "FLOAT"),
    ("32_32_32_32", "FLOAT"),
    ("32_32_32_32", "UINT"),
]
# Bits of each component, the lowest first.
BITS = {
    "8_8_8_8": (8, 8, 8, 8),
    "16_16": (16, 16),
    "2_10_10_10": (10, 10, 10, 2),
    "10_11_11": (11, 11, 10),
    "32_32_32_32": (32, 32, 32, 32),
}

BODY = """
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[12:13], s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s8, s4
  s_or_b32 s9, s5, 0x{stride:x}0000
  s_mov_b32 s10, 64
  s_mov_b32 s11, 0
  s_mov_b32 s16, s12
  s_or_b32 s17, s13, 0x{stride:x}0000
  s_mov_b32 s18, 64
  s_mov_b32 s19, 0
  v_mov_b32 v1, v0
  tbuffer_load_format_xyzw v[4:7], v1, s[8:11], 0 format:[{format}] idxen
  s_waitcnt vmcnt(0)
  v_lshlrev_b32 v2, 4, v0
  global_store_dwordx4 v2, v[4:7], s[6:7]
  tbuffer_store_format_xyzw v[4:7], v1, s[16:19], 0 format:[{format}] idxen
  tbuffer_load_format_d16_x v3, v1, s[8:11], 0 format:[{format}] idxen
  s_waitcnt vmcnt(0)
  v_lshlrev_b32 v2, 2, v0
  global_store_dword v2, v3, s[6:7] offset:1024
  s_endpgm
"""


def _name(data: str, number: str) -> str:
    return f"t_{data}_{number}"


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Code:
    kernels = []
    for data, number in USED:
        text = f"BUF_DATA_FORMAT_{data},BUF_NUM_FORMAT_{number}"
        body = BODY.format(stride=sum(BITS[data]) // 8, format=text)
        kernels.append(assembly_kernel(_name(data, number), body))
    directory: Path = tmp_path_factory.mktemp("typed")
    return build("".join(kernels), directory, "assembler")


def _small_float(raw: int, bits: int) -> np.float32:
    half = np.uint16(raw if bits == 16 else raw << (15 - bits))
    return np.float32(half.view(np.float16))


def _component(raw: int, bits: int, number: str) -> int:
    """What a 32-bit register holds for one component."""
    signed = raw - (1 << bits) if raw >> (bits - 1) else raw
    if number == "UINT":
        return raw
    if number == "SINT":
        return signed & 0xFFFFFFFF
    if number == "UNORM":
        value = np.float32(raw / ((1 << bits) - 1))
    elif number == "SNORM":
        value = np.float32(max(-1.0, signed / ((1 << (bits - 1)) - 1)))
    elif number == "USCALED":
        value = np.float32(raw)
    elif number == "SSCALED":
        value = np.float32(signed)
    elif bits == 32:
        return raw
    else:
        value = np.float32(_small_float(raw, bits))
    return int(value.view(np.uint32))


def _element(data: bytes, layout: str, number: str) -> list[int]:
    word, position, values = int.from_bytes(data, "little"), 0, []
    for bits in BITS[layout]:
        values.append(_component(word >> position & (1 << bits) - 1, bits, number))
        position += bits
    one = 1 if number in ("UINT", "SINT") else 0x3F800000
    return values + [0, 0, 0, one][len(values) :]


@pytest.mark.parametrize(("data", "number"), USED)
def test_formats(code: Code, data: str, number: str) -> None:
    size = sum(BITS[data]) // 8
    rng = np.random.default_rng(1)
    raw = rng.integers(0, 256, 64 * size, dtype=np.uint8)
    if number == "FLOAT" and data != "10_11_11":
        kind = np.float16 if data == "16_16" else np.float32
        raw = rng.normal(size=64 * size // kind().itemsize).astype(kind).view(np.uint8)
    if data == "10_11_11":  # finite: the top exponent bits are off
        raw.view(np.uint32)[:] &= 0x7FDFFBFF
    elements, back = Buffer(raw), Buffer(np.zeros_like(raw))
    out = Buffer(np.zeros(320, np.uint32))
    code.run(_name(data, number), 64, 64, [elements, out, back])
    expected = [_element(raw[i * size : (i + 1) * size].tobytes(), data, number) for i in range(64)]
    assert out.array[:256].reshape(64, 4).tolist() == expected
    if number != "SNORM":  # there the most negative value has two encodings
        np.testing.assert_array_equal(back.array, raw)
    for lane in range(64):
        wide = expected[lane][0]
        if number in ("UINT", "SINT"):
            narrow = wide & 0xFFFF
        else:
            single = np.uint32(wide).view(np.float32)
            narrow = int(single.astype(np.float16).view(np.uint16))
        assert out.array[256 + lane] == narrow
