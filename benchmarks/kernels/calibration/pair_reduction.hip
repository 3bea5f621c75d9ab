// Sums of an array: a tree with divergent lanes and a barrier per level, rolled; the same tree with
// neighbouring lanes, unrolled, with the last levels inside a wave. Names are pair:version.
#include "measure.h"

constexpr int kElements = 1 << 24;
constexpr int kThreads = 256;
constexpr int kPerThread = 8;

__global__ void reduce_rolled(const float* values, float* sums) {
  __shared__ float part[kThreads];
  const int thread = threadIdx.x;
  part[thread] = values[blockIdx.x * kThreads + thread];
  __syncthreads();
#pragma unroll 1
  for (int step = 1; step < kThreads; step *= 2) {
    if (thread % (2 * step) == 0) part[thread] += part[thread + step];
    __syncthreads();
  }
  if (thread == 0) sums[blockIdx.x] = part[0];
}

__global__ void reduce_unrolled(const float* values, float* sums) {
  __shared__ float part[kThreads / 64];
  const int thread = threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i)
    sum += values[blockIdx.x * kThreads * kPerThread + i * kThreads + thread];
#pragma unroll
  for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (thread % 64 == 0) part[thread / 64] = sum;
  __syncthreads();
  if (thread == 0) sums[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

int main() {
  float* values = device_copy(std::vector<float>(kElements, 1.0f));
  float* sums = device_array<float>(kElements / kThreads);
  const auto finish = [&](const char* name, int groups) {
    launched(name, double(kElements) * sizeof(float));
    for (float sum : host_copy(sums, groups)) require(sum == float(kElements / groups), name);
  };
  reduce_rolled<<<kElements / kThreads, kThreads>>>(values, sums);
  finish("reduction:rolled", kElements / kThreads);
  const int groups = kElements / kThreads / kPerThread;
  reduce_unrolled<<<groups, kThreads>>>(values, sums);
  finish("reduction:unrolled", groups);
}
