// Floating-point kernels over grids, rows and bodies: a stencil on a 2D launch, forces, sums of any
// block size, rows with padding, largest elements with ties, ratios, in-place updates, a product.
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

__global__ void heat(const float* in, float* out, int width, int height, float k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int at = y * width + x;
  const float c = in[at];
  const float l = x > 0 ? in[at - 1] : c, r = x < width - 1 ? in[at + 1] : c;
  const float u = y > 0 ? in[at - width] : c, d = y < height - 1 ? in[at + width] : c;
  out[at] = c + k * (l + r + u + d - 4.0f * c);
}

__global__ void forces(const float4* body, float4* force, int n, float soften) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 me = body[i];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
  for (int j = 0; j < n; ++j) {
    const float4 other = body[j];
    const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const float square = dx * dx + dy * dy + dz * dz + soften;
    const float inverse = 1.0f / sqrtf(square);
    const float strength = other.w * inverse * inverse * inverse;
    fx += strength * dx;
    fy += strength * dy;
    fz += strength * dz;
  }
  force[i] = make_float4(fx, fy, fz, me.w);
}

template <class T>
__global__ void total(const T* in, T* out, int n) {
  extern __shared__ float scratch[];
  T* part = reinterpret_cast<T*>(scratch);
  T sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__global__ void normalise(const float* in, float* out, int columns, int pitch) {
  const float* row = in + blockIdx.x * pitch;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < columns; k += 64) sum += row[k] * row[k];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  const float scale = 1.0f / sqrtf(sum + 1e-6f);
  for (int k = threadIdx.x; k < columns; k += 64) out[blockIdx.x * pitch + k] = row[k] * scale;
}

__global__ void largest(const float* in, float* value, int* where, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = -INFINITY;
  int place = -1;
  for (int k = 0; k < columns; ++k) {
    const float x = in[row * columns + k];
    if (x > best) {
      best = x;
      place = k;
    }
  }
  value[row] = best;
  where[row] = place;
}

__global__ void ratio(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float top = a[i], bottom = b[i];
  out[i] = bottom == 0.0f ? copysignf(1.0f, top) : top / bottom;
}

__global__ void relax(const float* in, float* out, int n, float weight) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 >= n) return;
  const float x = in[2 * i], y = in[2 * i + 1];
  out[2 * i] = x + weight * (y - x);
  out[2 * i + 1] = y + weight * (x - y);
}

__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

__global__ void scale_copy(const float* in, float* out, int n, float factor) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = in[i] * factor;
  }
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

int wrong = 0;

void expect(double value, double expected) {
  wrong += !(std::fabs(value - expected) <= 1e-3 * std::fmax(1.0, std::fabs(expected)));
}

void check_rows(const std::vector<float>& a, float* da, float* dout, int* dwhere) {
  const int rows = 32, columns = 60, pitch = 64;
  normalise<<<rows, 64>>>(da, dout, columns, pitch);
  std::vector<float> out = host_copy(dout, rows * pitch);
  for (int r = 0; r < rows; ++r) {
    double sum = 1e-6;
    for (int k = 0; k < columns; ++k) sum += std::pow(double(a[r * pitch + k]), 2.0);
    for (int k = 0; k < columns; ++k) expect(out[r * pitch + k], a[r * pitch + k] / std::sqrt(sum));
  }
  largest<<<1, rows>>>(da, dout, dwhere, rows, pitch);
  const std::vector<int> where = host_copy(dwhere, rows);
  for (int r = 0; r < rows; ++r) {
    int best = 0;
    for (int k = 1; k < pitch; ++k) best = a[r * pitch + k] > a[r * pitch + best] ? k : best;
    wrong += where[r] != best;
  }
}

void check_bodies(const std::vector<float>& a, const float* da, float* dout) {
  const int bodies = 128;
  forces<<<bodies / 64, 64>>>(reinterpret_cast<const float4*>(da), reinterpret_cast<float4*>(dout),
                              bodies, 0.01f);
  const std::vector<float> out = host_copy(dout, 4 * bodies);
  for (int i = 0; i < bodies; ++i) {
    double sum = 0.0;
    for (int j = 0; j < bodies; ++j) {
      double square = 0.01;
      for (int d = 0; d < 3; ++d) square += std::pow(double(a[4 * j + d]) - a[4 * i + d], 2.0);
      sum += a[4 * j + 3] * (double(a[4 * j]) - a[4 * i]) / std::pow(square, 1.5);
    }
    expect(out[4 * i], sum);
  }
}

int main() {
  const int n = 2048, width = 64, height = 32, threads = 256;
  std::vector<float> a(n), b(n);
  for (int i = 0; i < n; ++i) {
    a[i] = i % 64 < 60 ? static_cast<float>(i * 37 % 1021) * 0.05f - 2.0f : 0.0f;  // rows of 60
    b[i] = static_cast<float>(i * 53 % 97) * 0.03f + 0.5f;
  }
  float *da = device_copy(a), *db = device_copy(b), *dout = device_copy(b), *dc = device_copy(b);
  int* dwhere = device_copy(std::vector<int>(n));
  const dim3 tile(16, 16);
  for (int round = 0; round < 2; ++round) {
    heat<<<dim3(width / 16, height / 16), tile>>>(da, dout, width, height, 0.2f);
    std::vector<float> out = host_copy(dout, n);
    for (int y = 1; y < height - 1; ++y) {
      for (int x = 1; x < width - 1; ++x) {
        const int i = y * width + x;
        const double around = double(a[i - 1]) + a[i + 1] + a[i - width] + a[i + width];
        expect(out[i], a[i] + 0.2 * (around - 4.0 * a[i]));
      }
    }
    check_bodies(a, da, dout);
    total<float><<<4, threads, threads * sizeof(float)>>>(da, dout, n);
    out = host_copy(dout, 4);
    double sum = 0.0;
    for (float one : a) sum += one;
    expect((double(out[0]) + out[1] + out[2] + out[3]) / n, sum / n);
    check_rows(a, da, dout, dwhere);
    ratio<<<n / threads, threads>>>(da, db, dout, n);
    out = host_copy(dout, n);
    for (int i = 0; i < n; ++i) expect(out[i], a[i] / b[i]);
    const std::vector<float> before = host_copy(dc, n);
    relax<<<n / 2 / threads, threads>>>(dc, dc, n, 0.25f);
    out = host_copy(dc, n);
    for (int i = 0; i < n; ++i) expect(out[i], 0.75 * before[i] + 0.25 * before[i ^ 1]);
    product<<<dim3(2, 2), tile>>>(da, db, dout, 32, 32, 48);
    out = host_copy(dout, 1024);
    for (int i = 0; i < 1024; ++i) {
      sum = 0.0;
      for (int j = 0; j < 48; ++j) sum += double(a[i / 32 * 48 + j]) * b[j * 32 + i % 32];
      expect(out[i], sum);
    }
    scale_copy<<<n / threads, threads>>>(da, dout, n, 3.0f);
    out = host_copy(dout, n);
    for (int i = 0; i < n; ++i) expect(out[i], a[i] * 3.0);
  }
  std::printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
  return wrong != 0;
}
