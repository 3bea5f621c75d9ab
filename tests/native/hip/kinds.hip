// kinds GROUPS KINDS WHICH STEPS [alike]: workgroups of two kinds. Of KINDS neighbours number WHICH
// gathers from all over the memory, with many loads in flight; the others only compute, or with `alike`
// execute the same and read neighbours. Where KINDS divides the number of XCDs, each XCD has workgroups
// of one kind.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

constexpr unsigned kFloats = 1u << 22;

__global__ void kinds(const float* in, float* out, unsigned kinds, unsigned which, int steps) {
  const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = float(item);
  if (blockIdx.x % kinds == which) {
#pragma unroll 16
    for (int step = 0; step < steps; ++step)
      sum += in[((item * 2654435761u + unsigned(step) * 2592195u) >> 8) % kFloats];
  } else {
    for (int step = 0; step < 4 * steps; ++step) sum = sum * 1.0001f + 0.5f;
  }
  out[item] = sum;
}

__global__ void strides(const float* in, float* out, unsigned kinds, unsigned which, int steps) {
  const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned stride = blockIdx.x % kinds == which ? 2654435761u : 256u;
  float sum = float(item);
#pragma unroll 16
  for (int step = 0; step < steps; ++step)
    sum += in[((item * stride + unsigned(step) * 2592195u) >> 8) % kFloats];
  out[item] = sum;
}

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) return 2;
  const unsigned groups = unsigned(std::atoi(argv[1])), threads = 256;
  float *in = nullptr, *out = nullptr;
  bool good = hipMalloc(&in, kFloats * sizeof(float)) == hipSuccess &&
              hipMalloc(&out, groups * threads * sizeof(float)) == hipSuccess;
  const auto kernel = argc == 6 ? strides : kinds;
  kernel<<<groups, threads>>>(in, out, unsigned(std::atoi(argv[2])), unsigned(std::atoi(argv[3])),
                              std::atoi(argv[4]));
  good = good && hipDeviceSynchronize() == hipSuccess;
  std::puts(good ? "PASS" : "FAIL");
  return !good;
}
