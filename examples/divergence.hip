// divergence [elements]: the same work, branched by lane and branched by wave.
// Lesson: when neighbouring lanes take different branches, the wave runs both, one after the other.
// When whole waves agree, each runs one.
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

constexpr int kRounds = 64;

__device__ float one_way(float x) {
  for (int i = 0; i < kRounds; ++i) x = x * 0.999f + 0.001f;
  return x;
}
__device__ float other_way(float x) {
  for (int i = 0; i < kRounds; ++i) x = sqrtf(x + 2.0f);
  return x;
}

__global__ void by_lane(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i % 2 ? one_way(in[i]) : other_way(in[i]);
}
__global__ void by_wave(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i / 64 % 2 ? one_way(in[i]) : other_way(in[i]);
}

double expected(double x, bool first) {
  for (int i = 0; i < kRounds; ++i) x = first ? x * 0.999 + 0.001 : std::sqrt(x + 2.0);
  return x;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 16384;
  std::vector<float> in(n), lane(n), wave(n);
  for (int i = 0; i < n; ++i) in[i] = 1.0f + i % 10;

  const size_t bytes = n * sizeof(float);
  float *din, *dout;
  HIP_CHECK(hipMalloc(&din, bytes));
  HIP_CHECK(hipMalloc(&dout, bytes));
  HIP_CHECK(hipMemcpy(din, in.data(), bytes, hipMemcpyHostToDevice));
  by_lane<<<(n + 255) / 256, 256>>>(din, dout, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(lane.data(), dout, bytes, hipMemcpyDeviceToHost));
  by_wave<<<(n + 255) / 256, 256>>>(din, dout, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(wave.data(), dout, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(din));
  HIP_CHECK(hipFree(dout));

  double worst = 0.0;
  for (int i = 0; i < n; ++i) {
    worst = std::fmax(worst, std::fabs(lane[i] - expected(in[i], i % 2)));
    worst = std::fmax(worst, std::fabs(wave[i] - expected(in[i], i / 64 % 2)));
  }
  const bool good = worst < 1e-3;
  std::printf("%s divergence: %d elements, error %.2g\n", good ? "PASS" : "FAIL", n, worst);
  return !good;
}
