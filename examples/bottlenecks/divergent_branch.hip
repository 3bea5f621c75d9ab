// divergent_branch: neighbouring work-items make random numbers in two different ways.
// Lesson: a wave in which lanes disagree runs both sides, each with the other's lanes switched off.
// If whole waves agreed (i / 64 % 2), each would run one.
#include "example.h"

constexpr int kThreads = 256, kBlocks = 1216, kRounds = 64, kChecked = 1024;

// Two numbers at a time, so that the vector units need not wait for the result of the last step.
__host__ __device__ unsigned multiply_and_add(unsigned x) {
  unsigned y = ~x;
  for (int i = 0; i < kRounds; ++i) x = x * 1664525u + 1013904223u, y = y * 22695477u + 1u;
  return x ^ y;
}
__host__ __device__ unsigned shift_and_mix(unsigned x) {
  unsigned y = ~x;
  for (int i = 0; i < kRounds; ++i) {
    x ^= x << 13, y ^= y << 7;
    x ^= x >> 17, y ^= y >> 25;
    x ^= x << 5, y ^= y << 12;
  }
  return x + y;
}

__global__ void by_lane(unsigned* out) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  out[i] = i % 2 ? multiply_and_add(i) : shift_and_mix(i);
}

int main() {
  unsigned* out = device_array<unsigned>(kBlocks * kThreads);
  by_lane<<<kBlocks, kThreads>>>(out);
  const auto result = sample(out, kChecked);
  int wrong = 0;
  for (unsigned i = 0; i < kChecked; ++i)
    wrong += result[i] != (i % 2 ? multiply_and_add(i) : shift_and_mix(i));
  HIP_CHECK(hipFree(out));
  return report("divergent_branch", wrong);
}
