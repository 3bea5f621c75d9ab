"""Workgroups and waves that wait for each other, and results that do not depend on threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from exec_support import Buffer, Code, build, importing, needs_harness

pytestmark = needs_harness

SOURCE = """
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define ID __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define LOAD(p) __opencl_atomic_load(p, memory_order_acquire, memory_scope_device)
#define STORE(p, v) __opencl_atomic_store(p, v, memory_order_release, memory_scope_device)

kernel void reverse(global uint* in, global uint* out) {
  local uint tile[1024];
  tile[ID] = in[GROUP * 1024 + ID];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[GROUP * 1024 + ID] = tile[1023 - ID];
}

kernel void early_exit(global uint* out) {
  local uint sum[4];
  if (ID >= 128) return;           // two of four waves leave before the barrier
  if (ID % 64 == 0) sum[ID / 64] = ID + 1;
  __builtin_amdgcn_s_barrier();
  if (ID == 0) out[GROUP] = sum[0] + sum[1];
}

kernel void lock(global atomic_uint* mutex, global uint* counter) {
  if (ID == 0) {
    uint expected;
    do {
      expected = 0;
    } while (!__opencl_atomic_compare_exchange_strong(mutex, &expected, 1, memory_order_acq_rel,
             memory_order_acquire, memory_scope_device));
    *counter = *counter * 3 + GROUP;   // order shows in the result
    STORE(mutex, 0);
  }
}

kernel void relay(global atomic_uint* turn, global uint* log, ulong groups) {
  // The last workgroup goes first: all of them have to be resident together.
  uint mine = (uint)groups - 1 - GROUP;
  if (ID == 0) {
    while (LOAD(turn) != mine) __builtin_amdgcn_s_sleep(1);
    log[mine] = GROUP;
    STORE(turn, mine + 1);
  }
}

kernel void spin_relay(global atomic_uint* turn, global uint* log, ulong groups) {
  uint mine = (uint)groups - 1 - GROUP;
  if (ID == 0) {
    while (LOAD(turn) != mine) { }
    log[mine] = GROUP;
    STORE(turn, mine + 1);
  }
}

kernel void tickets(global atomic_uint* next, global uint* order) {
  uint t = __opencl_atomic_fetch_add(next, 1, memory_order_relaxed, memory_scope_device);
  order[t] = GROUP * 64 + ID;
}

kernel void sums(global float* values, global atomic_uint* histogram, global float* out) {
  float x = values[GROUP * 256 + ID];
  for (int i = 0; i < 20; ++i) x = x * 1.5f - (x > 2.0f ? 1.75f : -0.25f);
  out[GROUP * 256 + ID] = x;
  __opencl_atomic_fetch_add(&histogram[(uint)(x * 8.0f) & 15], 1, memory_order_relaxed,
                            memory_scope_device);
}

kernel void float_sum(global float* values, global float* total) {
  __builtin_amdgcn_global_atomic_fadd_f32(total, values[GROUP * 256 + ID]);
}
"""

GWS = """
kernel void grid_barrier(global uint* a, global uint* b, ulong groups) {
  uint g = __builtin_amdgcn_workgroup_id_x();
  if (g == 0) __builtin_amdgcn_ds_gws_init((uint)groups - 1, 0);
  a[g] = g + 1;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  __builtin_amdgcn_ds_gws_barrier((uint)groups - 1, 0);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  b[g] = a[(g + 1) % (uint)groups];
}
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Code:
    return build(SOURCE, tmp_path_factory.mktemp("schedule"))


def test_barrier_joins_sixteen_waves(code: Code) -> None:
    data = Buffer(np.random.default_rng(0).integers(0, 1 << 32, (5, 1024), dtype=np.uint32))
    out = Buffer(np.zeros((5, 1024), np.uint32))
    code.run("reverse", 5 * 1024, 1024, [data, out])
    np.testing.assert_array_equal(out.array, data.array[:, ::-1])


def test_ended_waves_do_not_block_a_barrier(code: Code) -> None:
    out = Buffer(np.zeros(3, np.uint32))
    code.run("early_exit", 3 * 256, 256, [out])
    assert out.array.tolist() == [66, 66, 66]


def test_spin_lock_across_workgroups(code: Code) -> None:
    mutex, counter = Buffer(np.zeros(1, np.uint32)), Buffer(np.zeros(1, np.uint32))
    code.run("lock", 100 * 64, 64, [mutex, counter])
    expected = 0
    for group in range(100):
        expected = (expected * 3 + group) & 0xFFFFFFFF
    assert counter.array[0] == expected


@pytest.mark.parametrize(("kernel", "groups"), [("relay", 700), ("spin_relay", 20)])
def test_workgroups_wait_for_later_ones(code: Code, kernel: str, groups: int) -> None:
    turn, log = Buffer(np.zeros(1, np.uint32)), Buffer(np.zeros(groups, np.uint32))
    code.run(kernel, groups * 64, 64, [turn, log, groups])
    assert log.array.tolist() == list(range(groups - 1, -1, -1))


def test_global_wave_sync_barrier(tmp_path: Path) -> None:
    code = build(GWS, tmp_path)
    groups = 90
    a, b = Buffer(np.zeros(groups, np.uint32)), Buffer(np.zeros(groups, np.uint32))
    code.run("grid_barrier", groups, 1, [a, b, groups])
    assert b.array.tolist() == [(g + 1) % groups + 1 for g in range(groups)]


def _digest(code: Code) -> str:
    """Everything that could depend on the order of workgroups, as text."""
    rng = np.random.default_rng(5)
    values = Buffer(rng.random(64 * 256).astype(np.float32))
    histogram, out = Buffer(np.zeros(16, np.uint32)), Buffer(np.zeros(64 * 256, np.float32))
    total = Buffer(np.zeros(1, np.float32))
    next_ticket, order = Buffer(np.zeros(1, np.uint32)), Buffer(np.zeros(6400, np.uint32))
    results = [
        code.run("sums", 64 * 256, 256, [values, histogram, out]),
        code.run("float_sum", 64 * 256, 256, [values, total]),
        code.run("tickets", 6400, 64, [next_ticket, order]),
    ]
    arrays = [b.array.tobytes().hex() for b in (histogram, out, total, order)]
    return repr((results, arrays))


@pytest.mark.parametrize("threads", [2, 7])
def test_thread_count_does_not_change_a_byte(code: Code, threads: int, tmp_path: Path) -> None:
    script = importing(__file__) + (
        "from pathlib import Path\n"
        "import test_exec_schedule as t\n"
        "from exec_support import build\n"
        "print(t._digest(build(t.SOURCE, Path(sys.argv[1]))))\n"
    )

    def run_with(count: int, cpu: str) -> str:
        environment = {**os.environ, "VROCM_THREADS": str(count), "VROCM_CPU": cpu}
        command = [sys.executable, "-c", script, str(tmp_path)]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout

    alone = run_with(1, "baseline")
    assert "wave_instructions" in alone
    assert run_with(threads, "baseline" if threads == 2 else "") == alone
