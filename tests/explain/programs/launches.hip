// Short kernels: each measured with events and waited for, or with an argument all submitted ahead.
#include "../../../examples/bottlenecks/example.h"

__global__ void add_one(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

int main(int argc, char**) {
  const bool wait = argc < 2;
  constexpr int kElements = 1 << 12, kLaunches = 20;
  int* data = device_array<int>(kElements);
  HIP_CHECK(hipMemset(data, 0, sizeof(int) * kElements));
  hipEvent_t begin, end;
  float milliseconds = 0.0f;
  HIP_CHECK(hipEventCreate(&begin));
  HIP_CHECK(hipEventCreate(&end));
  for (int i = 0; i < kLaunches; ++i) {
    if (wait) HIP_CHECK(hipEventRecord(begin));
    add_one<<<kElements / 256, 256>>>(data);
    if (!wait) continue;
    HIP_CHECK(hipEventRecord(end));
    HIP_CHECK(hipEventSynchronize(end));
    HIP_CHECK(hipEventElapsedTime(&milliseconds, begin, end));
  }
  int wrong = wait && !(milliseconds > 0.0f);
  for (int value : sample(data, 64)) wrong += value != kLaunches;
  HIP_CHECK(hipEventDestroy(begin));
  HIP_CHECK(hipEventDestroy(end));
  HIP_CHECK(hipFree(data));
  return report("launches", wrong);
}
