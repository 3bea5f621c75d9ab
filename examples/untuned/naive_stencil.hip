// naive_stencil [size] [depth]: one step of a diffusion in a box, seven points per cell.
// Lesson: each thread walks down a column of cells, and every cell waits for its own seven loads. The
// next cell needs two of them again, and its other loads could be under way already.
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

constexpr int kSide = 16;

__global__ void diffuse(const float* __restrict__ in, float* __restrict__ out, int size, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= size - 1 || y >= size - 1) return;
  const int layer = size * size, column = y * size + x;
  for (int z = 1; z < depth - 1; ++z) {
    const int i = z * layer + column;
    const float around = in[i - 1] + in[i + 1] + in[i - size] + in[i + size] + in[i - layer] +
                         in[i + layer];
    out[i] = 0.4f * in[i] + 0.1f * around;
  }
}

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 256;
  const int depth = argc > 2 ? std::atoi(argv[2]) : 64;
  const size_t n = size_t(size) * size * depth;
  std::vector<float> values(n), result(n);
  for (size_t i = 0; i < n; ++i) values[i] = i * 37 % 101;

  float *in, *out;
  HIP_CHECK(hipMalloc(&in, n * sizeof(float)));
  HIP_CHECK(hipMalloc(&out, n * sizeof(float)));
  HIP_CHECK(hipMemcpy(in, values.data(), n * sizeof(float), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemset(out, 0, n * sizeof(float)));
  const int blocks = (size + kSide - 1) / kSide;
  diffuse<<<dim3(blocks, blocks), dim3(kSide, kSide)>>>(in, out, size, depth);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(result.data(), out, n * sizeof(float), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));

  int wrong = 0;
  for (int z = 1; z < depth - 1; ++z)
    for (int y = 1; y < size - 1; ++y)
      for (int x = 1; x < size - 1; ++x) {
        const float* cell = &values[(size_t(z) * size + y) * size + x];
        const float around = cell[-1] + cell[1] + cell[-size] + cell[size] + cell[-size * size] +
                             cell[size * size];
        const float expected = 0.4f * cell[0] + 0.1f * around;
        wrong += !(std::fabs(result[cell - values.data()] - expected) <= 1e-5f * expected);
      }
  std::printf("%s naive_stencil: %d x %d x %d, %d wrong\n", wrong ? "FAIL" : "PASS", size, size, depth, wrong);
  return wrong != 0;
}
