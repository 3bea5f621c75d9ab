// pipeline [elements]: three kernels on two streams, joined by events, repeated a few times.
// Lesson: a profile tells which of several kernels takes the time, and how much of it overlaps.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                     \
  do {                                                                                      \
    const hipError_t status_ = (call);                                                      \
    if (status_ != hipSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status_));  \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

constexpr int kBlock = 256, kRounds = 4, kTerms = 256;

__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float tile[kBlock + 2];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
  tile[t] = in[i];
  if (threadIdx.x == 0) tile[0] = in[i ? i - 1 : 0];
  if (threadIdx.x == kBlock - 1) tile[t + 1] = in[i + 1 < n ? i + 1 : n - 1];
  __syncthreads();
  out[i] = 0.25f * tile[t - 1] + 0.5f * tile[t] + 0.25f * tile[t + 1];
}

// Much arithmetic per element: this is the one that should dominate the profile.
__global__ void series(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i], sum = 0.0f;
  for (int k = 1; k <= kTerms; ++k) sum = fmaf(sum, x, 1.0f / k);
  out[i] = sum;
}

__global__ void combine(const float* a, const float* b, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] - b[i];
}

int main(int argc, char** argv) {
  const int blocks = ((argc > 1 ? std::atoi(argv[1]) : 32768) + kBlock - 1) / kBlock;
  const int n = blocks * kBlock;
  std::vector<float> host(n), result(n);
  for (int i = 0; i < n; ++i) host[i] = (i % 89) / 100.0f;
  float *input, *smoothed, *summed, *output;
  for (float** buffer : {&input, &smoothed, &summed, &output})
    HIP_CHECK(hipMalloc(buffer, n * sizeof(float)));
  HIP_CHECK(hipMemcpy(input, host.data(), n * sizeof(float), hipMemcpyHostToDevice));

  hipStream_t left, right;
  hipEvent_t done;
  HIP_CHECK(hipStreamCreate(&left));
  HIP_CHECK(hipStreamCreate(&right));
  HIP_CHECK(hipEventCreate(&done));
  for (int round = 0; round < kRounds; ++round) {
    smooth<<<blocks, kBlock, 0, left>>>(input, smoothed, n);
    series<<<blocks, kBlock, 0, right>>>(input, summed);
    HIP_CHECK(hipEventRecord(done, right));
    HIP_CHECK(hipStreamWaitEvent(left, done, 0));
    combine<<<blocks, kBlock, 0, left>>>(smoothed, summed, output);
    HIP_CHECK(hipStreamSynchronize(left));
  }
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(result.data(), output, n * sizeof(float), hipMemcpyDeviceToHost));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const float before = host[i ? i - 1 : 0], after = host[i + 1 < n ? i + 1 : n - 1];
    float sum = 0.0f;
    for (int k = 1; k <= kTerms; ++k) sum = std::fmaf(sum, host[i], 1.0f / k);
    const float expected = 0.25f * before + 0.5f * host[i] + 0.25f * after - sum;
    wrong += !(std::fabs(result[i] - expected) <= 1e-5f * (1.0f + std::fabs(expected)));
  }
  HIP_CHECK(hipEventDestroy(done));
  HIP_CHECK(hipStreamDestroy(left));
  HIP_CHECK(hipStreamDestroy(right));
  for (float* buffer : {input, smoothed, summed, output}) HIP_CHECK(hipFree(buffer));
  std::printf("%s pipeline: %d elements, %d rounds, %d wrong\n", wrong ? "FAIL" : "PASS", n, kRounds,
              wrong);
  return wrong != 0;
}
