// The kernels that are captured: one dispatch of each.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    if ((call) != hipSuccess) {                                            \
      std::fprintf(stderr, "%s failed\n", #call);                          \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

constexpr int kBlock = 256, kElements = 1000, kRows = 4, kColumns = 500, kBins = 16;
constexpr int kSums = 16, kLong = 4096;

__global__ void scale(float* out, const float* in, int n, float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * a;
}

// Called with out == in.
__global__ void update(float* out, const float* in, int n, float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a - in[i] * in[i];
}

__global__ void row_sums(float* out, const float* in, int columns) {
  __shared__ float partial[kBlock];
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += kBlock) sum += in[blockIdx.x * columns + c];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

__device__ float reduced(float value, bool largest) {
  __shared__ float partial[kBlock];
  __syncthreads();
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      const float other = partial[threadIdx.x + step];
      partial[threadIdx.x] =
          largest ? fmaxf(partial[threadIdx.x], other) : partial[threadIdx.x] + other;
    }
    __syncthreads();
  }
  return partial[0];
}

__global__ void softmax(float* out, const float* in, int columns) {
  const float* row = in + blockIdx.x * columns;
  float top = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < columns; c += kBlock) top = fmaxf(top, row[c]);
  top = reduced(top, true);
  for (int c = threadIdx.x; c < columns; c += kBlock) sum += expf(row[c] - top);
  sum = reduced(sum, false);
  for (int c = threadIdx.x; c < columns; c += kBlock)
    out[blockIdx.x * columns + c] = expf(row[c] - top) / sum;
}

__global__ void histogram(unsigned* bins, const unsigned* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i] % kBins], 1u);
}

__global__ void stencil(float* out, const float* in, int n) {
  __shared__ float tile[kBlock + 2];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  tile[threadIdx.x + 1] = i < n ? in[i] : 0.0f;
  if (threadIdx.x == 0) tile[0] = i > 0 && i <= n ? in[i - 1] : 0.0f;
  if (threadIdx.x == kBlock - 1) tile[kBlock + 1] = i + 1 < n ? in[i + 1] : 0.0f;
  __syncthreads();
  const int t = threadIdx.x + 1;
  if (i < n) out[i] = 0.3f * tile[t - 1] + 0.45f * tile[t] + 0.25f * tile[t + 1];
}

// Thousands of numbers, one after the other: its own error is hundreds of units.
__global__ void long_sums(float* out, const float* in, int rows) {
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += in[r * kSums + threadIdx.x];
  out[threadIdx.x] = sum;
}

__global__ void area(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i] * 3.14159265f;
}

// No types in its name.
extern "C" __global__ void plain(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] / 3.0f;
}

__global__ void halves(__half* out, const __half* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 3 >= n) return;
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += __half2float(in[i + k]);
  out[i] = __float2half(sum);
}

// The sum depends on who comes first.
__global__ void total(float* sum, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, in[i]);
}

__global__ void nothing(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 1e30f) out[i] = 0;
}

// Its output would be the same if it did nothing but zeros.
__global__ void underflow(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 0.0f > 1.0f ? 1.0f : 0.0f;
}

// With a smaller stride its rows overlap, and the last block to come wins.
__global__ void strided(float* out, const float* in, int stride) {
  out[blockIdx.x * stride + threadIdx.x] = 1.5f * in[blockIdx.x * blockDim.x + threadIdx.x];
}

template <typename T>
T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  CHECK(hipMalloc(reinterpret_cast<void**>(&memory), values.size() * sizeof(T)));
  CHECK(hipMemcpy(memory, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
  return memory;
}

int main() {
  std::vector<float> values(kRows * kColumns);
  std::vector<unsigned> counted(kElements);
  unsigned state = 1;
  const auto next = [&state] { return state = state * 1664525u + 1013904223u; };
  for (float& value : values) value = static_cast<float>(next() >> 8) / (1 << 23) - 1.0f;
  for (unsigned& value : counted) value = next() >> 28;
  const int blocks = (kElements + kBlock - 1) / kBlock;
  const std::vector<float> input(values.begin(), values.begin() + kElements);
  float* in = on_device(input);
  float* out = on_device(std::vector<float>(kElements));
  scale<<<blocks, kBlock>>>(out, in, kElements, 1.7f);
  float* same = on_device(input);
  update<<<blocks, kBlock>>>(same, same, kElements, 0.6f);
  float* table = on_device(values);
  float* sums = on_device(std::vector<float>(kRows));
  row_sums<<<kRows, kBlock>>>(sums, table, kColumns);
  float* shares = on_device(std::vector<float>(values.size()));
  softmax<<<kRows, kBlock>>>(shares, table, kColumns);
  unsigned* bins = on_device(std::vector<unsigned>(kBins));
  unsigned* counts = on_device(counted);
  histogram<<<blocks, kBlock>>>(bins, counts, kElements);
  float* smooth = on_device(std::vector<float>(kElements));
  stencil<<<blocks, kBlock>>>(smooth, in, kElements);
  plain<<<blocks, kBlock>>>(smooth, in, kElements);
  __half* narrow = on_device(std::vector<__half>(kElements));
  std::vector<__half> rounded;
  for (const float value : input) rounded.push_back(__float2half(value));
  halves<<<blocks, kBlock>>>(narrow, on_device(rounded), kElements);
  total<<<blocks, kBlock>>>(on_device(std::vector<float>(1)), in, kElements);
  nothing<<<blocks, kBlock>>>(smooth, in, kElements);
  underflow<<<blocks, kBlock>>>(smooth, in, kElements);
  strided<<<kElements / kBlock, kBlock>>>(smooth, in, kBlock);
  float* tenths = on_device(std::vector<float>(kLong * kSums, 0.1f));
  long_sums<<<1, kSums>>>(on_device(std::vector<float>(kSums)), tenths, kLong);
  area<<<blocks, kBlock>>>(smooth, in, kElements);
  scale<<<blocks, kBlock>>>(out, in, kElements, 1.7f);  // what is there already
  CHECK(hipDeviceSynchronize());
  std::puts("done");
}
