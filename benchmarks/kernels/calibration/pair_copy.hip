// Copies that move the same bytes: coalesced or with a stride between lanes; one or four floats per
// lane, in a grid as large as the array or by few waves that go through it. Names are pair:version.
#include "measure.h"

constexpr int kElements = 1 << 24;
constexpr int kFewGroups = 304 * 2;
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
template <class Element>
__global__ void copy_by_few(const Element* a, Element* c, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
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
  float4 *from = reinterpret_cast<float4*>(a), *to = reinterpret_cast<float4*>(c);
  copy_coalesced<<<kElements / 256, 256>>>(a, c);
  finish("vector_grid:scalar");
  copy_vector<<<kElements / 1024, 256>>>(from, to);
  finish("vector_grid:vector");
  copy_by_few<float><<<kFewGroups, 256>>>(a, c, kElements);
  finish("vector_few:scalar");
  copy_by_few<float4><<<kFewGroups, 256>>>(from, to, kElements / 4);
  finish("vector_few:vector");
}
