"""Compiling small programs with the front ends of a prefix."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

KERNELS = """
#include <hip/hip_runtime.h>
__global__ void copy(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
"""


def run(*words: str, ok: bool = True, **variables: str) -> subprocess.CompletedProcess[str]:
    """The library of the prefix is a stub: nothing has to be found in it."""
    environment = dict(os.environ, HIPCC_LINK_FLAGS_APPEND="-Wl,--unresolved-symbols=ignore-all")
    environment.update(variables)
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    if ok:
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done


def compiled(prefix: Path, source: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run(str(prefix / "bin" / "hipcc"), *options, str(source))


def written(tmp_path: Path, text: str, name: str = "test.hip") -> Path:
    source = tmp_path / name
    source.write_text(text)
    return source
