"""No aligned word is ever seen half old and half new, whatever moves it and on how many threads.

Even workgroups store pairs of equal dwords over and over, odd ones load them and count pairs whose
halves differ. The kernels have no atomics: the device runs their workgroups on several host threads
at once, which the readers prove by having seen values change.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from exec_support import Buffer, Code, assembly_kernel, importing, needs_harness

pytestmark = needs_harness

GROUPS, LANES = 4, 64
ROUNDS, TRIES = 10000, 3
BESIDE = 20000  # changes seen by readers that ran beside writers

# What stores and loads: data in v[4:7], the lane's offset in v2, its address in v[8:9], the buffer
# in s[24:27]. Scalar loads take the first lane's data.
WIDTHS = {2: ("dwordx2", "v[4:5]"), 3: ("dwordx3", "v[4:6]"), 4: ("dwordx4", "v[4:7]")}
STORES = {
    "global": "global_store_{width} v[8:9], {data}, off",
    "flat": "flat_store_{width} v[8:9], {data}",
    "buffer": "buffer_store_{width} {data}, v2, s[24:27], 0 offen",
}
LOADS = {
    "global": "global_load_{width} {data}, v[8:9], off",
    "flat": "flat_load_{width} {data}, v[8:9]",
    "buffer": "buffer_load_{width} {data}, v2, s[24:27], 0 offen",
    "scalar": """s_load_{width} {scalars}, s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v4, s28
  v_mov_b32 v5, s29
  v_mov_b32 v6, s30
  v_mov_b32 v7, s31""",
    "scalar_buffer": """s_buffer_load_{width} {scalars}, s[24:27], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v4, s28
  v_mov_b32 v5, s29
  v_mov_b32 v6, s30
  v_mov_b32 v7, s31""",
}
TYPED = "tbuffer_{verb}_format_{xy} {data}, v2, s[24:27], 0 format:[{format}] offen"

# Counts in v20 whether the given two registers differ.
DIFFERENT = """
  v_xor_b32 v21, {0}, {1}
  v_min_u32 v21, 1, v21
  v_add_u32 v20, v20, v21"""
PAIRS = {
    2: DIFFERENT.format("v4", "v5"),
    # Of three dwords the aligned pair comes first in even lanes, last in odd ones.
    3: """
  v_cndmask_b32 v22, v4, v6, vcc"""
    + DIFFERENT.format("v22", "v5"),
    4: DIFFERENT.format("v4", "v5") + DIFFERENT.format("v6", "v7"),
}

BODY = """
  s_load_dwordx8 s[4:11], s[0:1], 0x0    // data, counts, step of the lanes, bytes of the buffer
  s_waitcnt lgkmcnt(0)
  v_and_b32 v1, 1, v0
  v_cmp_eq_u32 vcc, 1, v1
  v_mul_lo_u32 v2, v0, s8
  v_mov_b32 v9, s5
  v_add_co_u32 v8, s[12:13], s4, v2
  v_addc_co_u32 v9, s[12:13], 0, v9, s[12:13]
  s_mov_b32 s24, s4
  s_mov_b32 s25, s5
  s_mov_b32 s26, s10
  s_mov_b32 s27, 0x27000
  {outside}
  v_mov_b32 v20, 0     // torn pairs
  v_mov_b32 v23, 0     // changes seen
  v_mov_b32 v24, 0     // the value before
  s_mov_b32 s14, {rounds}
  s_bitcmp1_b32 s2, 0
  s_cbranch_scc1 read
write:
  s_lshl_b32 s15, s14, 2
  s_add_u32 s15, s15, s2
  v_mov_b32 v4, s15
  v_mov_b32 v5, s15
  v_mov_b32 v6, {third}
  v_mov_b32 v7, v6
  {store}
  s_sub_u32 s14, s14, 1
  s_cmp_lg_u32 s14, 0
  s_cbranch_scc1 write
  s_endpgm
read:
  {load}
  s_waitcnt vmcnt(0) lgkmcnt(0)
  {pairs}
  v_xor_b32 v21, v4, v24
  v_min_u32 v21, 1, v21
  v_add_u32 v23, v23, v21
  v_mov_b32 v24, v4
  s_sub_u32 s14, s14, 1
  s_cmp_lg_u32 s14, 0
  s_cbranch_scc1 read
  v_lshlrev_b32 v3, 3, v0
  s_lshl_b32 s2, s2, 9
  v_add_u32 v3, s2, v3
  v_mov_b32 v21, v23
  global_store_dwordx2 v3, v[20:21], s[6:7]
  s_endpgm
