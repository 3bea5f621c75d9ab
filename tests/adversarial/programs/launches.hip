// Kernels whose launch shows little of what they are for: a batch of one, blocks of one row, buffers
// behind a structure, buffers without a type, factors and bounds of which two decide together.
// Each is launched twice and checked on the host.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                       \
  do {                                                    \
    if ((call) != hipSuccess) {                           \
      std::fprintf(stderr, "line %d failed\n", __LINE__); \
      std::exit(2);                                       \
    }                                                     \
  } while (0)

struct View {
  const float* in;
  float* out;
  int n;
};

__global__ void scale_batch(const float* in, float* out, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = blockIdx.y * n + i;
  if (i < n) out[at] = in[at] * factor;
}

__global__ void scale_rows(const float* in, float* out, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n) out[row * n + i] = in[row * n + i] * factor;
}

__global__ void scale_view(View view) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view.n) view.out[i] = view.in[i] * 2.0f;
}

extern "C" __global__ void scale_plain(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2.0f;
}

__global__ void affine(const float* in, float* out, int n, float factor, float term) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor + term;
}

__global__ void bins_of(const int* keys, int* bins, int n, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int key = keys[i];
  if (key >= 0 && key < size) atomicAdd(&bins[key], 1);
}

template <class T>
T* device_copy(const std::vector<T>& from) {
  T* to = nullptr;
  CHECK(hipMalloc(&to, from.size() * sizeof(T)));
  CHECK(hipMemcpy(to, from.data(), from.size() * sizeof(T), hipMemcpyHostToDevice));
  return to;
}

template <class T>
std::vector<T> host_copy(const T* from, size_t count) {
  std::vector<T> to(count);
  CHECK(hipMemcpy(to.data(), from, count * sizeof(T), hipMemcpyDeviceToHost));
  return to;
}

int main() {
  const int n = 2048, size = 256, threads = 256, blocks = n / threads;
  int wrong = 0;
  std::vector<float> a(n);
  std::vector<int> keys(n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i);
    keys[i] = i * 7 % size;
  }
  float *da = device_copy(a), *dout = device_copy(std::vector<float>(n));
  int* dkeys = device_copy(keys);
  const auto expect = [&](float factor, float term) {
    const std::vector<float> out = host_copy(dout, n);
    for (int i = 0; i < n; ++i) wrong += !(std::fabs(out[i] - (a[i] * factor + term)) <= 1e-2f);
    CHECK(hipMemset(dout, 0, n * sizeof(float)));
  };
  for (int round = 0; round < 2; ++round) {
    scale_batch<<<dim3(blocks, 1), threads>>>(da, dout, n, 3.0f);
    expect(3.0f, 0.0f);
    scale_rows<<<dim3(blocks, 1), dim3(threads, 1)>>>(da, dout, n, 3.0f);
    expect(3.0f, 0.0f);
    scale_view<<<blocks, threads>>>(View{da, dout, n});
    expect(2.0f, 0.0f);
    scale_plain<<<blocks, threads>>>(da, dout, n);
    expect(2.0f, 0.0f);
    affine<<<blocks, threads>>>(da, dout, n, 3.0f, 1.0f);
    expect(3.0f, 1.0f);
    int* dbins = device_copy(std::vector<int>(size));
    bins_of<<<blocks, threads>>>(dkeys, dbins, n, size);
    for (int one : host_copy(dbins, size)) wrong += one != n / size;
  }
  std::printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
  return wrong != 0;
}
