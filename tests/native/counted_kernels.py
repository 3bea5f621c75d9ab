"""Kernels whose counters are known, and a child process that runs them with VROCM_COUNTERS=1.

The variable is read once per process, so counted dispatches never run in the test process itself.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from exec_support import Buffer, assembly_kernel, build, library

Counters = dict[str, int]
ARGUMENTS = "s_load_dwordx4 s[4:7], s[0:1], 0x0\n"  # the pointers to two arrays
WAIT = "s_waitcnt lgkmcnt(0)\n"
END = "s_endpgm\n"
MANY_LOADS = 150_000  # of 64 lines: more than is kept in memory until a workgroup has ended
SWEEP_DWORDS = 1 << 23  # two arrays of 32 MiB: twice what the L2s hold


@dataclass(frozen=True)
class Case:
    """A kernel with two arrays of `dwords` as arguments."""

    body: str
    grid: int = 64
    group: int = 64
    dwords: int = 1 << 16
    lds: int = 0
    private: int = 0


ARITHMETIC = {  # instruction -> its class
    "v_add_f16 v1, v2, v3": "ADD_F16",
    "v_pk_add_f16 v1, v2, v3": "ADD_F16",
    "v_sub_f32 v1, v2, v3": "ADD_F32",
    "v_add_f64 v[4:5], v[6:7], v[8:9]": "ADD_F64",
    "v_mul_f16 v1, v2, v3": "MUL_F16",
    "v_mul_f32 v1, v2, v3": "MUL_F32",
    "v_mul_f64 v[4:5], v[6:7], v[8:9]": "MUL_F64",
    "v_fma_f16 v1, v2, v3, v1": "FMA_F16",
    "v_fmac_f32 v1, v2, v3": "FMA_F32",
    "v_pk_fma_f32 v[4:5], v[6:7], v[8:9], v[4:5]": "FMA_F32",
    "v_fma_f64 v[4:5], v[6:7], v[8:9], v[4:5]": "FMA_F64",
    "v_rcp_f16 v1, v2": "TRANS_F16",
    "v_sqrt_f32 v1, v2": "TRANS_F32",
    "v_rsq_f64 v[4:5], v[6:7]": "TRANS_F64",
    "v_add_u32 v1, v2, v3": "INT32",
    "v_mul_lo_u32 v1, v2, v3": "INT32",
    "v_cmp_gt_i32 vcc, v1, v2": "INT32",
    "v_lshl_add_u64 v[4:5], v[6:7], 1, v[8:9]": "INT64",
    "v_cmp_eq_i64 vcc, v[4:5], v[6:7]": "INT64",
    "v_mad_u64_u32 v[4:5], vcc, v1, v2, v[6:7]": "INT64",
    "v_cvt_f32_i32 v1, v2": "CVT",
    # In none of the classes.
    "v_mov_b32 v1, v2": "",
    "v_lshlrev_b64 v[4:5], 3, v[6:7]": "",
    "v_min_f64 v[4:5], v[6:7], v[8:9]": "",
    "v_and_b32 v1, v2, v3": "",
}
MATRIX = {  # instruction -> class and floating-point or integer operations
    "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]": ("F16", 2 * 32 * 32 * 8),
    "v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[2:3], a[0:15]": ("BF16", 2 * 32 * 32 * 8),
    "v_mfma_f32_16x16x4_f32 a[0:3], v0, v1, a[0:3]": ("F32", 2 * 16 * 16 * 4),
    "v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7]": ("F64", 2 * 16 * 16 * 4),
    "v_mfma_i32_32x32x16_i8 a[0:15], v[0:1], v[2:3], a[0:15]": ("I8", 2 * 32 * 32 * 16),
    "v_mfma_f32_16x16x32_fp8_bf8 a[0:3], v[0:1], v[2:3], a[0:3]": ("F8", 2 * 16 * 16 * 32),
    "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], a[0:3]": ("F16", 2 * 4 * 4 * 4 * 16),
}


def _lines(*instructions: str) -> str:
    return "\n".join(instructions) + "\n"


def _strided(stride: int) -> str:
    """Every lane reads a dword of the first array and writes it to the second, `stride` apart."""
    return (
        ARGUMENTS
        + f"v_mul_u32_u24 v1, {stride}, v0\n"
        + WAIT
        + "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\n"
        + "global_store_dword v1, v2, s[6:7]\n"
        + END
    )


def _addressed(instruction: str) -> str:
    """An instruction with v1: byte offset of the lane, v[2:3]: its generic address, v4: data."""
    return (
        ARGUMENTS
        + _lines("v_lshlrev_b32 v1, 2, v0", "v_mov_b32 v4, 1")
        + WAIT
        + _lines("v_mov_b32 v3, s5", "v_add_co_u32 v2, vcc, s4, v1")
        + _lines("v_addc_co_u32 v3, vcc, 0, v3, vcc", instruction)
        + END
    )


def _generic_lds(instruction: str) -> str:
    return (
        _lines("s_mov_b64 s[8:9], src_shared_base", "v_lshlrev_b32 v2, 2, v0")
        + _lines("v_mov_b32 v3, s9", "v_mov_b32 v4, 1", instruction)
        + END
    )


CASES = {
    "arithmetic": Case(_lines(*ARITHMETIC) + END, grid=256, group=128),
    "matrix": Case(_lines(*MATRIX) + END),
    "scalar": Case(
        _lines("s_add_u32 s4, s5, s6", "s_mul_i32 s4, s5, s6", "s_nop 3", "s_waitcnt vmcnt(0)")
        + _lines("s_barrier", "s_branch 1f", "s_nop 0", "1:")
        + ARGUMENTS
        + WAIT
        + _lines("s_load_dword s8, s[4:5], 0x3c", "s_load_dwordx2 s[8:9], s[4:5], 0x3c", WAIT)
        + END
    ),
    "divergent": Case(_lines("s_mov_b64 exec, 7", "v_add_u32 v1, v2, v3", "v_nop") + END),
    "partial": Case(END, grid=64 + 64 + 40 + 10, group=168),
    "loop": Case(
        _lines("s_mov_b32 s4, 10", "1:", "v_add_u32 v1, v2, v3", "s_sub_u32 s4, s4, 1")
        + _lines("s_cmp_lg_u32 s4, 0", "s_cbranch_scc1 1b")
        + END
    ),
    "lds": Case(
        _lines("v_lshlrev_b32 v1, 7, v0", "v_lshlrev_b32 v2, 2, v0", "ds_read_b32 v3, v1")
        + _lines("ds_write_b32 v2, v0", "ds_read2_b32 v[4:5], v2 offset1:64")
        + _lines("v_mov_b32 v6, 0", "ds_add_rtn_u32 v7, v6, v0", "ds_bpermute_b32 v8, v2, v0")
        + END,
        lds=8192,
    ),
    "flat_load": Case(_addressed("flat_load_dword v5, v[2:3]")),
    "flat_store": Case(_addressed("flat_store_dword v[2:3], v4")),
    "flat_store_lds": Case(_generic_lds("flat_store_dword v[2:3], v4"), lds=1024),
    "flat_atomic_lds": Case(_generic_lds("flat_atomic_add v[2:3], v4"), lds=1024),
    "atomic": Case(_addressed("global_atomic_add v1, v4, s[4:5]")),
    "atomic_return": Case(_addressed("global_atomic_add v5, v1, v4, s[4:5] sc0")),
    "streaming": Case(_addressed("global_load_dword v5, v1, s[4:5] nt")),
    "scratch": Case(
        _lines("scratch_store_dwordx2 off, v[0:1], off", "scratch_load_dword v2, off, off") + END,
        private=16,
    ),
    "again": Case(
        _addressed(
            "global_load_dword v5, v1, s[4:5]\nglobal_load_dword v6, v1, s[4:5] offset:256\n"
            "global_load_dword v7, v1, s[4:5]\nbuffer_inv sc1\nglobal_load_dword v8, v1, s[4:5]\n"
            "global_load_dword v9, v1, s[4:5] sc1"
        )
    ),
    "large_sweep": Case(
        ARGUMENTS
        + _lines("v_lshlrev_b32 v1, 4, v0", "s_lshl_b32 s2, s2, 12", "v_add_u32 v1, s2, v1", WAIT)
        + _lines("global_load_dwordx4 v[4:7], v1, s[4:5]", "s_waitcnt vmcnt(0)")
        + _lines("global_store_dwordx4 v1, v[4:7], s[6:7]")
        + END,
        grid=SWEEP_DWORDS // 4,
        group=256,
        dwords=SWEEP_DWORDS,
    ),
    "many_requests": Case(
        ARGUMENTS
        + _lines("v_lshlrev_b32 v1, 7, v0", f"s_mov_b32 s8, {MANY_LOADS}", WAIT, "1:")
        + _lines("global_load_dword v2, v1, s[4:5]", "s_waitcnt vmcnt(0)", "s_sub_u32 s8, s8, 1")
        + _lines("s_cmp_lg_u32 s8, 0", "s_cbranch_scc1 1b")
        + END,
        grid=128,
    ),
    **{f"stride_{stride}": Case(_strided(stride)) for stride in (0, 2, 4, 8, 36, 64, 128, 200)},
}


def count_all(path: str) -> None:
    """Runs in a child process: writes the counters of every case to a file."""
    library().exec_counters.restype = ctypes.c_char_p
    source = "".join(
        assembly_kernel(
            name, case.body, vgprs=64, accum_offset=32, lds=case.lds, private=case.private
        )
        for name, case in CASES.items()
    )
    with tempfile.TemporaryDirectory() as folder:
        code = build(source, Path(folder), "assembler")
    counted: dict[str, Counters] = {}
    for name, case in CASES.items():
        arrays = [Buffer(np.zeros(case.dwords, np.uint32), text) for text in ("first", "second")]
        code.run(name, case.grid, case.group, arrays)
        counted[name] = json.loads(library().exec_counters() or b"null")
        for array in arrays:
            array.free()
    Path(path).write_text(json.dumps(counted))


@functools.cache
def counted(threads: int = 2, wanted: int = 1) -> dict[str, Counters]:
    """The counters of every case, from a child process with this number of host threads."""
    script = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "counters.json")
        script += f"import counted_kernels\ncounted_kernels.count_all({path!r})\n"
        environment = {**os.environ, "VROCM_COUNTERS": str(wanted), "VROCM_THREADS": str(threads)}
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment
        )
        assert done.returncode == 0, done.stderr
        result: dict[str, Counters] = json.loads(Path(path).read_text())
    return result
