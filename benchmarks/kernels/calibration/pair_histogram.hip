// Histograms with 256 bins: every value an atomic on global memory, or one histogram per workgroup in
// the LDS that is added at the end. Names are pair:version.
#include "measure.h"

constexpr int kBins = 256;
constexpr int kElements = 1 << 22;
constexpr int kThreads = 256;
constexpr int kGroups = 304 * 4;

__global__ void histogram_global(const unsigned char* values, unsigned* bins) {
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kElements; i += gridDim.x * kThreads)
    atomicAdd(bins + values[i], 1u);
}

__global__ void histogram_private(const unsigned char* values, unsigned* bins) {
  __shared__ unsigned near[kBins];
  near[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < kElements; i += gridDim.x * kThreads)
    atomicAdd(near + values[i], 1u);
  __syncthreads();
  atomicAdd(bins + threadIdx.x, near[threadIdx.x]);
}

int main() {
  std::vector<unsigned char> values(kElements);
  std::vector<unsigned> expected(kBins);
  for (int i = 0; i < kElements; ++i) {
    values[i] = static_cast<unsigned char>(i * 2654435761u >> 23);
    ++expected[values[i]];
  }
  unsigned char* input = device_copy(values);
  unsigned* bins = device_array<unsigned>(kBins);
  const auto finish = [&](const char* name) {
    launched(name, kElements);
    require(host_copy(bins, kBins) == expected, name);
    CHECK(hipMemset(bins, 0, kBins * sizeof(unsigned)));
  };
  histogram_global<<<kGroups, kThreads>>>(input, bins);
  finish("atomics:global");
  histogram_private<<<kGroups, kThreads>>>(input, bins);
  finish("atomics:private");
}
