"""Kernels with loops drawn at random: what sampled time makes of programs that nobody has seen.

Each kernel has one to three loops, in an outer one: strided and blocked loads, gathers, chases,
tiles in the LDS with barriers, arithmetic, stencils and stores. How often a loop goes round is the
same for all, or differs by workgroup, wave or lane. 64 to 4000 waves of 400 to 40,000 steps.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

COUNT = 40

HEAD = """
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
"""

MAIN = """int main(int argc, char** argv) {
  const int k = atoi(argv[1]), n = atoi(argv[2]), spread = atoi(argv[3]);
  const unsigned mask = (16u << 20) - 1;
  float *data, *out; int* lens;
  if (hipMalloc(&data, 64u << 20) || hipMalloc(&out, 64u << 20)) return 1;
  if (hipMalloc(&lens, 8192 * 4)) return 1;
  if (hipMemset(data, 0, 64u << 20)) return 1;
  std::vector<int> host(8192); unsigned h = k + 1;
  for (int& l : host) {
    h = h * 1664525u + 1013904223u;
    l = n / spread + (spread > 1 ? int((h >> 8) % unsigned(n - n / spread + 1)) : 0);
  }
  if (hipMemcpy(lens, host.data(), 8192 * 4, hipMemcpyHostToDevice)) return 1;
  switch (k) {
CASES
  }
  return hipDeviceSynchronize() != hipSuccess;
}
"""

KERNEL = """__global__ void kNUMBER(const float* __restrict__ data, float* out, const int* lens,
                        int n, unsigned mask, unsigned total) {
  __shared__ float tile[512];
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x, wave = id / 64;
  float x = threadIdx.x, y = 1; tile[threadIdx.x] = x; __syncthreads();
  for (int outer = 0; outer < OUTER; ++outer) {
BODY
  }
  out[id] = x + y;
}"""

TRIPS = ("n", "n", "n", "lens[wave & 8191]", "lens[blockIdx.x & 8191]", "lens[(id * 7) & 8191]")
TABLES = (0x3FFF, 0xFFFFF, 0xFFFFFF)


@dataclass(frozen=True)
class Loop:
    """The head of a loop; `trip` is how often it goes round, without what it is divided by."""

    unroll: str
    trip: str

    def of(self, body: str, less: int = 1, before: str = "", first: int = 0) -> str:
        trip = f"{self.trip} / {less}" if less > 1 else self.trip
        end = f"i {'<=' if first else '<'} t"
        head = f"{self.unroll} for (int i = {first}; {end}; ++i)"
        return f"{{ const int t = {trip}; {before}\n{head} {body} }}"


Part = Callable[[random.Random, Loop], str]


def rows(draw: random.Random, loop: Loop) -> str:
    pitch = draw.choice([67, 128, 300, 512, 1024, 2048])
    return loop.of(f"x += data[(id * {pitch}u + i) & mask];")


def columns(draw: random.Random, loop: Loop) -> str:
    return loop.of("x += data[(id + i * total) & mask];")


def block(draw: random.Random, loop: Loop) -> str:
    piece = draw.choice([512, 2048, 8192])
    at = f"blockIdx.x * {piece}u + (threadIdx.x + i * blockDim.x) % {piece}u"
    return loop.of(f"x += data[({at}) & mask];")


def strided(draw: random.Random, loop: Loop) -> str:
    stride = draw.choice([2, 3, 16, 33, 64])
    step = draw.choice([1, 32, 97, 4096])
    return loop.of(f"x = x * 0.5f + data[(id * {stride}u + i * {step}u) & mask];")


def gather(draw: random.Random, loop: Loop) -> str:
    table = draw.choice(TABLES)
    body = f"{{ x += data[at & {table}u]; at = at * 1664525u + 1013904223u; }}"
    return loop.of(body, before="unsigned at = id * 2654435761u;")


def chase(draw: random.Random, loop: Loop) -> str:
    table = draw.choice(TABLES)
    body = f"at = (at + unsigned(data[at & {table}u])) * 1664525u + 1013904223u; x += at;"
    return loop.of(body, less=4, before="unsigned at = id;")


def shared(draw: random.Random, loop: Loop) -> str:
    step, lanes = draw.choice([1, 32, 64]), draw.choice([1, 16, 64])
    return loop.of(f"x += data[((i * {step}u) + threadIdx.x % {lanes}) & mask] * x;")


def tile(draw: random.Random, loop: Loop) -> str:
    inner = draw.choice([8, 16, 32])
    step = draw.choice(["total", "64u", "1024u"])
    lanes, along = draw.choice([1, 1, 2, 16]), draw.choice([1, 3, 16])
    return f"""{{ const int t = n / {inner};
 for (int r = 0; r < t; ++r) {{ tile[threadIdx.x] = data[(id + r * {step}) & mask]; __syncthreads();
{loop.unroll} for (int i = 0; i < {inner}; ++i)
   x += tile[(threadIdx.x * {lanes} + i * {along}) % blockDim.x] * x;
  __syncthreads(); }} }}"""


def lds(draw: random.Random, loop: Loop) -> str:
    lanes = draw.choice([1, 2, 4, 32])
    body = f"x += tile[(threadIdx.x * {lanes} + i) % blockDim.x]; __syncthreads();"
    return loop.of(body, before="tile[threadIdx.x] = x; __syncthreads();")


def arithmetic(draw: random.Random, loop: Loop) -> str:
    chain = "".join(f"y = y * x + {n}.0f; " for n in range(draw.choice([1, 4, 12])))
    return loop.of("{ x = x * 0.999f + 1.0f; " + chain + "}")


def store(draw: random.Random, loop: Loop) -> str:
    lanes, step = draw.choice([1, 8, 64]), draw.choice(["total", "1u"])
    body = f"{{ out[(id * {lanes}u + i * {step}) & mask] = x; x = x * 0.9f + 1; }}"
    return loop.of(body, less=4)


def stencil(draw: random.Random, loop: Loop) -> str:
    width = draw.choice([300, 1024, 4096])
    places = ("c", f"(c - {width}u)", f"(c + {width}u)", "(c + 1)", "(c - 1)")
    around = " + ".join(f"data[{at} & mask]" for at in places)
    return loop.of(f"{{ const unsigned c = id + i * {width}u; x += {around}; }}", less=3, first=1)


PARTS: tuple[Part, ...] = (
    *(rows, rows, columns, block, strided, gather, chase, shared),
    *(tile, lds, arithmetic, store, stencil),
)


def part(draw: random.Random) -> str:
    what = draw.choice(PARTS)
    unroll = draw.choice(["#pragma unroll 1\n", "#pragma unroll 1\n", ""])
    trip = draw.choice(TRIPS)
    divided = draw.choice([1, 1, 2, 4])
    return what(draw, Loop(unroll, f"({trip}) / {divided}" if divided > 1 else trip))


@dataclass(frozen=True)
class Kernel:
    source: str
    call: str
    arguments: tuple[int, int]  # length of its loops, and how many times shorter they may be


def kernel(draw: random.Random, number: int) -> Kernel:
    parts = [part(draw) for _ in range(draw.choice([1, 1, 2, 3]))]
    outer = draw.choice([1, 1, 1, 3, 8])
    size = draw.choice([64, 64, 128, 256, 512])
    waves = draw.choice([64, 304, 608, 1216, 1500, 2432, 4000])
    groups = max(8, waves * 64 // size)
    length = int(min(40000, draw.choice([3e6, 8e6, 16e6]) / waves) / 8 / outer / len(parts))
    spread = draw.choice([1, 1, 2, 6])
    named = KERNEL.replace("NUMBER", str(number)).replace("OUTER", str(outer))
    arguments = f"data, out, lens, n, mask, {groups * size}u"
    return Kernel(
        named.replace("BODY", "\n".join(parts)),
        f"    case {number}: k{number}<<<{groups}, {size}>>>({arguments}); break;",
        (length, spread),
    )


def random_programs(
    seed: int, hipcc: Path, folder: Path, only: Sequence[int] = ()
) -> Iterator[tuple[str, list[str]]]:
    """Names and commands of one program, once for each kernel, or for those with these numbers."""
    draw = random.Random(seed)
    kernels = [kernel(draw, number) for number in range(COUNT)]
    cases = "\n".join(kernel.call for kernel in kernels)
    source = folder / "random.hip"
    sources = (HEAD, *(kernel.source for kernel in kernels), MAIN.replace("CASES", cases))
    source.write_text("\n".join(sources))
    program = folder / "random"
    subprocess.run([str(hipcc), "-O3", str(source), "-o", str(program)], check=True)
    for number, kernel_ in enumerate(kernels):
        if only and number not in only:
            continue
        yield f"{seed}-{number}", [str(program), str(number), *map(str, kernel_.arguments)]
