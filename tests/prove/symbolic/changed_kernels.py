"""Kernels, changes of them that are right, and changes that look right and are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

HEAD = """#include <hip/hip_runtime.h>
struct __attribute__((packed)) packed { float value; };
"""


@dataclass(frozen=True)
class Pair:
    """``right`` and ``wrong`` are bodies in place of ``body``."""

    name: str
    parameters: str
    body: str
    wrong: str
    right: Optional[str] = None  # None where the change has no right form


_SUM = "const int* in, int* out, int n, int step"
_COPY = "const float* in, float* out, int n"
_RESTRICT = (
    "const float* __restrict__ in, float* __restrict__ out, const float* __restrict__ scale, int n"
)
# In which form the counter's range is asked for, and how many elements are written.
_APART = """int i = threadIdx.x;
          if (i < n && %s (size_t)&scale[0] - (size_t)&out[i] >= (%s) * sizeof(float)) {
            const float s = scale[0]; for (; i < n; i += blockDim.x) out[i] = in[i] * s; }
          for (; i < n; i += blockDim.x) out[i] = in[i] * scale[0];"""

PAIRS = (
    Pair(
        "remainder_off_by_one",
        _SUM,
        "int s = 0; for (int i = threadIdx.x; i < n; ++i) s += in[i]; out[threadIdx.x] = s;",
        right="""int s = 0; int i = threadIdx.x;
          for (; i + 3LL < n; i += 4) {
            s += in[i]; s += in[i + 1]; s += in[i + 2]; s += in[i + 3]; }
          for (; i < n; ++i) s += in[i];
          out[threadIdx.x] = s;""",
        wrong="""int s = 0; int i = threadIdx.x;
          for (; i + 3LL < n; i += 4) {
            s += in[i]; s += in[i + 1]; s += in[i + 2]; s += in[i + 3]; }
          for (; i < n - 1; ++i) s += in[i];
          out[threadIdx.x] = s;""",
    ),
    Pair(
        "hoisted_over_a_store",
        "const float* in, float* out, const float* scale, int n",
        "for (int i = threadIdx.x; i < n; i += 64) out[i] = in[i] * scale[0];",
        wrong="""int i = threadIdx.x;
          if (i < n) { const float s = scale[0]; for (; i < n; i += 64) out[i] = in[i] * s; }""",
    ),
    Pair(
        "hoisted_where_stores_lie_apart",
        "const float* in, float* out, const float* scale, int n",
        "for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] * scale[0];",
        right=_APART % ("(long long)n + blockDim.x <= 0x7fffffff &&", "(size_t)n - i"),
        wrong=_APART % ("(long long)n + blockDim.x <= 0x7fffffff &&", "(size_t)n - i - 1"),
    ),
    Pair(
        "hoisted_though_the_counter_may_begin_anew",
        "const float* in, float* out, const float* scale, int n",
        "for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] * scale[0];",
        wrong=_APART % ("", "(size_t)n - i"),
    ),
    Pair(
        "hoisted_where_stores_may_meet_a_part",  # nothing is aligned
        "const packed* in, packed* out, const packed* scale, int n",
        "for (int i = threadIdx.x; i < n; ++i) out[i].value = in[i].value * scale[0].value;",
        wrong="""int i = threadIdx.x;
          if (i < n && (size_t)&scale[0] - (size_t)&out[i] >= ((size_t)n - i) * 4) {
            const float s = scale[0].value;
            for (; i < n; ++i) out[i].value = in[i].value * s; }
          for (; i < n; ++i) out[i].value = in[i].value * scale[0].value;""",
    ),
    Pair(
        "hoisted",
        _RESTRICT,
        "for (int i = threadIdx.x; i < n; i += 64) out[i] = in[i] * scale[0];",
        right="""int i = threadIdx.x;
          if (i < n) { const float s = scale[0]; for (; i < n; i += 64) out[i] = in[i] * s; }""",
        # read also where the loop does not run: there may be nothing to read
        wrong="""int i = threadIdx.x;
          const float s = scale[0]; for (; i < n; i += 64) out[i] = in[i] * s;""",
    ),
    Pair(
        "check_for_those_that_need_it",
        "const int* in, int* out, int n, int r",
        """const int i = threadIdx.x; int s = 0;
          for (int d = -r; d <= r; ++d) if (i + d >= 0 && i + d < n) s += in[i + d];
          out[i] = s;""",
        right="""const int i = threadIdx.x; int s = 0;
          if ((long long)i - r >= 0 && (long long)i + r < n) {
            for (int d = -r; d <= r; ++d) s += in[i + d];
          } else {
            for (int d = -r; d <= r; ++d) if (i + d >= 0 && i + d < n) s += in[i + d]; }
          out[i] = s;""",
        wrong="""const int i = threadIdx.x; int s = 0;
          if ((long long)i - r >= 0 && (long long)i + r <= n) {
            for (int d = -r; d <= r; ++d) s += in[i + d];
          } else {
            for (int d = -r; d <= r; ++d) if (i + d >= 0 && i + d < n) s += in[i + d]; }
          out[i] = s;""",
    ),
    Pair(
        # The step may be negative: then the counter leaves what was checked at its start.
        "check_of_a_counter_that_may_go_back",
        "const int* in, int* out, int n, int r, int step",
        """const int i = threadIdx.x; int s = 0;
          for (int d = -r; d <= r; d += step) if (i + d >= 0 && i + d < n) s += in[i + d];
          out[i] = s;""",
        wrong="""const int i = threadIdx.x; int s = 0;
          if ((long long)i - r >= 0 && (long long)i + r < n) {
            for (int d = -r; d <= r; d += step) s += in[i + d];
          } else {
            for (int d = -r; d <= r; d += step) if (i + d >= 0 && i + d < n) s += in[i + d]; }
          out[i] = s;""",
    ),
    Pair(
        # An inner loop takes it back where nobody looks.
        "check_of_a_counter_that_an_inner_loop_changes",
        "const int* in, int* out, int n, int r",
        """const int i = threadIdx.x; int s = 0;
          for (int d = -r; d <= r; ++d) {
            if (i + d >= 0 && i + d < n) s += in[i + d];
            for (int k = 0; k < n; ++k) if (out[k] == d) d -= 2; }
          out[i] = s;""",
        wrong="""const int i = threadIdx.x; int s = 0;
          if ((long long)i - r >= 0 && (long long)i + r < n) {
            for (int d = -r; d <= r; ++d) {
              s += in[i + d];
              for (int k = 0; k < n; ++k) if (out[k] == d) d -= 2; }
          } else {
            for (int d = -r; d <= r; ++d) {
              if (i + d >= 0 && i + d < n) s += in[i + d];
              for (int k = 0; k < n; ++k) if (out[k] == d) d -= 2; } }
          out[i] = s;""",
    ),
    Pair(
        "stride_of_a_reduced_product",
        "const float* in, float* out, unsigned n, unsigned pitch",
        "for (unsigned i = 0; i < n; ++i) out[i * pitch + threadIdx.x] = 1.0f;",
        right="""unsigned at = threadIdx.x;
          for (unsigned i = 0; i < n; ++i) { out[at] = 1.0f; at += pitch; }""",
        wrong="""unsigned at = threadIdx.x;
          for (unsigned i = 0; i < n; ++i) { out[at] = 1.0f; at += pitch + (i >> 31); }""",
    ),
    Pair(
        "last_element_unchecked",
        _COPY,
        "const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] + 1.0f;",
        right="""const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (!(i < n)) return; out[i] = in[i] + 1.0f;""",
        wrong="""const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i <= n) out[i] = in[i] + 1.0f;""",
    ),
    Pair(
        "arms_swapped",
        _COPY,
        """float v = in[threadIdx.x]; float r;
          if (v > 0.5f) r = v * 2.0f; else r = v * 3.0f; out[threadIdx.x] = r;""",
        right="""float v = in[threadIdx.x];
          float r = v > 0.5f ? v * 2.0f : v * 3.0f; out[threadIdx.x] = r;""",
        wrong="""float v = in[threadIdx.x];
          float r = v > 0.5f ? v * 3.0f : v * 2.0f; out[threadIdx.x] = r;""",
    ),
    Pair(
        "remainder_left_out",
        _COPY,
        "for (int i = threadIdx.x; i < n; i += 64) out[i] = in[i];",
        right="""int i = threadIdx.x;
          for (; i + 64LL < n; i += 128) { out[i] = in[i]; out[i + 64] = in[i + 64]; }
          for (; i < n; i += 64) out[i] = in[i];""",
        wrong="""int i = threadIdx.x;
          for (; i + 64LL < n; i += 128) { out[i] = in[i]; out[i + 64] = in[i + 64]; }""",
    ),
    Pair(
        "sum_in_another_order",
        "const float* in, float* out, int n",
        "float s = 0; for (int i = 0; i < n; ++i) s += in[i]; out[threadIdx.x] = s;",
        right="""float s = 0; int i = 0;
          for (; i + 1LL < n; i += 2) { s += in[i]; s += in[i + 1]; }
          for (; i < n; ++i) s += in[i]; out[threadIdx.x] = s;""",
        wrong="""float s = 0; int i = 0;
          for (; i + 1LL < n; i += 2) s += in[i] + in[i + 1];
          for (; i < n; ++i) s += in[i]; out[threadIdx.x] = s;""",
    ),
    Pair(
        "barrier_missing",
        _COPY,
        """__shared__ float t[64]; t[threadIdx.x & 63] = in[threadIdx.x]; __syncthreads();
          out[threadIdx.x] = t[63 - (threadIdx.x & 63)];""",
        right="""__shared__ float t[64]; const float v = in[threadIdx.x]; t[threadIdx.x & 63] = v;
          __syncthreads(); const float w = t[63 - (threadIdx.x & 63)]; out[threadIdx.x] = w;""",
        wrong="""__shared__ float t[64]; t[threadIdx.x & 63] = in[threadIdx.x];
          out[threadIdx.x] = t[63 - (threadIdx.x & 63)];""",
    ),
    Pair(
        "index_of_32_bits",
        "const float* in, float* out, long n, int row",
        "const long i = (long)row * n + threadIdx.x; out[i] = in[i];",
        right="const long base = (long)row * n; out[base + threadIdx.x] = in[base + threadIdx.x];",
        wrong="const int i = row * (int)n + (int)threadIdx.x; out[i] = in[i];",
    ),
    Pair(
        "store_before_the_guard",
        _COPY,
        "const int i = threadIdx.x; const float v = 1.0f; if (i < n) { out[i] = v; }",
        right="const int i = threadIdx.x; if (i >= n) return; out[i] = 1.0f;",
        wrong="const int i = threadIdx.x; out[i] = 1.0f; if (i < n) { out[i] = 1.0f; }",
    ),
    Pair(
        "loads_before_the_stores",
        _COPY,
        "for (int i = threadIdx.x; i < n; i += 64) out[i] = in[i] * 2.0f;",
        wrong="""int i = threadIdx.x;
          for (; i + 64LL < n; i += 128) {
            const float a = in[i], b = in[i + 64]; out[i] = a * 2.0f; out[i + 64] = b * 2.0f; }
          for (; i < n; i += 64) out[i] = in[i] * 2.0f;""",
    ),
    Pair(
        "loads_before_stores_apart",
        _RESTRICT,
        "for (int i = threadIdx.x; i < n; i += 64) out[i] = in[i] * 2.0f;",
        right="""int i = threadIdx.x;
          for (; i + 64LL < n; i += 128) {
            const float a = in[i], b = in[i + 64]; out[i] = a * 2.0f; out[i + 64] = b * 2.0f; }
          for (; i < n; i += 64) out[i] = in[i] * 2.0f;""",
        wrong="""int i = threadIdx.x;
          for (; i + 64LL < n; i += 128) {
            const float a = in[i], b = in[i + 63]; out[i] = a * 2.0f; out[i + 64] = b * 2.0f; }
          for (; i < n; i += 64) out[i] = in[i] * 2.0f;""",
    ),
    Pair(
        "guard_that_wraps",
        _COPY,
        "for (int i = threadIdx.x; i < n; i += 64) out[i] = in[i];",
        # unsigned: a negative n is a large one
        wrong="""int i = threadIdx.x; const unsigned step = 64;
          for (; i + step < n; i += 2 * step) { out[i] = in[i]; out[i + 64] = in[i + 64]; }
          for (; i < n; i += 64) out[i] = in[i];""",
    ),
    Pair(
        "loop_that_does_not_end",
        _COPY,
        "for (int i = threadIdx.x; i < n; i += 64) out[i] = 0.0f;",
        wrong="""for (int i = threadIdx.x; i < n; i += 64) out[i] = 0.0f;
          if (n == 77) for (unsigned k = 1; k != 0; k += 2) out[threadIdx.x] = out[threadIdx.x];""",
    ),
    Pair(
        "counts_in_another_order",
        "int* out, const int* in, int n",
        "for (int i = threadIdx.x; i < n; i += 64) atomicAdd(&out[in[i] & 7], 1);",
        right="""int i = threadIdx.x;
          for (; i + 64LL < n; i += 128) {
            atomicAdd(&out[in[i] & 7], 1); atomicAdd(&out[in[i + 64] & 7], 1); }
          for (; i < n; i += 64) atomicAdd(&out[in[i] & 7], 1);""",
        wrong="""int i = threadIdx.x;
          for (; i + 64LL < n; i += 128) {
            atomicAdd(&out[in[i] & 7], 1); atomicAdd(&out[in[i] & 7], 1); }
          for (; i < n; i += 64) atomicAdd(&out[in[i] & 7], 1);""",
    ),
    Pair(
        "read_past_a_barrier",
        "const float* in, float* out, float* shared_sums, int n",
        """out[threadIdx.x] = in[threadIdx.x]; __syncthreads();
          shared_sums[threadIdx.x] = in[threadIdx.x + 1];""",
        wrong="""const float early = in[threadIdx.x + 1]; out[threadIdx.x] = in[threadIdx.x];
          __syncthreads(); shared_sums[threadIdx.x] = early;""",
    ),
    Pair(
        "table_with_another_number",
        _COPY,
        """static const float w[4] = {1.0f, 2.0f, 4.0f, 8.0f};
          out[threadIdx.x] = in[threadIdx.x] * w[n & 3];""",
        right="""static const float w[4] = {1.0f, 2.0f, 4.0f, 8.0f};
          const float v = in[threadIdx.x];
          out[threadIdx.x] = v * w[n & 3];""",
        wrong="""static const float w[4] = {1.0f, 2.0f, 4.0f, 9.0f};
          out[threadIdx.x] = in[threadIdx.x] * w[n & 3];""",
    ),
    Pair(
        "kept_over_inner_stores",
        "float* out, int n, int m",
        """for (int j = 0; j < m; ++j) {
            for (int i = 0; i < n; ++i) out[i] = out[i + 1] + 1.0f;
          }""",
        wrong="""for (int j = 0; j < m; ++j) {
            float next = 0.0f; if (n > 0) next = out[1];
            for (int i = 0; i < n; ++i) {
              const float now = next; if (i + 1 < n) next = out[i + 1]; out[i] = now + 1.0f; }
          }""",
    ),
    Pair(
        "shuffle_with_other_lanes",
        "int* out, const int* in, int n",
        """int v = in[threadIdx.x];
          v += __shfl_down(v, 1); if (n > 3) v += 2; else v += 5; out[threadIdx.x] = v;""",
        right="""int v = in[threadIdx.x];
          v += __shfl_down(v, 1); v += n > 3 ? 2 : 5; out[threadIdx.x] = v;""",
        wrong="""int v = in[threadIdx.x];
          if (v > 3) { v += __shfl_down(v, 1); } else { v += __shfl_down(v, 1); }
          if (n > 3) v += 2; else v += 5; out[threadIdx.x] = v;""",
    ),
    Pair(
        "one_value_dropped",
        "const double* in, double* out, int n, double alpha",
        "out[threadIdx.x] = alpha * in[threadIdx.x] + (n > 1000 ? 1.0 : 0.0);",
        wrong="out[threadIdx.x] = alpha * in[threadIdx.x] + 0.0;",
    ),
)


def source(which: str) -> str:
    """One file with every pair's kernel that has this form: "body", "right" or "wrong"."""
    kernels = []
    for pair in PAIRS:
        body = getattr(pair, which)
        if body is not None:
            head = f'extern "C" __global__ void {pair.name}({pair.parameters})'
            kernels.append(f"{head} {{ {body} }}\n")
    return HEAD + "".join(kernels)
