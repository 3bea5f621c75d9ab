// Copies that move the same bytes: coalesced or with a stride between lanes, one or four floats per
// work-item. Names are pair:version.
#include "measure.h"

constexpr int kElements = 1 << 24;
constexpr int kStride = 32;  // elements between neighbouring lanes: each lane in a line of its own

__global__ void copy_coalesced(const float* a, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i];
}
__global__ void copy_strided(const float* a, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int rows = kElements / kStride;
  const int at = i % rows * kStride + i / rows;
  c[at] = a[at];
}
__global__ void copy_vector(const float4* a, float4* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i];
}

int main() {
  std::vector<float> values(kElements);
  for (int i = 0; i < kElements; ++i) values[i] = float(i % 4099);
  float* a = device_copy(values);
  float* c = device_array<float>(kElements);
  const auto finish = [&](const char* name) {
    launched(name, 2.0 * kElements * sizeof(float));
    require(host_copy(c, kElements) == values, name);
    CHECK(hipMemset(c, 0, kElements * sizeof(float)));
  };
  copy_strided<<<kElements / 256, 256>>>(a, c);
  finish("coalescing:strided");
  copy_coalesced<<<kElements / 256, 256>>>(a, c);
  finish("coalescing:coalesced");
  copy_coalesced<<<kElements / 256, 256>>>(a, c);
  finish("vector_loads:scalar");
  copy_vector<<<kElements / 1024, 256>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(c));
  finish("vector_loads:vector");
}
