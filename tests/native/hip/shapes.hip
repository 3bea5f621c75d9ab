// Dispatches whose workgroups or phases differ much: what the timing simulation has to notice although
// it looks at parts only. The first argument chooses, others are numbers; times come from the trace.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

__device__ float steps(float x, int count) {
  for (int i = 0; i < count; ++i) x = x * 0.999f + 1.0f;
  return x;
}

// A row per wave.
__global__ void rows(const int* length, float* out, int count) {
  const int row = blockIdx.x * (blockDim.x / 64) + threadIdx.x / 64;
  if (row < count) out[row * 64 + threadIdx.x % 64] = steps(threadIdx.x, length[row]);
}

// Workgroup `heavy` does more than the others.
__global__ void groups(float* out, int heavy, int many, int few) {
  const int count = int(blockIdx.x) == heavy ? many : few;
  out[blockIdx.x * blockDim.x + threadIdx.x] = steps(threadIdx.x, count);
}

// Every workgroup does a little more than the one before.
__global__ void growing(float* out, int groups_per_step) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = steps(threadIdx.x, blockIdx.x / groups_per_step);
}

__device__ float gather(const float* data, unsigned size, unsigned at, int loads) {
  float sum = 0;
  for (int i = 0; i < loads; ++i) {
    sum += data[at % size];
    at = at * 1664525u + 1013904223u;
  }
  return sum;
}

// Arithmetic and scattered loads, one after the other.
__global__ void phases(const float* data, unsigned size, float* out, int count, int loads,
                       int arithmetic_first) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  float x = id;
  for (int phase = 0; phase < 2; ++phase)
    x = phase != arithmetic_first ? steps(x, count)
                                  : x + gather(data, size, id * 2654435761u, loads);
  out[id] = x;
}

int main(int argc, char** argv) {
  auto number = [&](int n) { return argc > n ? atoi(argv[n]) : 0; };
  float* out;
  if (hipMalloc(&out, 64 << 20) != hipSuccess) return 1;
  if (!strcmp(argv[1], "rows")) {
    const int count = number(2);
    std::vector<int> length(count, 50);
    length[number(3)] = number(4);
    int* lengths;
    if (hipMalloc(&lengths, count * sizeof(int)) != hipSuccess) return 1;
    if (hipMemcpy(lengths, length.data(), count * sizeof(int), hipMemcpyHostToDevice)) return 1;
    rows<<<(count + 3) / 4, 256>>>(lengths, out, count);
  } else if (!strcmp(argv[1], "groups")) {
    groups<<<number(2), 256>>>(out, number(3), number(4), 100);
  } else if (!strcmp(argv[1], "growing")) {
    growing<<<number(2), 256>>>(out, number(3));
  } else if (!strcmp(argv[1], "phases")) {
    const unsigned size = 16u << 20;
    float* data;
    if (hipMalloc(&data, size * sizeof(float)) != hipSuccess) return 1;
    phases<<<number(2), 256>>>(data, size, out, number(3), number(4), number(5));
  }
  return hipDeviceSynchronize() != hipSuccess;
}
