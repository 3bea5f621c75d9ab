// small_grid: adds up an array with 16 workgroups.
// Lesson: a workgroup runs on one compute unit. A grid smaller than the GPU leaves most of it idle,
// however well each workgroup is written.
#include "example.h"

constexpr int kElements = 1 << 20, kBlocks = 16, kThreads = 256;

__global__ void sum(const int* in, int* partial) {
  __shared__ int of_thread[kThreads];
  int total = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kElements; i += kBlocks * kThreads)
    total += in[i];
  of_thread[threadIdx.x] = total;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = of_thread[0];
}

int main() {
  int *in = device_array<int>(kElements), *partial = device_array<int>(kBlocks);
  HIP_CHECK(hipMemset(in, 1, sizeof(int) * kElements));  // every byte 1
  sum<<<kBlocks, kThreads>>>(in, partial);
  int wrong = 0;
  for (int value : sample(partial, kBlocks))
    wrong += value != static_cast<int>(0x01010101u * (kElements / kBlocks));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(partial));
  return report("small_grid", wrong);
}
