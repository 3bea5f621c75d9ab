// Versions of the captured kernels: KERNEL_wrong_WHAT computes something else, KERNEL_right_HOW does not.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cfloat>

constexpr int kBlock = 256, kBins = 16;

#define SCALE(name) __global__ void scale_##name(float* out, const float* in, int n, float a)
#define UPDATE(name) __global__ void update_##name(float* out, const float* in, int n, float a)
#define ROWS(name) __global__ void row_sums_##name(float* out, const float* in, int columns)
#define SOFTMAX(name) __global__ void softmax_##name(float* out, const float* in, int columns)
#define COUNT(name) __global__ void histogram_##name(unsigned* bins, const unsigned* in, int n)
#define STENCIL(name) __global__ void stencil_##name(float* out, const float* in, int n)

__device__ int own_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// --- scale: wrong --------------------------------------------------------------------------------

SCALE(wrong_last_block_dropped) {
  const int i = own_index();
  if (i < n && blockIdx.x + 1 < gridDim.x) out[i] = in[i] * a;
}

SCALE(wrong_off_by_one) {
  const int i = own_index();
  if (i < n - 1) out[i] = in[i] * a;
}

SCALE(wrong_constant_output) {
  const int i = own_index();
  if (i < n) out[i] = 0.25f;
}

SCALE(wrong_copy_of_input) {
  const int i = own_index();
  if (i < n) out[i] = in[i];
}

SCALE(wrong_nothing_done) {}

SCALE(wrong_past_the_end) {
  const int i = own_index();
  if (i <= n) out[i] = (i < n ? in[i] : 1.0f) * a;
}

SCALE(wrong_reads_past_the_end) {  // the last element depends on what lies behind the buffer
  const int i = own_index();
  if (i < n) out[i] = fmaxf(in[i], fminf(in[i + 1], in[i])) * a + 0.0f * in[i + 1];
}

SCALE(wrong_keeps_old_output) {
  const int i = own_index();
  if (i < n && (out[i] == 0.0f || out[i] != out[i])) out[i] = in[i] * a;
}

SCALE(wrong_for_odd_sizes) {  // pairs, and no rest
  const int i = own_index() * 2;
  if (i + 1 < n) {
    out[i] = in[i] * a;
    out[i + 1] = in[i + 1] * a;
  }
}

__device__ int launches[64];
SCALE(wrong_on_the_second_launch) {
  __shared__ int launch;
  if (threadIdx.x == 0) launch = launches[blockIdx.x]++;
  __syncthreads();
  const int i = own_index();
  if (i < n) out[i] = in[i] * (launch ? 1.0f : a);
}

SCALE(wrong_input_overwritten) {
  const int i = own_index();
  if (i >= n) return;
  out[i] = in[i] * a;
  const_cast<float*>(in)[i] = 0.0f;
}

SCALE(wrong_nan_swallowed) {
  const int i = own_index();
  if (i < n) out[i] = in[i] != in[i] ? 0.0f : in[i] * a;
}

SCALE(wrong_nan_left_out) {
  const int i = own_index();
  if (i < n && in[i] == in[i]) out[i] = in[i] * a;
}

SCALE(wrong_infinity_clamped) {
  const int i = own_index();
  if (i < n) out[i] = in[i] != in[i] ? in[i] : fminf(fmaxf(in[i] * a, -FLT_MAX), FLT_MAX);
}

SCALE(wrong_denormals_flushed) {
  const int i = own_index();
  if (i >= n) return;
  const float value = in[i] * a;
  out[i] = fabsf(value) < FLT_MIN ? copysignf(0.0f, value) : value;
}

SCALE(wrong_half_precision) {
  const int i = own_index();
  if (i < n) out[i] = __half2float(__float2half(in[i] * a));
}

SCALE(wrong_size_in_the_code) {  // 1000 is what was captured
  const int i = own_index();
  if (i < 1000) out[i] = in[i] * a;
}

SCALE(wrong_endless_loop) {
  volatile float* place = out;
  const int i = own_index();
  while (i < n && n == 1) place[0] = place[0] + 1.0f;
  if (i < n) out[i] = in[i] * a;
}

SCALE(wrong_hidden_race) {  // right as long as waves run one after the other
  const int i = own_index();
  if (i + 64 < n && threadIdx.x + 64 < kBlock) out[i + 64] = 0.0f;
  if (i < n) out[i] = in[i] * a;
}

SCALE(wrong_in_another_order) {  // the same by volatile accesses, which may race
  const int i = own_index();
  volatile float* written = out;
  if (i + 64 < n && threadIdx.x + 64 < kBlock) written[i + 64] = 0.0f;
  if (i < n) written[i] = in[i] * a;
}

// --- the others: wrong ---------------------------------------------------------------------------

UPDATE(wrong_aliasing) {  // right where out and in are different memory
  const int i = own_index();
  if (i >= n) return;
  volatile float* written = out;
  written[i] = a;
  written[i] = written[i] - in[i] * in[i];
}

