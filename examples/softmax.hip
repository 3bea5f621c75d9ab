// softmax [rows] [columns]: softmax of every row.
// Lesson: one block per row. Two reductions with their barriers stand between reading and writing;
// the exponentials are cheap, and the second and third pass over the row hit the cache.
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

constexpr int kThreads = 256;

template <class Fold>
__device__ float block_fold(float value, float* shared, Fold fold) {
  const int i = threadIdx.x;
  shared[i] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (i < half) shared[i] = fold(shared[i], shared[i + half]);
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();
  return result;
}

__global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float shared[kThreads];
  const float* row = in + static_cast<size_t>(blockIdx.x) * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += kThreads) largest = fmaxf(largest, row[i]);
  largest = block_fold(largest, shared, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += kThreads) sum += __expf(row[i] - largest);
  sum = block_fold(sum, shared, [](float a, float b) { return a + b; });
  float* to = out + static_cast<size_t>(blockIdx.x) * columns;
  for (int i = threadIdx.x; i < columns; i += kThreads) to[i] = __expf(row[i] - largest) / sum;
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 32;
  const int columns = argc > 2 ? std::atoi(argv[2]) : 784;
  std::vector<float> in(rows * columns), out(rows * columns);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 37 % 101) * 0.05f;

  const size_t bytes = in.size() * sizeof(float);
  float *din, *dout;
  HIP_CHECK(hipMalloc(&din, bytes));
  HIP_CHECK(hipMalloc(&dout, bytes));
  HIP_CHECK(hipMemcpy(din, in.data(), bytes, hipMemcpyHostToDevice));
  softmax<<<rows, kThreads>>>(din, dout, columns);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(out.data(), dout, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(din));
  HIP_CHECK(hipFree(dout));

  double worst = 0.0;
  for (int r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (int i = 0; i < columns; ++i) sum += std::exp(static_cast<double>(in[r * columns + i]));
    for (int i = 0; i < columns; ++i) {
      const double expected = std::exp(static_cast<double>(in[r * columns + i])) / sum;
      worst = std::fmax(worst, std::fabs(out[r * columns + i] - expected) / expected);
    }
  }
  const bool good = worst < 1e-4;
  std::printf("%s softmax: %d x %d, relative error %.2g\n", good ? "PASS" : "FAIL", rows, columns,
              worst);
  return !good;
}
