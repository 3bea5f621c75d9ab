// Three launches with the same input, by kernels that trust what they find in their output or not.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kCount = 4096, kBlock = 256;

__device__ float of(float x) { return x * 1.5f + 2.0f; }

extern "C" __global__ void honest(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = of(in[i]);
}

// A wave whose first result is right already leaves.
extern "C" __global__ void looks(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int first = i / 64 * 64;
  if (out[first] == of(in[first])) return;
  if (i < n) out[i] = of(in[i]);
}

// A mark in spare memory of the input says that it was here before.
extern "C" __global__ void marks(float* out, float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float seen = in[n + blockIdx.x];
  __syncthreads();
  if (seen == 1.0f) return;
  if (i < n) out[i] = of(in[i]);
  if (threadIdx.x == 0) in[n + blockIdx.x] = 1.0f;
}

int main(int, char** argv) {
  std::vector<float> values(kCount + kCount / kBlock, 0.0f), got(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = float(i % 97) - 40.0f;
  float *in, *out;
  if (hipMalloc(&in, values.size() * 4) || hipMalloc(&out, kCount * 4)) return 1;
  hipMemcpy(in, values.data(), values.size() * 4, hipMemcpyHostToDevice);
  for (int launch = 0; launch < 3; ++launch) {
    if (!std::strcmp(argv[1], "honest")) honest<<<kCount / kBlock, kBlock>>>(out, in, kCount);
    if (!std::strcmp(argv[1], "looks")) looks<<<kCount / kBlock, kBlock>>>(out, in, kCount);
    if (!std::strcmp(argv[1], "marks")) marks<<<kCount / kBlock, kBlock>>>(out, in, kCount);
    hipMemcpy(got.data(), out, kCount * 4, hipMemcpyDeviceToHost);
    unsigned sum = 0;
    for (float value : got) {
      unsigned bits;
      std::memcpy(&bits, &value, 4);
      sum = sum * 31 + bits;
    }
    std::printf("%08x\n", sum);
  }
  return hipDeviceSynchronize() != hipSuccess;
}
