"""Original and changed kernels under launches of many shapes, compared bit by bit.

``same_results`` has one launch and many layouts; rules that share work among the threads of a block
need many launches. All memory is one allocation, which every pointer points into.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rule_support import Bench, changed

from rocm_perf_lab.optimize.rules.rule import Change, Launch, Rule

PARAMETERS = (
    "const float* a, const float* b, float* out, const unsigned char* bytes, unsigned int* counts, "
    "int n, int m"
)
Shape = tuple[tuple[int, int], tuple[int, int]]  # grid and block, x and y
LINE: tuple[Shape, ...] = (((1, 1), (1, 1)), ((3, 1), (64, 1)), ((2, 1), (256, 1)))
LINES: tuple[Shape, ...] = (*LINE, ((3, 2), (96, 1)), ((2, 1), (33, 3)))  # several do the same
PLANES: tuple[Shape, ...] = (
    ((1, 1), (1, 1)),
    ((3, 2), (16, 16)),
    ((2, 3), (32, 4)),
    ((5, 1), (7, 3)),
    ((2, 2), (1, 64)),
)
APART = ((0, 24000, 48000),)  # places of a, b and out; bytes lie behind b, counts behind out
IN_PLACE = ((0, 24000, 0), (0, 24000, 24000), (1, 24000, 48001))
SHIFTED = ((0, 24000, 1), (1, 24000, 0), (0, 24000, 5))
SIZES = ((0, 3), (1, 1), (2, 33), (63, 16), (64, 17), (100, 0), (193, 5), (513, 30))


@dataclass(frozen=True)
class Case:
    rule: Rule
    body: str
    launches: tuple[Shape, ...] = LINES
    layouts: tuple[tuple[int, int, int], ...] = APART
    sizes: tuple[tuple[int, int], ...] = SIZES
    parameters: str = PARAMETERS
    launch: Launch | None = None
    allowed: tuple[str, ...] = ()


HEAD = """#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
#include <vector>
typedef void (*Kernel)(const float*, const float*, float*, const unsigned char*, unsigned int*, int,
                       int);
"""
MAIN = r"""
static const int kWords = 81920, kBytes = 40000, kCounts = 80000;
static int failed = 0, ran = 0;

static void compare(const char* what, Kernel one, Kernel other, dim3 grid, dim3 block, int a, int b,
                    int out, int n, int m) {
  static unsigned* memory = nullptr;
  static std::vector<unsigned> start(kWords), results[2] = {start, start};
  if (!memory) {
    (void)hipMalloc(&memory, kWords * 4);
    unsigned state = 1;
    for (unsigned& word : start) {
      state = state * 1664525u + 1013904223u;
      const float value = (state >> 8) * (1.0f / 65536.0f) - 100.0f;
      std::memcpy(&word, &value, 4);
    }
  }
  for (int version = 0; version < 2; ++version) {
    (void)hipMemcpy(memory, start.data(), kWords * 4, hipMemcpyHostToDevice);
    float* floats = (float*)memory;
    (version ? other : one)<<<grid, block>>>(floats + a, floats + b, floats + out,
                                             (unsigned char*)(memory + kBytes), memory + kCounts,
                                             n, m);
    if (hipDeviceSynchronize() != hipSuccess) std::printf("%s did not run\n", what), ++failed;
    (void)hipMemcpy(results[version].data(), memory, kWords * 4, hipMemcpyDeviceToHost);
  }
  ++ran;
  if (std::memcmp(results[0].data(), results[1].data(), kWords * 4) != 0) {
    std::printf("FAIL %s: grid %u,%u block %u,%u a %d b %d out %d n %d m %d\n", what, grid.x,
                grid.y, block.x, block.y, a, b, out, n, m);
    ++failed;
  }
}

int main() {
CALLS
  std::printf("%s: %d runs, %d differ\n", failed ? "FAIL" : "PASS", ran, failed);
  return failed != 0;
}
"""


def program(bench: Bench, cases: Sequence[Case]) -> str:
    parts, calls = [HEAD], []
    for number, case in enumerate(cases):
        text = f"__global__ void k({case.parameters}) {case.body}\n"
        situation = bench.situation(text, case.allowed, case.launch)
        answers = list(case.rule.look(situation))
        changes = [answer for answer in answers if isinstance(answer, Change)]
        assert changes, (case.rule.name, case.body, answers)
        parts.append(f"namespace before{number} {{\n{text}}}\n")
        for version, change in enumerate(changes):
            name = f"after{number}_{version}"
            new = f"__global__ void k({case.parameters}) {changed(situation, change)}\n"
            parts.append(f"namespace {name} {{\n{new}}}\n")
            both = f'"{case.rule.name} {number}", before{number}::k, {name}::k'
            calls += [f"  compare({both}, {rest});" for rest in _runs(case)]
    return "".join(parts) + MAIN.replace("CALLS", "\n".join(calls))


def _runs(case: Case) -> list[str]:
    return [
        f"dim3({grid[0]}, {grid[1]}), dim3({block[0]}, {block[1]}), {a}, {b}, {out}, {n}, {m}"
        for grid, block in case.launches
        for a, b, out in case.layouts
        for n, m in case.sizes
    ]


def compare_results(hipcc: Path, folder: Path, bench: Bench, cases: Sequence[Case]) -> str:
    """What the program says; every difference is a line of its own."""
    source, built = folder / "same.hip", folder / "same"
    source.write_text(program(bench, cases))
    command = [str(hipcc), "-O3", "-Wno-unused-result", str(source), "-o", str(built)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    ran = subprocess.run([built], capture_output=True, text=True, timeout=300, check=False)
    return ran.stdout + ran.stderr[-1000:]
