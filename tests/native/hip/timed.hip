// timed KIND GROUPS STREAMS LAUNCHES: launches a kernel so often on each of so many streams, without
// waiting; the test reads the times from the recording.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call) \
  if (hipError_t status = (call)) std::printf("%s\n", hipGetErrorString(status)), std::exit(1)

// 2048 FMAs of each lane and little else.
__global__ void compute(float* out) {
  float a = float(threadIdx.x), b = 1.5f, c = 0.25f, d = 0.5f;
  for (int i = 0; i < 512; ++i) {
    a = a * 0.999f + 0.5f;
    b = b * 0.999f + 0.5f;
    c = c * 0.999f + 0.5f;
    d = d * 0.999f + 0.5f;
  }
  out[threadIdx.x] = a + b + c + d;
}

__global__ void copy(const double* from, double* to) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

int main(int, char** arguments) {
  const bool computes = std::strcmp(arguments[1], "compute") == 0;
  const unsigned groups = unsigned(std::atoi(arguments[2])), block = 256;
  double* memory = nullptr;
  const size_t count = size_t(groups) * block;
  CHECK(hipMalloc(&memory, 2 * count * sizeof(double) + 4096));
  std::vector<hipStream_t> streams(size_t(std::atoi(arguments[3])));
  for (hipStream_t& stream : streams)
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  for (int launch = std::atoi(arguments[4]); launch > 0; --launch)
    for (hipStream_t stream : streams) {
      if (computes)
        compute<<<groups, block, 0, stream>>>(reinterpret_cast<float*>(memory));
      else
        copy<<<groups, block, 0, stream>>>(memory, memory + count);
    }
  CHECK(hipDeviceSynchronize());
  std::puts("done");
}