"""
# The last lane's flat address lies in LDS: lanes are then served one by one.
MIXED = """v_cmp_eq_u32 s[12:13], 63, v0
  v_mov_b32 v21, 0x10000
  v_cndmask_b32 v9, v9, v21, s[12:13]
  v_mov_b32 v21, 0
  v_cndmask_b32 v8, v8, v21, s[12:13]"""


def _kernel(name: str, dwords: int, store: str, load: str, outside: str = "") -> str:
    width, data = WIDTHS[dwords]
    body = BODY.format(
        outside=outside,
        rounds=ROUNDS,
        third="v4" if dwords == 3 else "-1",
        store=store.format(width=width, data=data),
        load=load.format(width=width, data=data, scalars=f"s[28:{27 + dwords}]"),
        pairs=PAIRS[dwords],
    )
    body = body.replace("write", f"{name}_write").replace("read", f"{name}_read")
    return assembly_kernel(name, body, lds=64)


def _typed(verb: str) -> str:
    kind = "BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_UINT"
    return TYPED.format(verb=verb, xy="xy", data="v[4:5]", format=kind)


def kernels() -> dict[str, str]:
    text = {
        f"{form}_{dwords}": _kernel(f"{form}_{dwords}", dwords, STORES[form], LOADS[form])
        for form in STORES
        for dwords in WIDTHS
    }
    for form in ("scalar", "scalar_buffer"):
        for dwords in (2, 4):
            name = f"{form}_{dwords}"
            text[name] = _kernel(name, dwords, STORES["global"], LOADS[form])
    text["typed_2"] = _kernel("typed_2", 2, _typed("store"), _typed("load"))
    text["mixed_2"] = _kernel("mixed_2", 2, STORES["flat"], LOADS["flat"], MIXED)
    return text


def cases() -> list[tuple[str, int, int]]:
    """Kernel, bytes between lanes, bytes of the buffer."""
    found = []
    for name in kernels():
        bytes_ = int(name[-1]) * 4
        steps = [bytes_] if name.startswith("scalar") else [bytes_, bytes_ * 5]
        found += [(name, step, 1 << 20) for step in steps]
    # The last lane's pair lies outside: lanes are then served one by one.
    return [*found, ("buffer_2", 8, 63 * 8), ("buffer_4", 16, 63 * 16 + 8)]


def litmus(code: Code) -> list[str]:
    """One line for every case: torn pairs and changes that the readers saw.

    Readers that run behind the writers see one change each and prove nothing: on a busy host a
    case is tried again, some times.
    """
    lines = []
    for name, step, bytes_ in cases():
        data = Buffer(np.zeros(LANES * 80 // 8, np.uint64))
        counts = Buffer(np.zeros((GROUPS, LANES, 2), np.uint32))
        torn = changes = 0
        for _ in range(TRIES):
            code.run(name, GROUPS * LANES, LANES, [data, counts, step, bytes_])
            seen = counts.array.sum(axis=(0, 1), dtype=np.int64)
            torn, changes = torn + seen[0], changes + seen[1]
            if torn or changes > BESIDE:
                break
        lines.append(f"{name} {step} {bytes_}: {torn} torn, {changes} changes")
        data.free()
        counts.free()
    return lines


@pytest.mark.parametrize(("threads", "cpu"), [(2, "baseline"), (2, "avx2"), (4, "")], ids=str)
def test_aligned_words_are_never_torn(tmp_path: Path, threads: int, cpu: str) -> None:
    script = importing(__file__) + (
        "from pathlib import Path\n"
        "import test_exec_tearing as t\n"
        "from exec_support import build\n"
        "source = ''.join(t.kernels().values())\n"
        "print('\\n'.join(t.litmus(build(source, Path(sys.argv[1]), 'assembler'))))\n"
    )
    if cpu == "avx2" and platform.machine() != "x86_64":
        pytest.skip("AVX2 is of x86-64")
    environment = {**os.environ, "VROCM_THREADS": str(threads), "VROCM_CPU": cpu}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        env={**environment, "VROCM_TIMING": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(cases())
    assert [line for line in lines if ": 0 torn" not in line] == []
    changes = sum(int(line.split()[-2]) for line in lines)
    if changes < 2 * TRIES * GROUPS * LANES * len(lines):
        pytest.skip(f"the host is too busy to run workgroups side by side: {changes} changes seen")
