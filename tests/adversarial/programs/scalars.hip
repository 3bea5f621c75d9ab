// Kernels whose arguments decide what they do: an enum, factors, a structure by value, pointers
// that may be null. Each is launched twice with the usual values and checked on the host.
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

enum class Activation : int { kIdentity, kRelu, kLeaky, kSoftplus, kTanh };

struct Step {
  float time;
  float drag;
  float low;
  float high;
  int wraps;
};

__global__ void activate(const float* in, float* out, int n, Activation mode, float slope) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float y = x;
  if (mode == Activation::kRelu) y = x > 0.0f ? x : 0.0f;
  if (mode == Activation::kLeaky) y = x > 0.0f ? x : slope * x;
  if (mode == Activation::kSoftplus) y = logf(1.0f + expf(x));
  if (mode == Activation::kTanh) y = tanhf(x);
  out[i] = y;
}

__global__ void axpby(float alpha, const float* x, float beta, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = alpha * x[i] + beta * y[i];
}

__global__ void gemv(const float* a, const float* x, const float* bias, float* y, int rows,
                     int columns, float alpha) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < columns; ++k) sum += a[row * columns + k] * x[k];
  sum *= alpha;
  if (bias != nullptr) sum += bias[row];
  y[row] = sum;
}

__global__ void add_bias(const float* in, const float* bias, const float* residual, float* out,
                         int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= columns || row >= rows) return;
  const int at = row * columns + column;
  float value = in[at];
  if (bias != nullptr) value += bias[column];
  if (residual != nullptr) value += residual[at];
  out[at] = value;
}

__global__ void advance(float* place, float* speed, Step step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = speed[i];
  v -= step.drag * v * step.time;
  float p = place[i] + v * step.time;
  if (step.wraps) {
    const float width = step.high - step.low;
    if (p >= step.high) p -= width;
    if (p < step.low) p += width;
  } else if (p > step.high || p < step.low) {
    v = -v;
    p = p > step.high ? step.high : step.low;
  }
  place[i] = p;
  speed[i] = v;
}

__global__ void quantise(const float* in, signed char* out, int n, float scale, int zero) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int q = static_cast<int>(rintf(fminf(fmaxf(in[i] * scale, -1e6f), 1e6f))) + zero;
    if (q > 127) q = 127;
    if (q < -128) q = -128;
    out[i] = static_cast<signed char>(q);
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
  wrong += !(std::fabs(value - expected) <= 1e-4 * std::fmax(1.0, std::fabs(expected)));
}

int main() {
  const int n = 2048, rows = 128, columns = 32, threads = 256;
  std::vector<float> a(n + 2 * rows * columns), b(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i * 37 % 101) * 0.05f - 2.0f;
    b[i] = static_cast<float>(i * 53 % 97) * 0.03f;
  }
  float *da = device_copy(a), *db = device_copy(b), *dout = device_copy(a);
  float *dplace = device_copy(b), *dspeed = device_copy(a);
  signed char* dbytes = device_copy(std::vector<signed char>(n));
  const Step step = {0.125f, 0.0f, -4.0f, 4.0f, 0};
  const dim3 tile(32, 8), tiles(1, rows / 8);
  for (int round = 0; round < 2; ++round) {
    activate<<<n / threads, threads>>>(da, dout, n, Activation::kRelu, 0.01f);
    std::vector<float> out = host_copy(dout, n);
    for (int i = 0; i < n; ++i) expect(out[i], a[i] > 0.0f ? a[i] : 0.0f);
    axpby<<<n / threads, threads>>>(1.0f, da, 0.0f, dout, n);
    out = host_copy(dout, n);
    for (int i = 0; i < n; ++i) expect(out[i], a[i]);
    gemv<<<1, rows>>>(da, db, nullptr, dout, rows, columns, 1.0f);
    out = host_copy(dout, rows);
    for (int r = 0; r < rows; ++r) {
      double sum = 0.0;
      for (int k = 0; k < columns; ++k) sum += static_cast<double>(a[r * columns + k]) * b[k];
      expect(out[r], sum);
    }
    add_bias<<<tiles, tile>>>(da, db, nullptr, dout, rows, columns);
    out = host_copy(dout, rows * columns);
    for (int i = 0; i < rows * columns; ++i) expect(out[i], a[i] + b[i % columns]);
    const std::vector<float> place = host_copy(dplace, n), speed = host_copy(dspeed, n);
    advance<<<n / threads, threads>>>(dplace, dspeed, step, n);
    out = host_copy(dplace, n);
    for (int i = 0; i < n; ++i) expect(out[i], place[i] + 0.125 * speed[i]);
    quantise<<<4, threads>>>(da, dbytes, n, 20.0f, 3);
    const std::vector<signed char> bytes = host_copy(dbytes, n);
    for (int i = 0; i < n; ++i) expect(bytes[i], std::rint(a[i] * 20.0f) + 3);
  }
  std::printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
  return wrong != 0;
}
