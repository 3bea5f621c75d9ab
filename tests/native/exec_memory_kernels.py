"""Assembly kernels that apply one memory instruction to a 4 KiB region, through any address space.

Every lane brings an offset and 16 bytes of data; the region, and what the destination registers
hold afterwards, come back. In private memory each lane owns 64 bytes of the region.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from exec_support import Buffer, Code, assembly_kernel

REGION, LANE_BYTES = 4096, 64
FILL = 0xDEADBEEF  # what destination registers hold before


@dataclass(frozen=True)
class Space:
    address: str  # how the instruction names its address
    prefix: str
    private: bool = False
    lds: bool = False
    suffix: str = ""


SPACES: dict[str, Space] = {
    "global_saddr": Space("v2, {data}, s[4:5]", "global"),
    "global_vaddr": Space("v[8:9], {data}, off", "global"),
    "flat": Space("v[8:9], {data}", "flat"),
    "flat_lds": Space("v[8:9], {data}", "flat", lds=True),
    "flat_private": Space("v[8:9], {data}", "flat", private=True),
    "scratch": Space("v2, {data}, off", "scratch", private=True),
    "buffer": Space("{data}, v2, s[24:27], 0", "buffer", suffix=" offen"),
    "ds": Space("v2, {data}", "ds", lds=True),
}

_APERTURES = {"flat_lds": "src_shared_base", "flat_private": "src_private_base"}

PROLOGUE = """
  s_load_dwordx8 s[4:11], s[0:1], 0x0    // region, offsets, data, results
  s_load_dwordx2 s[12:13], s[0:1], 0x20  // exec mask
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v30, v0
  v_lshlrev_b32 v1, 2, v0
  v_lshlrev_b32 v3, 4, v0
  v_lshlrev_b32 v29, 6, v0
  global_load_dword v2, v1, s[6:7]
  global_load_dwordx4 v[4:7], v3, s[8:9]
  v_mov_b32 v12, 0xdeadbeef
  v_mov_b32 v13, v12
  v_mov_b32 v14, v12
  v_mov_b32 v15, v12
  s_mov_b32 s24, s4
  s_mov_b32 s25, s5
  s_movk_i32 s26, 0x1000
  s_mov_b32 s27, 0x27000
  s_waitcnt vmcnt(0)
"""


def _copy_in(space: Space) -> str:
    lines = []
    for part in range(4):
        lines.append(f"  global_load_dwordx4 v[16:19], v29, s[4:5] offset:{part * 16}")
        lines.append("  s_waitcnt vmcnt(0)")
        if space.lds:
            lines.append(f"  ds_write_b128 v29, v[16:19] offset:{part * 16}")
        else:
            lines.append(f"  scratch_store_dwordx4 off, v[16:19], off offset:{part * 16}")
    return "\n".join(lines) + "\n"


def _copy_out(space: Space) -> str:
    lines = []
    for part in range(4):
        if space.lds:
            lines.append(f"  ds_read_b128 v[16:19], v29 offset:{part * 16}")
        else:
            lines.append(f"  scratch_load_dwordx4 v[16:19], off, off offset:{part * 16}")
        lines.append("  s_waitcnt vmcnt(0) lgkmcnt(0)")
        lines.append(f"  global_store_dwordx4 v29, v[16:19], s[4:5] offset:{part * 16}")
    return "\n".join(lines) + "\n"


def _address(name: str) -> str:
    if name in _APERTURES:
        return (
            f"  s_mov_b64 s[20:21], {_APERTURES[name]}\n  v_mov_b32 v8, v2\n  v_mov_b32 v9, s21\n"
        )
    return (
        "  v_mov_b32 v8, s4\n  v_mov_b32 v9, s5\n"
        "  v_add_co_u32 v8, vcc, v8, v2\n  v_addc_co_u32 v9, vcc, 0, v9, vcc\n"
    )


def memory_kernel(name: str, space_name: str, instruction: str) -> str:
    """A kernel around one instruction; results come back in v[12:15]."""
    space = SPACES[space_name]
    staged = space.lds or space.private
    body = (
        PROLOGUE
        + (_copy_in(space) if staged else "")
        + _address(space_name)
        + "  s_waitcnt lgkmcnt(0)\n  s_mov_b64 exec, s[12:13]\n"
        + f"  {instruction}\n"
        + "  s_waitcnt vmcnt(0) lgkmcnt(0)\n  s_mov_b64 exec, -1\n"
        + (_copy_out(space) if staged else "")
        + "  global_store_dwordx4 v3, v[12:15], s[10:11]\n  s_endpgm\n"
    )
    return assembly_kernel(name, body, lds=REGION, private=LANE_BYTES)


def load_text(space_name: str, operation: str, dwords: int) -> str:
    space = SPACES[space_name]
    target = "v12" if dwords == 1 else f"v[12:{11 + dwords}]"
    if space.prefix == "buffer":
        return f"{operation} {space.address.format(data=target)}{space.suffix}"
    address = space.address.replace(" {data},", "").replace(", {data}", "")
    return f"{operation} {target}, {address}"


def store_text(space_name: str, operation: str, dwords: int) -> str:
    space = SPACES[space_name]
    data = "v4" if dwords == 1 else f"v[4:{3 + dwords}]"
    return f"{operation} {space.address.format(data=data)}{space.suffix}"


@dataclass(frozen=True)
class Outcome:
    region: np.ndarray  # bytes
    results: np.ndarray  # lanes x 4 dwords


def lane_addresses(space_name: str, offsets: np.ndarray) -> np.ndarray:
    """Where each lane's data lies in the region."""
    if not SPACES[space_name].private:
        return offsets.astype(np.int64)
    return offsets.astype(np.int64) + np.arange(64) * LANE_BYTES


def run(
    code: Code,
    kernel: str,
    region: np.ndarray,
    offsets: np.ndarray,
    data: np.ndarray,
    mask: int,
) -> Outcome:
    buffers = [
        Buffer(region),
        Buffer(offsets.astype(np.uint32)),
        Buffer(data.astype(np.uint32)),
        Buffer(np.zeros((64, 4), np.uint32)),
    ]
    code.run(kernel, 64, 64, [*buffers, mask])
    outcome = Outcome(buffers[0].array.copy(), buffers[3].array.copy())
    for buffer in buffers:
        buffer.free()
    return outcome


def patterns(private: bool, width: int, aligned: bool) -> dict[str, tuple[np.ndarray, int]]:
    """Offsets and exec masks: one behind the other, the same for all or for some, scattered, partly
    masked."""
    rng = np.random.default_rng(width)
    limit = (LANE_BYTES if private else REGION) - 16
    step = width if aligned else 1
    scattered = rng.integers(0, limit // step, 64) * step
    contiguous = np.full(64, 16) if private else np.arange(64) * width
    gaps = 0x7FF0_0000_8001_3FA0  # neither of the ends; what is switched off points anywhere
    is_on = np.array([gaps >> lane & 1 for lane in range(64)], bool)
    return {
        "contiguous": (contiguous, (1 << 64) - 1),
        "with gaps": (np.where(is_on, contiguous, 1 << 30), gaps),
        "uniform": (np.full(64, 2 * width), (1 << 64) - 1),
        "in sixteens": (np.repeat(scattered[::16], 16), (1 << 64) - 1),
        "scattered": (scattered, (1 << 64) - 1),
        "masked": (scattered[::-1].copy(), 0x0F0F_1234_8000_00A1),
        "nobody": (scattered, 0),
    }
