"""A small project with a header, and questions to it with parts of its text replaced."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.optimize.guards.denylist import Allowances
from rocm_perf_lab.optimize.guards.source_check import SourceVerdict, check_source
from rocm_perf_lab.optimize.source import Parser, TranslationUnit, compile_command

HEADER = """#pragma once
__device__ int calls;
typedef volatile float app_volatile;
#define STEADY() __builtin_readsteadycounter()
__device__ inline float half_of(float value) { return value * 0.5f; }
__global__ void in_header(float* out) { out[threadIdx.x] = half_of(out[threadIdx.x]); }
"""
# As much of HIP as the tests name. Clang reads it in milliseconds, the whole of HIP in hundreds of
# them; that the real headers are read as well is what the tests of the corpus show.
MINI_HIP = """#pragma clang system_header
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __restrict__ __restrict
#define INFINITY __builtin_inff()
typedef __SIZE_TYPE__ size_t;
struct dim3 { unsigned x, y, z; };
struct float4 { float x, y, z, w; };
extern const __device__ dim3 threadIdx, blockIdx;
extern const __device__ int warpSize;
__device__ void __syncthreads();
__device__ void __threadfence();
__device__ float __expf(float);
__device__ float __logf(float);
__device__ float __shfl_xor(float, int);
__device__ unsigned long __ballot(int);
__device__ int __popcll(unsigned long);
__device__ float atomicAdd(float*, float);
__device__ void abort();
__device__ void* operator new(size_t);
"""
FLAGS = ("-nogpuinc", "-nogpulib")
MAIN = """#include "hip.h"
#include "part.h"
#define SIZE(x) ((x) + 1)
#define TWICE (2 * SIZE(3))
#if 0
it's not even tokens
#endif
enum Colour { kRed = 1 };
static const int kTable[3] = {1, 2, 3};

namespace app {
__global__ void __launch_bounds__(64) work(const float* __restrict__ in, float* out, int n) {
  /* body */
  __shared__ float tile[64];
  volatile float seen = in[0];
  for (int i = threadIdx.x; i < n; i += 64) tile[threadIdx.x] = in[i] + TWICE;
  __syncthreads();
  while (n > 100) n /= 2;
  if (threadIdx.x < n) out[threadIdx.x] = __expf(tile[threadIdx.x]) + seen;
}
}  // namespace app

template <class T>
__global__ void generic(T* out, T value) {
  out[threadIdx.x] = value;
}
template <>
__global__ void generic<int>(int* out, int value) {
  out[threadIdx.x] = value + 1;
}

int main() { return 0; }
"""
BODY_START = "  /* body */\n"


class Project:
    """The main file is ``main.hip``; ``flags`` are those of its build."""

    def __init__(self, prefix: Prefix, folder: Path, main: str, flags: Sequence[str] = ()) -> None:
        self.main, self.header = folder / "main.hip", folder / "part.h"
        self.main.write_text(main)
        self.header.write_text(HEADER)
        (folder / "hip.h").write_text(MINI_HIP)
        self.text = main
        command = compile_command(prefix, self.main, [*FLAGS, *flags])
        self.parser = Parser(command, self.main)
        self.before = self.parser.parse()

    def parse(self, main: str, header: str = HEADER) -> TranslationUnit:
        return self.parser.parse({str(self.main): main.encode(), str(self.header): header.encode()})

    def check(
        self,
        old: str,
        new: str,
        kernel: str = "work",
        allowed: Allowances = Allowances(),  # noqa: B008 (it is frozen)
    ) -> SourceVerdict:
        """The verdict about the main file with ``old``, which is there once, replaced."""
        assert self.text.count(old) == 1, f"{old!r} is {self.text.count(old)} times in the file"
        before = self.before.kernels_named(kernel)[0]
        return check_source(self.before, before, self.parse(self.text.replace(old, new)), allowed)

    def insert(
        self,
        lines: str,
        allowed: Allowances = Allowances(),  # noqa: B008 (it is frozen)
    ) -> SourceVerdict:
        """The verdict about the body of ``work`` with more lines at its start."""
        return self.check(BODY_START, BODY_START + lines, allowed=allowed)


def said(verdict: SourceVerdict) -> list[tuple[str, str]]:
    return [(refusal.stage.value, refusal.reason) for refusal in verdict.refusals]
