"""Original and changed kernels in one program that runs both on the same memory and compares it.

Every kernel of a case has the parameters of ``PARAMETERS``. The memory is one allocation: ``a``,
``b`` and ``out`` lie at offsets that each round chooses, so that they are apart, unaligned, the
same, or overlap; all of it is compared bit by bit.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rule_support import Bench, changed

from rocm_perf_lab.optimize.rules.rule import Change, Rule

PARAMETERS = "const float* a, const float* b, float* out, const int* index, int n, int m"
RESTRICT = PARAMETERS.replace("* ", "* __restrict__ ")


@dataclass(frozen=True)
class Case:
    """One kernel; every change of the rule with ``title`` in it is tried."""

    rule: Rule
    body: str
    title: str = ""
    parameters: str = PARAMETERS
    overlaps: bool = True  # one thread alone may read what it wrote through another pointer
    allowed: tuple[str, ...] = ()


HEAD = """#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
#include <vector>
typedef void (*Kernel)(const float*, const float*, float*, const int*, int, int);
"""
MAIN = r"""
struct Layout { int a, b, out; };
static const int kFloats = 16384;
static int failed = 0, ran = 0;

static void compare(const char* what, Kernel one, Kernel other, Layout at, int n, int m) {
  static float* memory = nullptr;
  static int* index = nullptr;
  static std::vector<float> start(kFloats), results[2] = {start, start};
  if (!memory) {
    (void)hipMalloc(&memory, kFloats * 4);
    (void)hipMalloc(&index, 4096 * 4);
    std::vector<int> picks(4096);
    for (int i = 0; i < 4096; ++i) picks[i] = i * 7919 % 64;
    (void)hipMemcpy(index, picks.data(), 4096 * 4, hipMemcpyHostToDevice);
    unsigned state = 1;
    for (float& value : start) {
      state = state * 1664525u + 1013904223u;
      value = (state >> 8) * (1.0f / 65536.0f) - 100.0f;
    }
  }
  for (int version = 0; version < 2; ++version) {
    (void)hipMemcpy(memory, start.data(), kFloats * 4, hipMemcpyHostToDevice);
    const Kernel kernel = version ? other : one;
    kernel<<<3, 64>>>(memory + at.a, memory + at.b, memory + at.out, index, n, m);
    if (hipDeviceSynchronize() != hipSuccess) std::printf("%s did not run\n", what), ++failed;
    (void)hipMemcpy(results[version].data(), memory, kFloats * 4, hipMemcpyDeviceToHost);
  }
  ++ran;
  if (std::memcmp(results[0].data(), results[1].data(), kFloats * 4) != 0) {
    std::printf("FAIL %s: a %d b %d out %d n %d m %d\n", what, at.a, at.b, at.out, n, m);
    ++failed;
  }
}

static void try_all(const char* what, Kernel one, Kernel other, bool overlaps) {
  const Layout apart = {0, 5120, 10240};
  for (int n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 191, 192, 193, 577, 1000})
    for (int m : {0, 1, 3, 4, 6}) compare(what, one, other, apart, n, m);
  for (int shift : {1, 2, 3}) {
    compare(what, one, other, {shift, 5120, 10240}, 1000, 4);
    compare(what, one, other, {0, 5120, 10240 + shift}, 1001, 3);
    compare(what, one, other, {shift, 5120 + shift, 10240 + shift}, 999, 5);
  }
  if (!overlaps) return;
  compare(what, one, other, {0, 5120, 0}, 1000, 4);
  compare(what, one, other, {0, 5120, 5120}, 1000, 4);
  for (int shift : {192, 384, -192, 768, 1})
    compare(what, one, other, {2000, 5120, 2000 + shift}, 777, 3);
}

int main() {
CALLS
  std::printf("%s: %d runs, %d differ\n", failed ? "FAIL" : "PASS", ran, failed);
  return failed != 0;
}
"""


def kernel_text(case: Case, body: str) -> str:
    return f"__global__ void k({case.parameters}) {body}\n"


def program(bench: Bench, cases: Sequence[Case]) -> str:
    parts, calls = [HEAD], []
    for number, case in enumerate(cases):
        text = kernel_text(case, case.body)
        situation = bench.situation(text, case.allowed)
        changes = [c for c in case.rule.look(situation) if isinstance(c, Change)]
        changes = [c for c in changes if case.title in c.title]
        assert changes, (case.rule.name, case.body, list(case.rule.look(situation)))
        parts.append(f"namespace before{number} {{\n{text}}}\n")
        for version, change in enumerate(changes):
            name = f"after{number}_{version}"
            new = kernel_text(case, changed(situation, change))
            parts.append(f"namespace {name} {{\n{new}}}\n")
            overlaps = "true" if case.overlaps else "false"
            title = f"{case.rule.name} {number} {change.title}"
            calls.append(f'  try_all("{title}", before{number}::k, {name}::k, {overlaps});')
    return "".join(parts) + MAIN.replace("CALLS", "\n".join(calls))


def compare_results(hipcc: Path, folder: Path, bench: Bench, cases: Sequence[Case]) -> str:
    """What the program says; every difference is a line of its own."""
    source, built = folder / "same.hip", folder / "same"
    source.write_text(program(bench, cases))
    command = [str(hipcc), "-O3", "-Wno-unused-result", str(source), "-o", str(built)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    ran = subprocess.run([built], capture_output=True, text=True, timeout=300, check=False)
    return ran.stdout + ran.stderr[-1000:]
