"""Runs the C++ test cases of the HSA runtime, each in its own process."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Optional

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ROCM_PERF_NATIVE_BUILD", str(ROOT / "build")))
PROGRAM = BUILD / "tests" / "hsa_tests"
LIBRARY = BUILD / "lib" / "libhsa-runtime64.so.1"
TOOL = BUILD / "tests" / "libhsa_tool_library.so"
PROFILER_TOOL = BUILD / "tests" / "libhsa_profiler_tool_library.so"

needs_runtime = pytest.mark.skipif(
    not PROGRAM.exists(), reason="the HSA runtime is not built (run `make native`)"
)
needs_clang = pytest.mark.skipif(shutil.which("clang-19") is None, reason="clang-19 is missing")

KERNELS = """
__attribute__((visibility("default"))) __global int table[4] = {10, 20, 30, 40};
__attribute__((visibility("default"))) __global int *__global table_pointer = table;

__kernel void scale(__global int *out, __global const int *in, int factor) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  out[i] = in[i] * factor;
}

__kernel void read_table(__global int *out) {
  int i = __builtin_amdgcn_workitem_id_x();
  out[i] = table_pointer[i];
}
"""


def compile_kernels(directory: Path) -> Path:
    """The code object that the cases with kernels load."""
    source, code = directory / "kernels.cl", directory / "kernels.co"
    source.write_text(KERNELS)
    target = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-mcode-object-version=5")
    command = ["clang-19", *target, "-nogpulib", "-O2", "-x", "cl", "-cl-std=CL2.0"]
    subprocess.run([*command, str(source), "-o", str(code)], check=True)
    return code


def preloaded(library: Path) -> dict[str, str]:
    """The variable that loads a library first, behind what is to be loaded first anyway."""
    return {"LD_PRELOAD": " ".join([*os.environ.get("LD_PRELOAD", "").split(), str(library)])}


def case_names() -> list[str]:
    if not PROGRAM.exists():
        return []
    listed = subprocess.run([str(PROGRAM), "--list"], check=True, capture_output=True, text=True)
    return listed.stdout.split()


def run_case(
    name: str, environment: Optional[Mapping[str, str]] = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(PROGRAM), name],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=60,
    )


def output_of(name: str, environment: Optional[Mapping[str, str]] = None) -> str:
    result = run_case(name, environment)
    assert result.returncode == 0, result.stderr
    return result.stdout
