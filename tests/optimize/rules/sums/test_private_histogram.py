"""Integer additions to a known number of bins are collected in LDS."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.sums.private_histogram import PrivateHistogram

pytestmark = pytest.mark.native

LOOP = "for (int i = threadIdx.x; i < n; i += blockDim.x)"
KERNEL = """constexpr unsigned kBins = 100;
__global__ void k(const unsigned char* in, const unsigned* keys, unsigned* bins, float* sums, int n)
{{
{before}  {loop}
    {line}
{after}}}
"""


def text(line: str, before: str = "", after: str = "", loop: str = LOOP) -> str:
    return KERNEL.format(line=line, before=before, after=after, loop=loop)


def test_the_block_counts_in_lds(bench: Bench) -> None:
    source = text("atomicAdd(&bins[in[i]], 1u);").replace(
        "unsigned* bins", "unsigned* __restrict bins"
    )
    assert bench.body(PrivateHistogram(), source) == (
        """{
  // The block counts in LDS; global memory sees one addition per block and bin.
  __shared__ unsigned int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&counts[in[i]], 1u);
  __syncthreads();
  if (threadIdx.y == 0 && threadIdx.z == 0)
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
      if (counts[bin] != 0) atomicAdd(&bins[bin], counts[bin]);
}"""
    )


def test_what_is_read_is_not_in_the_bins(bench: Bench) -> None:
    body = bench.body(PrivateHistogram(), text("atomicAdd(&bins[keys[i] % kBins], 1u);"))
    assert (
        "  if (keys + n <= (const unsigned int*)bins || "
        "(const unsigned int*)(bins + kBins) <= keys) {\n"
    ) in body
    assert (
        """  } else {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      atomicAdd(&bins[keys[i] % kBins], 1u);
  }
}"""
        in body
    )


@pytest.mark.parametrize(
    ("line", "before", "why"),
    [
        ("atomicAdd(&bins[keys[i]], 1u);", "", "how many bins there are does not follow"),
        ("atomicAdd(&bins[(int)keys[i] % 100], 1u);", "", "how many bins there are"),
        ("atomicAdd(&sums[in[i]], 1.0f);", "", "sums of float depend on their order"),
        ("atomicAdd(bins, 1u);", "", "it does not add to bins[value]"),
        ("bins[0] = atomicAdd(&bins[in[i]], 1u);", "", "its result is used"),
        ("{ atomicAdd(&bins[in[i]], 1u); if (bins[3] > 7) sums[i] = 0.0f; }", "", "used in more"),
        ("atomicAdd(&bins[in[i]], 1u);", "  if (n < 3) return;\n", "misses the barriers"),
        ("atomicAdd(&bins[in[i]], 1u);", "  if (n < 3)\n", "not in a loop that every thread"),
        ("atomicAdd(&bins[in[i]], 1u);", "  __syncthreads();\n", "the kernel has barriers"),
        ("atomicAdd(&bins[in[i + 1]], 1u);", "", "in may be part of bins"),
    ],
)
def test_it_says_why_not(bench: Bench, line: str, before: str, why: str) -> None:
    changes, refusals = bench.look(PrivateHistogram(), text(line, before))
    assert changes == []
    assert len(refusals) == 1
    assert why in refusals[0].why
    assert said(refusals)[0][0] >= 4


def test_a_start_below_zero_is_not_tested_from_zero(bench: Bench) -> None:
    source = text("atomicAdd(&bins[in[i]], 1u);", loop=LOOP.replace("threadIdx.x;", "n - 5;"))
    changes, refusals = bench.look(PrivateHistogram(), source)
    assert changes == []
    assert "in may be part of bins" in refusals[0].why
