"""Device code that is linked across files: functions, variables, static libraries."""

from __future__ import annotations

from pathlib import Path

import pytest
from compile_support import run, written
from profiler_support import BUILD

RUNTIME = BUILD / "lib"
pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(
        not (RUNTIME / "libamdhip64.so.7").exists(), reason="HIP is not built (run `make native`)"
    ),
]
PROGRAM = """
#include <hip/hip_runtime.h>
#include <cstdio>
extern __device__ int twice(int);
extern __device__ int counter;
__device__ int table[4] = {1, 2, 3, 4};
__global__ void kernel(int* out) { out[threadIdx.x] = twice(threadIdx.x) + counter; }
void show(int* device) {
  int host[64];
  kernel<<<1, 64>>>(device);
  (void)hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost);
  std::printf("%d %d\\n", host[0], host[63]);
}
int main() {
  int* device;
  const int more = 100;
  (void)hipMalloc(&device, 64 * sizeof(int));
  show(device);
  (void)hipMemcpyToSymbol(HIP_SYMBOL(counter), &more, sizeof more);
  show(device);
}
"""
LIBRARY = """
#include <hip/hip_runtime.h>
extern __device__ int table[4];
__device__ int counter = 10;
__device__ __noinline__ int twice(int x) { return 2 * x + table[3]; }
"""


def test_objects_and_archives_call_each_other(prefix: Path, tmp_path: Path) -> None:
    hipcc = str(prefix / "bin" / "hipcc")
    objects = []
    for name, text in (("program", PROGRAM), ("library", LIBRARY)):
        source = written(tmp_path, text, f"{name}.hip")
        objects.append(str(tmp_path / f"{name}.o"))
        run(hipcc, "-fgpu-rdc", "-O1", "-c", str(source), "-o", objects[-1])
    run("ar", "rc", str(tmp_path / "liblibrary.a"), objects[1])
    for linked in (objects, [objects[0], f"-L{tmp_path}", "-llibrary"]):
        app = str(tmp_path / "app")
        run(hipcc, "-fgpu-rdc", f"-L{RUNTIME}", *linked, "-o", app, HIPCC_LINK_FLAGS_APPEND="")
        assert run(app, LD_LIBRARY_PATH=str(RUNTIME)).stdout == "14 140\n104 230\n"
    lone = run(hipcc, "-fgpu-rdc", objects[0], "-o", app, ok=False)
    assert lone.returncode != 0
    assert "undefined hidden symbol: twice(int)" in lone.stderr
