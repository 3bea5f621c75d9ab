"""A program whose kernels have something to gain, and sessions over it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from rocm_perf_lab.analysis.verdicts.rules import LATENCY
from rocm_perf_lab.optimize.attempt import Attempt
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Edit, Situation
from rocm_perf_lab.optimize.source.model import Span

HEADER = """#pragma once
#define HALF 0.5f
"""
PROGRAM = """#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>
#include "part.h"

__global__ void poly(const float* in, float* out, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < terms; ++k) {
    out[i] += in[i] * HALF;
  }
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 4096;
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i) values[i] = float(i % 17);
  float *in, *out;
  hipMalloc(&in, n * 4);
  hipMalloc(&out, n * 4);
  hipMemcpy(in, values.data(), n * 4, hipMemcpyHostToDevice);
  hipMemset(out, 0, n * 4);
  poly<<<(n + 255) / 256, 256>>>(in, out, n, 16);
  hipMemcpy(values.data(), out, n * 4, hipMemcpyDeviceToHost);
  printf("%g\\n", values[5]);
  return 0;
}
"""
LOOP = """  for (int k = 0; k < terms; ++k) {
    out[i] += in[i] * HALF;
  }
"""
SUM_IN_REGISTER = """  float sum = out[i];
  for (int k = 0; k < terms; ++k) {
    sum += in[i] * HALF;
  }
  out[i] = sum;
"""


def write_project(folder: Path) -> Path:
    (folder / "part.h").write_text(HEADER)
    source = folder / "poly.hip"
    source.write_text(PROGRAM)
    return source


def tree_hash(folder: Path) -> str:
    """Of every name and byte below it."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path.relative_to(folder)}\n".encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Swap:
    """A rule of a test: one text becomes another where it stands in the body."""

    name: str
    old: str
    new: str
    reason: str = "the test says so"
    helps: tuple[str, ...] = (LATENCY,)

    def look(self, situation: Situation) -> Iterable[Union[Change, CannotChange]]:
        body = situation.kernel.body
        at = situation.data.find(self.old.encode(), body.start, body.end)
        if at < 0:
            return [CannotChange(f"{self.old.strip()!r} is not there")]
        edit = Edit(Span(at, at + len(self.old)), self.new.encode())
        return [Change((edit,), self.name, self.reason)]


@dataclass
class Heard:
    """A listener of a test."""

    said: list[str] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)

    def doing(self, what: str) -> None:
        self.said.append(what)

    def attempted(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)
