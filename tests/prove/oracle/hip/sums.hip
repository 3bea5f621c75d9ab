// Sums whose terms cancel, or are many, as they are captured.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    if ((call) != hipSuccess) {                                            \
      std::fprintf(stderr, "%s failed\n", #call);                          \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

constexpr int kBodies = 256, kBlock = 64, kRows = 16, kColumns = 4096;

// Nothing is contracted here: every product is rounded.
__global__ void forces(float* out, const float* bodies, int n) {
#pragma clang fp contract(off)
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = bodies[3 * i], y = bodies[3 * i + 1], z = bodies[3 * i + 2];
  float fx = 0, fy = 0, fz = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    const float dx = bodies[3 * j] - x, dy = bodies[3 * j + 1] - y, dz = bodies[3 * j + 2] - z;
    const float square = dx * dx + dy * dy + dz * dz + 0.01f;
    const float inverse = 1.0f / sqrtf(square);
    const float weight = inverse * inverse * inverse;
    fx = fx + dx * weight;
    fy = fy + dy * weight;
    fz = fz + dz * weight;
  }
  out[3 * i] = fx;
  out[3 * i + 1] = fy;
  out[3 * i + 2] = fz;
}

// One block for each row.
__global__ void dots(float* out, const float* a, const float* b, int columns) {
  __shared__ float partial[kBlock];
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += kBlock)
    sum += a[blockIdx.x * columns + c] * b[blockIdx.x * columns + c];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

int main() {
  // A body and its mirror image: in the middle everything cancels.
  std::vector<float> bodies(3 * kBodies);
  unsigned state = 1;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return float(state >> 8) / float(1 << 24) - 0.5f;
  };
  for (int i = 0; i < kBodies; i += 2)
    for (int k = 0; k < 3; ++k) {
      const float at = i == 0 ? 1e-4f * next() : next();
      bodies[3 * i + k] = at;
      bodies[3 * i + 3 + k] = -at;
    }
  std::vector<float> a(kRows * kColumns), b(kRows * kColumns);
  for (float& one : a) one = next();
  for (float& one : b) one = next();
  float *d_bodies, *d_forces, *d_a, *d_b, *d_dots;
  CHECK(hipMalloc(&d_bodies, bodies.size() * sizeof(float)));
  CHECK(hipMalloc(&d_forces, bodies.size() * sizeof(float)));
  CHECK(hipMalloc(&d_a, a.size() * sizeof(float)));
  CHECK(hipMalloc(&d_b, b.size() * sizeof(float)));
  CHECK(hipMalloc(&d_dots, kRows * sizeof(float)));
  CHECK(hipMemcpy(d_bodies, bodies.data(), bodies.size() * sizeof(float), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(d_a, a.data(), a.size() * sizeof(float), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(d_b, b.data(), b.size() * sizeof(float), hipMemcpyHostToDevice));
  forces<<<kBodies / kBlock, kBlock>>>(d_forces, d_bodies, kBodies);
  dots<<<kRows, kBlock>>>(d_dots, d_a, d_b, kColumns);
  CHECK(hipDeviceSynchronize());
  return 0;
}
