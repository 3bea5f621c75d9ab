// graph [launches]: record a chain of kernels once, then launch it many times.
// Lesson: short kernels are limited by the cost of launching them; a graph pays for the whole chain
// once.
#include <hip/hip_runtime.h>

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

__global__ void add_one(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}
__global__ void double_it(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 8, n = 1024;
  int* data;
  HIP_CHECK(hipMalloc(&data, n * sizeof(int)));
  HIP_CHECK(hipMemset(data, 0, n * sizeof(int)));

  hipStream_t stream;
  hipGraph_t graph;
  hipGraphExec_t runnable;
  HIP_CHECK(hipStreamCreate(&stream));
  HIP_CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  add_one<<<(n + 255) / 256, 256, 0, stream>>>(data, n);
  double_it<<<(n + 255) / 256, 256, 0, stream>>>(data, n);
  HIP_CHECK(hipStreamEndCapture(stream, &graph));
  HIP_CHECK(hipGraphInstantiate(&runnable, graph, nullptr, nullptr, 0));
  for (int i = 0; i < launches; ++i) HIP_CHECK(hipGraphLaunch(runnable, stream));
  HIP_CHECK(hipStreamSynchronize(stream));

  std::vector<int> result(n);
  HIP_CHECK(hipMemcpy(result.data(), data, n * sizeof(int), hipMemcpyDeviceToHost));
  HIP_CHECK(hipGraphExecDestroy(runnable));
  HIP_CHECK(hipGraphDestroy(graph));
  HIP_CHECK(hipStreamDestroy(stream));
  HIP_CHECK(hipFree(data));

  int expected = 0, wrong = 0;
  for (int i = 0; i < launches; ++i) expected = (expected + 1) * 2;
  for (int value : result) wrong += value != expected;
  std::printf("%s graph: %d launches, %d wrong\n", wrong ? "FAIL" : "PASS", launches, wrong);
  return wrong != 0;
}