ROWS(wrong_half_sum) {
  __shared__ float partial[kBlock];
  __half sum = __float2half(0.0f);
  for (int c = threadIdx.x; c < columns; c += kBlock)
    sum = __hadd(sum, __float2half(in[blockIdx.x * columns + c]));
  partial[threadIdx.x] = __half2float(sum);
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

ROWS(wrong_barrier_removed) {
  __shared__ float partial[kBlock];
  volatile float* shared = partial;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += kBlock) sum += in[blockIdx.x * columns + c];
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2)
    if (threadIdx.x < step) shared[threadIdx.x] = shared[threadIdx.x] + shared[threadIdx.x + step];
  if (threadIdx.x == 0) out[blockIdx.x] = shared[0];
}

ROWS(wrong_uninitialised) {  // threads behind the end of the row leave their place as it was
  __shared__ float partial[2 * kBlock];
  volatile float* shared = partial;
  if (threadIdx.x < columns) shared[threadIdx.x] = in[blockIdx.x * columns + threadIdx.x];
  if (threadIdx.x + kBlock < columns)
    shared[threadIdx.x + kBlock] = in[blockIdx.x * columns + threadIdx.x + kBlock];
  __syncthreads();
  for (int step = kBlock; step > 0; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] = shared[threadIdx.x] + shared[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = shared[0];
}

__device__ float in_block(float value, bool largest) {
  __shared__ float partial[kBlock];
  __syncthreads();
  partial[threadIdx.x] = value;
  __syncthreads();
  float all = partial[0];
  for (int t = 1; t < kBlock; ++t) all = largest ? fmaxf(all, partial[t]) : all + partial[t];
  return all;
}

SOFTMAX(wrong_no_maximum) {
  const float* row = in + blockIdx.x * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += kBlock) sum += expf(row[c]);
  sum = in_block(sum, false);
  for (int c = threadIdx.x; c < columns; c += kBlock)
    out[blockIdx.x * columns + c] = expf(row[c]) / sum;
}

COUNT(wrong_plain_adds) {
  const int i = own_index();
  if (i < n) bins[in[i] % kBins] += 1u;
}

STENCIL(wrong_barrier_removed) {
  __shared__ float tile[kBlock + 2];
  volatile float* shared = tile;
  const int i = blockIdx.x * kBlock + threadIdx.x;
  shared[threadIdx.x + 1] = i < n ? in[i] : 0.0f;
  if (threadIdx.x == 0) shared[0] = i > 0 && i <= n ? in[i - 1] : 0.0f;
  if (threadIdx.x == kBlock - 1) shared[kBlock + 1] = i + 1 < n ? in[i + 1] : 0.0f;
  const int t = threadIdx.x + 1;
  if (i < n) out[i] = 0.3f * shared[t - 1] + 0.45f * shared[t] + 0.25f * shared[t + 1];
}

STENCIL(wrong_edges_of_blocks) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  const float left = threadIdx.x > 0 ? in[i - 1] : 0.0f;
  const float right = threadIdx.x + 1 < kBlock && i + 1 < n ? in[i + 1] : 0.0f;
  out[i] = 0.3f * left + 0.45f * in[i] + 0.25f * right;
}

STENCIL(wrong_race) {  // every element is also written by its neighbour, mostly before
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  volatile float* written = out;
  const float left = i > 0 ? in[i - 1] : 0.0f;
  const float right = i + 1 < n ? in[i + 1] : 0.0f;
  if (i > 0) written[i - 1] = left;
  written[i] = 0.3f * left + 0.45f * in[i] + 0.25f * right;
}

// --- right ---------------------------------------------------------------------------------------

SCALE(right_unrolled) {
  const int first = own_index(), stride = gridDim.x * blockDim.x;
#pragma unroll 4
  for (int i = first; i < n; i += stride) out[i] = in[i] * a;
}

SCALE(right_vectorised) {
  const int i = own_index() * 4;
  if (i + 3 < n) {
    const float4 v = *reinterpret_cast<const float4*>(in + i);
    *reinterpret_cast<float4*>(out + i) = make_float4(v.x * a, v.y * a, v.z * a, v.w * a);
  } else {
    for (int k = i; k < n; ++k) out[k] = in[k] * a;
  }
}

SCALE(right_other_order) {
  const int i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * a;
}

UPDATE(right_unfused) {
#pragma clang fp contract(off)
  const int i = own_index();
  if (i >= n) return;
  const float square = in[i] * in[i];
  out[i] = a - square;
}

