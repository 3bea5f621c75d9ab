"""Bytes that a dispatch needs and makes, and its floating-point operations: known answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cover_support import Argument, Launch, run_covered
from exec_support import assembly_kernel, compile_kernels, needs_harness

from rocm_perf_lab.replay.coverage import Work

pytestmark = needs_harness

N = 32
ITEMS = 1000  # of 1024
SOURCE = """
#define ID __builtin_amdgcn_workitem_id_x()
#define AT (__builtin_amdgcn_workgroup_id_x() * 64 + ID)
kernel void add(global float* a, global float* b, global float* c, ulong n) {
  if (AT < n) c[AT] = a[AT] + b[AT];
}
kernel void in_place(global float* a, ulong n) {
  if (AT < n) a[AT] = __builtin_fmaf(a[AT], 2.0f, 1.0f);
}
kernel void through(global float* a, global volatile float* b, global float* c, ulong n) {
  if (AT < n) { b[AT] = a[AT]; c[AT] = b[AT]; }
}
kernel void product(global float* a, global float* b, global float* c, ulong n) {
  uint row = AT >> 5, column = AT & 31;
  float sum = 0;
  #pragma nounroll
  for (uint k = 0; k < (uint)n; ++k)
    sum = __builtin_fmaf(a[row * (uint)n + k], b[k * (uint)n + column], sum);
  c[AT] = sum;
}
kernel void narrow(global uchar* in, global uchar* out) { out[3 * AT] = in[AT & 127]; }
kernel void count(global atomic_uint* total) {
  __opencl_atomic_fetch_add(total, 1, memory_order_relaxed, memory_scope_device);
}
kernel void inside(global uint* out, ulong n) {
  local uint tile[64];
  volatile uint mine[4];
  tile[ID] = ID;
  mine[n & 3] = tile[ID ^ 1];
  out[ID] = mine[n & 3];
}
kernel void uniform(global uint* in, global uint* out) { out[AT] = in[5] + in[6]; }
"""
ASSEMBLY = assembly_kernel(
    "arithmetic",
    """
  v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15]
  v_mfma_i32_16x16x32_i8 a[0:3], v[2:3], v[4:5], a[0:3]
  v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[8:9]
  v_dot2_f32_f16 v2, v3, v4, v5
  v_max_f32 v2, v3, v4
  v_cvt_f32_u32 v2, v3
  v_add_u32 v2, v3, v4
  s_mov_b64 exec, 7
  v_rcp_f32 v2, v3
  v_fma_f64 v[2:3], v[4:5], v[6:7], v[8:9]
  s_endpgm
""",
    accum_offset=16,
    vgprs=64,
)
FLOPS = 2 * 32 * 32 * 8 + 64 * (4 + 4) + 3 * (1 + 2)

CASES: dict[str, tuple[tuple[Argument, ...], int, Work]] = {
    "add": (("a", "b", "c", ITEMS), 1024, Work(8 * ITEMS, 4 * ITEMS, ITEMS)),
    "in_place": (("a", ITEMS), 1024, Work(4 * ITEMS, 4 * ITEMS, 2 * ITEMS)),
    "through": (("a", "b", "c", ITEMS), 1024, Work(4 * ITEMS, 8 * ITEMS, 0)),
    "product": (("a", "b", "c", N), N * N, Work(8 * N * N, 4 * N * N, 2 * N**3)),
    "narrow": (("a", "c"), 1024, Work(128, 1024, 0)),
    "count": (("c",), 1024, Work(4, 4, 0)),
    "inside": (("c", 7), 64, Work(0, 256, 0)),
    "uniform": (("a", "c"), 1024, Work(8, 4096, 0)),
    "arithmetic": ((), 64, Work(0, 0, FLOPS)),
}


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Work]:
    folder = tmp_path_factory.mktemp("work")
    arrays = {name: np.ones(1024, np.float32) for name in "abc"}
    found = {}
    for source, language in ((SOURCE, "cl"), (ASSEMBLY, "assembler")):
        code_object = compile_kernels(source, folder, language)
        launches = [
            Launch(name, arguments, grid)
            for name, (arguments, grid, _) in CASES.items()
            if (name == "arithmetic") == (language == "assembler")
        ]
        done = run_covered(folder, code_object, launches, arrays, VROCM_TIMING="0")
        assert done.status == 0, done.stderr
        found.update({one.kernel: one.work for one in done.coverage if one.work})
    return found


@pytest.mark.parametrize("kernel", CASES)
def test_work(kernel: str, works: dict[str, Work]) -> None:
    counted = works[kernel]
    assert replace(counted, executed=0, longest_wave=0, written_hash=0) == CASES[kernel][2]


def test_instructions_of_waves(works: dict[str, Work]) -> None:
    """No wave of these branches: 16 of 64 lanes, and one."""
    assert works["add"].executed == 16 * works["add"].longest_wave > 0
    assert works["arithmetic"].executed == works["arithmetic"].longest_wave > 0


WRITERS = """
#define ID __builtin_amdgcn_workitem_id_x()
#define AT (__builtin_amdgcn_workgroup_id_x() * 64 + ID)
kernel void ones(global float* c) { c[AT] = 1.0f; }
kernel void twos(global float* c) { c[AT] = 2.0f; }
kernel void backwards(global float* c) { c[1023 - AT] = 1.0f; }
kernel void by_one_wave(global float* c) { for (uint i = ID; i < 1024; i += 64) c[i] = -c[i]; }
kernel void by_bytes(global uchar* c) { for (uint i = 0; i < 4; ++i) c[4 * AT + i] = 0; }
kernel void behind(global float* c) { c[AT + 1] = 1.0f; }
kernel void every_other(global float* c) { c[2 * AT] = 1.0f; }
"""


def test_the_same_bytes_have_the_same_hash(tmp_path: Path) -> None:
    """Whoever wrote them, in whatever order, and what."""
    code_object = compile_kernels(WRITERS, tmp_path)
    same = ("ones", "twos", "backwards", "by_one_wave", "by_bytes")
    others = ("behind", "every_other")
    launches = [Launch(name, ("c",), 64 if name == "by_one_wave" else 1024) for name in same]
    launches += [Launch(name, ("c",), 1024) for name in others]
    arrays = {"c": np.zeros(2048, np.float32)}
    done = run_covered(tmp_path, code_object, launches, arrays, VROCM_TIMING="0")
    assert done.status == 0, done.stderr
    works = {one.kernel: one.work for one in done.coverage if one.work}
    assert {work.written_bytes for work in works.values()} == {4096}
    hashes = {name: work.written_hash for name, work in works.items()}
    assert len({hashes[name] for name in same}) == 1
    assert len(set(hashes.values())) == 3
