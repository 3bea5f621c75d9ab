"""What a user reads when a kernel does something the device cannot do."""

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
from isa_support import ROOT

pytestmark = needs_harness

SOURCE = """#define ID __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
kernel void overrun(global uint* p, ulong far) {
  if (GROUP == 2 && ID == 5)
    p[far] = 1;
}
kernel void misaligned(global atomic_uint* p) {
  global atomic_uint* q = (global atomic_uint*)((global char*)p + 2);
  __opencl_atomic_fetch_add(q, 1, memory_order_relaxed, memory_scope_device);
}
kernel void lds(global uint* p, ulong far) {
  local uint tile[64];
  tile[ID] = ID;
  ((volatile local uint*)tile)[ID + (uint)far] = 1;
  p[0] = tile[ID ^ 1];
}
kernel void trap(global uint* p) { if (p[0] == 0) __builtin_trap(); }
kernel void hang(global volatile atomic_uint* p) {
  while (__opencl_atomic_load(p, memory_order_acquire, memory_scope_device) == 0)
    __builtin_amdgcn_s_sleep(1);
}
kernel void endless(global uint* p) { for (uint i = 0; ; ++i) if (GROUP == 1 && i == 0) *p = 1; }
kernel void deep(global uint* p, ulong far) {
  volatile uint mine[8];
  mine[far] = ID;
  p[ID] = mine[far & 7];
}
kernel void around(global uint* p, ulong far) {
  volatile global uint* at = p;
  #pragma nounroll
  for (uint turn = 0; turn < (uint)(far >> 62); ++turn, at = (volatile global uint*)far)
    at[ID] = turn;
}
"""
ILLEGAL = assembly_kernel("illegal", "  s_nop 0\n  .long 0xffffffff\n  s_endpgm\n")

# Kernel, its second argument, what the report says.
FAULTS: list[tuple[str, int, list[str]]] = [
    (
        "overrun",
        4096,
        [
            r"^Memory access fault by GPU node-1 \(virtual MI300X\) on address 0x[0-9a-f]+\.",
            r"kernel: +overrun",
            r"source: +.*kernels\.cl:5",
            r"workgroup: +\(2, 0, 0\)  wave 0  lane 5  thread \(5, 0, 0\)",
            r"pc: +0x[0-9a-f]+ \(kernel entry \+ 0x[0-9a-f]+\)",
            r"instruction: +global_store_dword ",
            r"nearest: +12288 bytes behind the end of numbers \[0x[0-9a-f]+, 0x[0-9a-f]+\)",
        ],
    ),
    (
        "misaligned",
        0,
        [r"^Misaligned atomic access", r"lane 0", r"instruction: +global_atomic_add"],
    ),
    (
        "lds",
        40,
        [r"^LDS access out of range", r"lane 24", r"LDS offset: +256 of 256 bytes", r"cl:14"],
    ),
    ("trap", 0, [r"^Kernel aborted \(s_trap\)", r"instruction: +s_trap 2"]),
    ("hang", 0, [r"^Time limit exceeded.* kernel hang .*VROCM_TIMEOUT", r"wave 0: sleeping, "]),
    ("endless", 0, [r"^Time limit exceeded", r"wave 0: running, \d+ instructions, pc 0x"]),
    ("deep", 1 << 20, [r"^Memory access fault", r"private: +offset \d+ of \d+ bytes"]),
    # A row from the end of all addresses to their beginning, where the same instruction was before.
    ("around", -128, [r"^Memory access fault .*0xffffffffffffff80", r"lane 0", r"cl:32"]),
    ("illegal", 0, [r"^Illegal instruction", r"instruction: +\(unknown\) 0xffffffff"]),
]


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The code object of each kernel."""
    sources = {"cl": (SOURCE, ["-g"]), "assembler": (ILLEGAL, [])}
    paths = {}
    for language, (source, flags) in sources.items():
        paths[language] = tmp_path_factory.mktemp(language) / "code.co"
        paths[language].write_bytes(
            compile_kernels(source, paths[language].parent, language, flags)
        )
    return {f[0]: paths["assembler" if f[0] == "illegal" else "cl"] for f in FAULTS}


def launch(kernel: str, argument: int, code_object: str) -> None:
    """Runs in a child process."""
    numbers = Buffer(np.zeros(1024, np.uint32), "numbers")
    load(Path(code_object).read_bytes()).run(kernel, 3 * 64, 64, [numbers, argument])


def _child(
    kernel: str, argument: int, code_object: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    script = importing(__file__) + (
        f"import test_exec_faults as t\nt.launch({kernel!r}, {argument}, {str(code_object)!r})\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
    )


@pytest.mark.parametrize(("kernel", "argument", "expected"), FAULTS, ids=[f[0] for f in FAULTS])
def test_report(kernel: str, argument: int, expected: list[str], objects: dict[str, Path]) -> None:
    check = {"VROCM_CHECK": "memory"} if kernel == "lds" else {}
    done = _child(kernel, argument, objects[kernel], VROCM_TIMEOUT="0.3", **check)
    assert done.returncode == -signal.SIGABRT, done.stderr
    for pattern in expected:
        assert re.search(pattern, done.stderr, re.MULTILINE), f"{pattern}\n{done.stderr}"


def test_a_wave_may_execute_so_many_instructions(objects: dict[str, Path]) -> None:
    """Counted, not timed: the same on a busy machine."""
    limited = {"VROCM_MOST_INSTRUCTIONS": "5000"}
    done = _child("endless", 0, objects["endless"], **limited)
    assert done.returncode == -signal.SIGABRT, done.stderr
    said = r"a wave of kernel endless executes more than 5000 instructions"
    assert re.search(said, done.stderr), done.stderr
    assert re.search(r"wave 0: running, \d{4,6} instructions, pc 0x", done.stderr), done.stderr
    short = _child("trap", 0, objects["trap"], **limited)
    assert "Kernel aborted" in short.stderr


@pytest.mark.parametrize(("variable", "value"), [("VROCM_THREADS", "many"), ("VROCM_CPU", "sparc")])
def test_malformed_settings_are_refused(
    variable: str, value: str, objects: dict[str, Path]
) -> None:
    done = _child("trap", 0, objects["trap"], **{variable: value})
    assert done.returncode == 2
    assert f"{variable}={value}" in done.stderr
