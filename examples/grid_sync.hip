// grid_sync [rounds]: a diffusion step needs the neighbours' results, also across blocks.
// Lesson: a cooperative launch keeps all blocks resident, so that a barrier over the whole grid
// takes the place of one kernel launch per step.
#include <hip/hip_cooperative_groups.h>
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

namespace cg = cooperative_groups;

__global__ void diffuse(float* from, float* to, int n, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const int threads = grid.size();
  for (int round = 0; round < rounds; ++round) {
    for (int i = grid.thread_rank(); i < n; i += threads)
      to[i] = from[i] * 0.5f + (from[(i + n - 1) % n] + from[(i + 1) % n]) * 0.25f;
    grid.sync();
    float* const written = to;
    to = from;
    from = written;
  }
}

int main(int argc, char** argv) {
  int rounds = (argc > 1 ? std::atoi(argv[1]) : 6) / 2 * 2, n = 2048;
  std::vector<float> x(n), y(n), result(n);
  for (int i = 0; i < n; ++i) x[i] = i % 16 * 64.0f;

  const size_t bytes = n * sizeof(float);
  float *a, *b;
  HIP_CHECK(hipMalloc(&a, bytes));
  HIP_CHECK(hipMalloc(&b, bytes));
  HIP_CHECK(hipMemcpy(a, x.data(), bytes, hipMemcpyHostToDevice));
  void* arguments[] = {&a, &b, &n, &rounds};
  HIP_CHECK(hipLaunchCooperativeKernel(diffuse, dim3(8), dim3(128), arguments, 0, nullptr));
  // An even number of rounds ends in the first array.
  HIP_CHECK(hipMemcpy(result.data(), a, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(a));
  HIP_CHECK(hipFree(b));

  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < n; ++i) y[i] = x[i] * 0.5f + (x[(i + n - 1) % n] + x[(i + 1) % n]) * 0.25f;
    x.swap(y);
  }
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += std::fabs(result[i] - x[i]) > 1e-3f;
  std::printf("%s grid_sync: %d rounds, %d wrong\n", wrong ? "FAIL" : "PASS", rounds, wrong);
  return wrong != 0;
}
