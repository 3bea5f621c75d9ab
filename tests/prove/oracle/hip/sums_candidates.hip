// Candidates for the kernels of sums.hip: right ones compute the same terms in another way, wrong ones
// lose a term or precision.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

constexpr int kBlock = 64;

#define FORCES(name) __global__ void forces_##name(float* out, const float* bodies, int n)
#define DOTS(name) \
  __global__ void dots_##name(float* out, const float* a, const float* b, int columns)

struct Force {
  float x, y, z;
};

template <class Weight>
__device__ __forceinline__ Force force_of(const float* bodies, int i, int j, Weight weigh) {
  const float dx = bodies[3 * j] - bodies[3 * i], dy = bodies[3 * j + 1] - bodies[3 * i + 1];
  const float dz = bodies[3 * j + 2] - bodies[3 * i + 2];
  const float weight = weigh(dx * dx + dy * dy + dz * dz + 0.01f);
  return {dx * weight, dy * weight, dz * weight};
}

__device__ __forceinline__ float by_division(float square) {
  const float inverse = 1.0f / sqrtf(square);
  return inverse * inverse * inverse;
}

__device__ __forceinline__ float by_instruction(float square) {
  const float inverse = __builtin_amdgcn_rsqf(square);
  return inverse * inverse * inverse;
}

template <class Weight>
__device__ __forceinline__ void sum_of(float* out, const float* bodies, int n, int parts,
                                       Weight weigh, int without = -1) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Force sum[4] = {};
#pragma unroll 4
  for (int j = 0; j < n; ++j) {
    if (j == without) continue;
    const Force f = force_of(bodies, i, j, weigh);
    Force& s = sum[parts == 1 ? 0 : j % 4];
    s.x += f.x;
    s.y += f.y;
    s.z += f.z;
  }
  out[3 * i] = (sum[0].x + sum[1].x) + (sum[2].x + sum[3].x);
  out[3 * i + 1] = (sum[0].y + sum[1].y) + (sum[2].y + sum[3].y);
  out[3 * i + 2] = (sum[0].z + sum[1].z) + (sum[2].z + sum[3].z);
}

FORCES(right_contracted) { sum_of(out, bodies, n, 1, by_division); }
FORCES(right_unrolled) { sum_of(out, bodies, n, 4, by_division); }
FORCES(right_by_instruction) { sum_of(out, bodies, n, 1, by_instruction); }
FORCES(wrong_lost_term) { sum_of(out, bodies, n, 1, by_division, n / 2); }
FORCES(wrong_half_weights) {
  sum_of(out, bodies, n, 1, [](float square) { return float(_Float16(by_division(square))); });
}

// One lane sums a row; the others have nothing to do.
DOTS(right_one_after_the_other) {
  if (threadIdx.x != 0) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += a[blockIdx.x * columns + c] * b[blockIdx.x * columns + c];
  out[blockIdx.x] = sum;
}

template <class Term>
__device__ __forceinline__ void in_pieces(float* out, int columns, Term term) {
  __shared__ float partial[kBlock];
  const int piece = (columns + kBlock - 1) / kBlock, first = threadIdx.x * piece;
  float sum = 0;
  for (int c = first; c < first + piece && c < columns; ++c) sum += term(blockIdx.x * columns + c);
  partial[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float total = 0;
  for (int k = 0; k < kBlock; ++k) total += partial[k];
  out[blockIdx.x] = total;
}

DOTS(right_in_pieces) {
  in_pieces(out, columns, [=](int at) { return a[at] * b[at]; });
}
DOTS(right_in_double) {
  if (threadIdx.x != 0) return;
  double sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += double(a[blockIdx.x * columns + c]) * b[blockIdx.x * columns + c];
  out[blockIdx.x] = float(sum);
}
DOTS(wrong_lost_term) {
  const int last = blockIdx.x * columns + columns - 1;
  in_pieces(out, columns, [=](int at) { return at == last ? 0.0f : a[at] * b[at]; });
}
DOTS(wrong_half_inputs) {
  in_pieces(out, columns, [=](int at) { return float(_Float16(a[at])) * float(_Float16(b[at])); });
}
DOTS(wrong_half_sum) {
  if (threadIdx.x != 0) return;
  _Float16 sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += _Float16(a[blockIdx.x * columns + c] * b[blockIdx.x * columns + c]);
  out[blockIdx.x] = float(sum);
}
