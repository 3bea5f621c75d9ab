"""VROCM_CHECK: what it finds, that it stays silent on correct kernels, and what it costs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from exec_support import Buffer, assembly_kernel, compile_kernels, importing, load, needs_harness

pytestmark = needs_harness

SOURCE = """#define ID __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define FENCE(order) __builtin_amdgcn_fence(order, "workgroup")
#define BARRIER FENCE(__ATOMIC_RELEASE); __builtin_amdgcn_s_barrier(); FENCE(__ATOMIC_ACQUIRE)
kernel void bounds(global uint* in, global uint* out) { out[ID] = in[ID + 1]; }
kernel void fresh(global uint* in, global uint* out) { out[ID] = out[ID + 64] + in[ID]; }
kernel void fresh_lds(global uint* in, global uint* out) {
  local uint tile[256];
  if (ID < 255) tile[ID] = in[ID];
  BARRIER;
  out[ID] = tile[ID ^ 1];
}
kernel void race_lds(global uint* in, global uint* out) {
  local volatile uint tile[256];
  tile[ID] = in[ID];
  out[ID] = tile[255 - ID];
}
kernel void race_global(global uint* in, global uint* out) { out[ID & 63] = ID; }
kernel void race_groups(global uint* in, global uint* out) { out[ID] = GROUP; }
kernel void clean(global uint* in, global uint* out) {
  local uint tile[256];
  tile[ID] = in[ID];
  BARRIER;
  uint v = tile[255 - ID];
  BARRIER;
  tile[ID] = v + 1;
  BARRIER;
  out[GROUP * 256 + ID] = tile[ID ^ 64];
}
"""
WAITCNT = assembly_kernel(
    "waitcnt",
    """
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  global_load_dword v3, v1, s[4:5] offset:4
  s_waitcnt vmcnt(1)
  v_add_u32 v4, v2, v2
  v_add_u32 v4, v4, v3
  global_store_dword v1, v4, s[6:7]
  s_endpgm
""",
)

# Kernel, workgroups, the check that finds it, what it says.
FINDINGS = [
    ("bounds", 1, "memory", r"lane 63 reads 4 bytes that reach 4 bytes behind the end of in "),
    ("fresh", 1, "uninit", r"lane 0 reads global memory that nobody wrote[\s\S]*cl:6"),
    ("fresh_lds", 1, "uninit", r"lane 62 reads LDS that nobody wrote"),
    (
        "race_lds",
        1,
        "race",
        r"race: this wave reads LDS byte \d+ that wave \d wrote[\s\S]*cl:16[\s\S]*cl:15",
    ),
    ("race_global", 1, "race", r"race: this wave writes global memory that wave 0 wrote"),
    ("race_groups", 2, "race", r"race: this wave writes global memory that workgroup 0 wrote"),
    (
        "waitcnt",
        1,
        "waitcnt",
        r"waitcnt: v3 is used before s_waitcnt[\s\S]*v_add_u32[\s\S]*before +global_load",
    ),
]


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    cl, assembly = tmp_path_factory.mktemp("cl"), tmp_path_factory.mktemp("s")
    (cl / "code.co").write_bytes(compile_kernels(SOURCE, cl, flags=["-gline-tables-only"]))
    (assembly / "code.co").write_bytes(compile_kernels(WAITCNT, assembly, "assembler"))
    paths = {f[0]: cl / "code.co" for f in FINDINGS}
    return {**paths, "clean": cl / "code.co", "waitcnt": assembly / "code.co"}


def launch(kernels: str, groups: int, code_object: str) -> None:
    """Runs in a child process, one kernel after the other."""
    inputs = Buffer(np.arange(256, dtype=np.uint32), "in")
    out = Buffer.unwritten(4096, "out")
    module = load(Path(code_object).read_bytes())
    for kernel in kernels.split(","):
        module.run(kernel, 256 * groups, 256, [inputs, out])
    print("finished")


def _child(
    kernel: str, groups: int, code_object: Path, check: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    script = importing(__file__) + (
        f"import test_exec_checks as t\nt.launch({kernel!r}, {groups}, {str(code_object)!r})\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "VROCM_CHECK": check, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("kernel", "groups", "check", "expected"), FINDINGS, ids=[f[0] for f in FINDINGS]
)
def test_finding(
    kernel: str, groups: int, check: str, expected: str, objects: dict[str, Path]
) -> None:
    done = _child(kernel, groups, objects[kernel], check)
    assert done.returncode == 0
    assert done.stdout == "finished\n"
    assert re.search(expected, done.stderr), done.stderr
    assert f"in kernel {kernel}, workgroup" in done.stderr


def test_lds_of_an_earlier_launch_counts_as_unwritten(objects: dict[str, Path]) -> None:
    done = _child("clean,clean,clean,clean,fresh_lds", 1, objects["fresh_lds"], "uninit")
    assert "reads LDS that nobody wrote\n  in kernel fresh_lds," in done.stderr


def test_correct_kernels_are_not_accused(objects: dict[str, Path]) -> None:
    done = _child("clean", 4, objects["clean"], "memory,uninit,race,waitcnt")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_finding_can_end_the_process(objects: dict[str, Path]) -> None:
    done = _child("race_lds", 1, objects["race_lds"], "race", VROCM_CHECK_FATAL="1")
    assert done.returncode == -signal.SIGABRT
    assert "finished" not in done.stdout


def test_unknown_checks_are_refused(objects: dict[str, Path]) -> None:
    done = _child("clean", 1, objects["clean"], "everything")
    assert done.returncode == 2
    assert "memory, uninit, race, waitcnt, divide and each, not everything" in done.stderr
