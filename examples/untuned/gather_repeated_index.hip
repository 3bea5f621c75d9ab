// gather_repeated_index [samples] [planes]: picks one column per sample from planes of counts.
// Lesson: the index of a sample is read again for every plane, and every gather waits for it. The
// compiler cannot keep it: the store to out might change it.
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

constexpr int kThreads = 256;

__global__ void gather(const int* planes, const int* columns, int* out, int samples, int count,
                       int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= samples) return;
  for (int p = 0; p < count; ++p) out[p * samples + i] = planes[p * width + columns[i]];
}

int main(int argc, char** argv) {
  const int samples = argc > 1 ? std::atoi(argv[1]) : 65536;
  const int count = argc > 2 ? std::atoi(argv[2]) : 64;
  const int width = 4096;
  std::vector<int> planes(count * width), columns(samples), result(size_t(count) * samples);
  for (int i = 0; i < count * width; ++i) planes[i] = i * 7 % 1000;
  for (int i = 0; i < samples; ++i) columns[i] = i / 16 * 389 % (width - 16) + i % 16;

  int *in, *index, *out;
  HIP_CHECK(hipMalloc(&in, planes.size() * sizeof(int)));
  HIP_CHECK(hipMalloc(&index, samples * sizeof(int)));
  HIP_CHECK(hipMalloc(&out, result.size() * sizeof(int)));
  HIP_CHECK(hipMemcpy(in, planes.data(), planes.size() * sizeof(int), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(index, columns.data(), samples * sizeof(int), hipMemcpyHostToDevice));
  gather<<<(samples + kThreads - 1) / kThreads, kThreads>>>(in, index, out, samples, count, width);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(result.data(), out, result.size() * sizeof(int), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(index));
  HIP_CHECK(hipFree(out));

  int wrong = 0;
  for (int p = 0; p < count; ++p)
    for (int i = 0; i < samples; ++i)
      wrong += result[size_t(p) * samples + i] != planes[p * width + columns[i]];
  std::printf("%s gather_repeated_index: %d x %d, %d wrong\n", wrong ? "FAIL" : "PASS", samples, count,
              wrong);
  return wrong != 0;
}