ROWS(right_reordered) {
  float sum = 0;
  const int each = (columns + kBlock - 1) / kBlock;
  for (int c = threadIdx.x * each; c < min(columns, int(threadIdx.x + 1) * each); ++c)
    sum += in[blockIdx.x * columns + c];
  sum = in_block(sum, false);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

ROWS(right_one_thread) {
  if (threadIdx.x) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += in[blockIdx.x * columns + c];
  out[blockIdx.x] = sum;
}

ROWS(right_double_sum) {
  if (threadIdx.x) return;
  double sum = 0;
  for (int c = 0; c < columns; ++c) sum += in[blockIdx.x * columns + c];
  out[blockIdx.x] = static_cast<float>(sum);
}

SOFTMAX(right_reordered) {
  const float* row = in + blockIdx.x * columns;
  float top = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < columns; c += kBlock) top = fmaxf(top, row[c]);
  top = in_block(top, true);
  for (int c = threadIdx.x; c < columns; c += kBlock) sum += expf(row[c] - top);
  sum = in_block(sum, false);
  for (int c = threadIdx.x; c < columns; c += kBlock)
    out[blockIdx.x * columns + c] = expf(row[c] - top) / sum;
}

COUNT(right_in_lds) {
  __shared__ unsigned own[kBins];
  if (threadIdx.x < kBins) own[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&own[in[i] % kBins], 1u);
  __syncthreads();
  if (threadIdx.x < kBins && own[threadIdx.x]) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

STENCIL(right_without_lds) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  const float left = i > 0 ? in[i - 1] : 0.0f;
  const float right = i + 1 < n ? in[i + 1] : 0.0f;
  out[i] = 0.3f * left + 0.45f * in[i] + 0.25f * right;
}

STENCIL(right_other_sum) {
#pragma clang fp contract(off)
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  const float left = i > 0 ? in[i - 1] : 0.0f;
  const float right = i + 1 < n ? in[i + 1] : 0.0f;
  out[i] = 0.25f * right + (0.45f * in[i] + 0.3f * left);
}

// --- for kernels whose oracle needs more, or cannot know -----------------------------------------

extern "C" __global__ void plain_same(float* out, const float* in, int n) {
  const int i = own_index();
  if (i < n) out[i] = in[i] / 3.0f;
}

extern "C" __global__ void plain_nearly(float* out, const float* in, int n) {
  const int i = own_index();
  if (i < n) out[i] = in[i] * (1.0f / 3.0f);
}

__global__ void halves_other_order(__half* out, const __half* in, int n) {
  const int i = own_index();
  if (i + 3 >= n) return;
  float sum = 0;
  for (int k = 3; k >= 0; --k) sum += __half2float(in[i + k]);
  out[i] = __float2half(sum);
}

__global__ void halves_summed_in_half(__half* out, const __half* in, int n) {
  const int i = own_index();
  if (i + 3 >= n) return;
  __half sum = in[i];
  for (int k = 1; k < 4; ++k) sum = __hadd(sum, in[i + k]);
  out[i] = sum;
}

__global__ void total_by_waves(float* sum, const float* in, int n) {
  const int i = own_index();
  float own = i < n ? in[i] : 0.0f;
  for (int step = 32; step > 0; step /= 2) own += __shfl_down(own, step);
  if (threadIdx.x % 64 == 0) atomicAdd(sum, own);
}

__global__ void total_without_the_last(float* sum, const float* in, int n) {
  const int i = own_index();
  if (i + 1 < n) atomicAdd(sum, in[i]);
}

__global__ void nothing_same(float* out, const float* in, int n) {}

__global__ void underflow_zeros(float* out, const float* in, int n) {
  const int i = own_index();
  if (i < n) out[i] = 0.0f;
}

__global__ void strided_from_behind(float* out, const float* in, int stride) {
  const int block = gridDim.x - 1 - blockIdx.x;
  out[block * stride + threadIdx.x] = 1.5f * in[block * blockDim.x + threadIdx.x];
}

// More precise than the captured one: for --reference.
ROWS(reference) {
  if (threadIdx.x) return;
  double sum = 0;
  for (int c = 0; c < columns; ++c) sum += in[blockIdx.x * columns + c];
  out[blockIdx.x] = static_cast<float>(sum);
}

// --- long_sums, area: what only a reference of higher precision tells apart ---------------------

#define LONG(name) __global__ void long_sums_##name(float* out, const float* in, int rows)
#define AREA(name) __global__ void area_##name(float* out, const float* in, int n)

LONG(right_in_parts) {
  float parts[8] = {};
  int r = 0;
  for (; r + 8 <= rows; r += 8)
    for (int k = 0; k < 8; ++k) parts[k] += in[(r + k) * 16 + threadIdx.x];
  float rest = 0;
  for (; r < rows; ++r) rest += in[r * 16 + threadIdx.x];
  out[threadIdx.x] = ((parts[0] + parts[1]) + (parts[2] + parts[3])) +
                     ((parts[4] + parts[5]) + (parts[6] + parts[7])) + rest;
}

LONG(wrong_half_sum) {
  __half sum = __float2half(0.0f);
  for (int r = 0; r < rows; ++r)
    sum = __float2half(__half2float(sum) + in[r * 16 + threadIdx.x]);
  out[threadIdx.x] = __half2float(sum);
}

AREA(wrong_pi_of_five_digits) {
  const int i = own_index();
  if (i < n) out[i] = in[i] * in[i] * 3.1416f;
}
