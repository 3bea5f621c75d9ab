// Kernels in which a number's type, precision, sign or rounding matters. Each is launched twice and
// checked on the host.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                       \
  do {                                                    \
    if ((call) != hipSuccess) {                           \
      std::fprintf(stderr, "line %d failed\n", __LINE__); \
      std::exit(2);                                       \
    }                                                     \
  } while (0)

struct Shape {
  int dims;
  int sizes[4];
  int strides[4];
};

__global__ void rounded(const float* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = int(rintf(in[i]));
}

__global__ void shortened(const float* in, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned bits = __float_as_uint(in[i]);
  out[i] = (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

__global__ void turned(const float* in, float* out, int n, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[(i + shift) % n];
}

__global__ void spread_axpy(float factor, const float* x, int step, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i * step] + 1.0f;
}

__global__ void products_of(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * x[i] * y[n - 1 - i];
}

__global__ void random_at(unsigned long long offset, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long state = (offset + i) * 0x9e3779b97f4a7c15ull;
  state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ull;
  out[i] = unsigned(state >> 32);
}

__global__ void unpacked(const signed char* in, float* out, signed char zero, float scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (in[i] - zero) * scale;
}

__global__ void collected(const float* in, float* out, Shape shape, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rest = i, at = 0;
  for (int d = 0; d < shape.dims; ++d) {
    at += rest % shape.sizes[d] * shape.strides[d];
    rest /= shape.sizes[d];
  }
  out[i] = 2.0f * in[at];
}

__global__ void turned_as(char mode, const float2* in, float2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const int row = i / n, column = i % n;
  float2 one = mode == 'N' ? in[i] : in[column * n + row];
  if (mode == 'C') one.y = -one.y;
  out[i] = one;
}

__global__ void areas(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3.14159265358979311600 * in[i] * in[i];
}

__global__ void careful_sums(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f, lost = 0.0f;
  for (int k = 0; k < columns; ++k) {
    const float one = in[k * rows + row] - lost;
    const float next = sum + one;
    lost = (next - sum) - one;
    sum = next;
  }
  out[row] = sum;
}

__global__ void days_of(const int* years, int* days, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int year = years[i];
  days[i] = 365 + ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0);
}

__global__ void growth(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = log1pf(in[i]);
}

__global__ void hypotenuses(const float2* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = fabsf(in[i].x), y = fabsf(in[i].y);
  const float large = fmaxf(x, y), small = fminf(x, y);
  const float ratio = large > 0.0f ? small / large : 0.0f;
  out[i] = large * sqrtf(1.0f + ratio * ratio);
}

__global__ void half_sums(const __half* in, __half* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < columns; ++k) sum += __half2float(in[k * rows + row]);
  out[row] = __float2half(sum);
}

__global__ void shifted(const unsigned long long* words, const int* by, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = unsigned(words[i] >> (by[i] & 63));
}

__global__ void quadrants(const float2* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = atan2f(in[i].y, in[i].x);
}

__global__ void mixed_pixels(const unsigned char* a, const unsigned char* b, unsigned char* out,
                             int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (unsigned char)min(a[i] + b[i], 255);
}

template <class T>
T* device_copy(const std::vector<T>& from) {
  T* to = nullptr;
  CHECK(hipMalloc(&to, from.size() * sizeof(T)));
  CHECK(hipMemcpy(to, from.data(), from.size() * sizeof(T), hipMemcpyHostToDevice));
  return to;
}

int wrong = 0;

template <class T>
void expect(T* device, const std::vector<T>& wanted, double relative = 1e-5) {
  std::vector<T> got(wanted.size());
  CHECK(hipMemcpy(got.data(), device, got.size() * sizeof(T), hipMemcpyDeviceToHost));
  for (size_t i = 0; i < got.size(); ++i) {
    const double apart = std::fabs(double(got[i]) - double(wanted[i]));
    wrong += !(apart <= relative * std::max(1.0, std::fabs(double(wanted[i]))));
  }
  CHECK(hipMemset(device, 0, got.size() * sizeof(T)));
}

template <class T, class F>
std::vector<T> made(int n, F of) {
  std::vector<T> all(n);
  for (int i = 0; i < n; ++i) all[i] = of(i);
  return all;
}

constexpr int kN = 4096, kThreads = 256, kBlocks = kN / kThreads, kSide = 64;

void roundings(const std::vector<float>& a, float* da, int* whole) {
  rounded<<<kBlocks, kThreads>>>(da, whole, kN);
  expect(whole, made<int>(kN, [&](int i) { return int(std::rint(a[i])); }));
  unsigned short* brief = reinterpret_cast<unsigned short*>(whole);
  shortened<<<kBlocks, kThreads>>>(da, brief, kN);
  expect(brief, made<unsigned short>(kN, [&](int i) {
           unsigned bits;
           std::memcpy(&bits, &a[i], 4);
           return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
         }));
  const auto years = made<int>(kN, [](int i) { return 1901 + i % 199; });
  days_of<<<kBlocks, kThreads>>>(device_copy(years), whole, kN);
  expect(whole, made<int>(kN, [&](int i) { return 365 + (years[i] % 4 == 0); }));
}

void places(const std::vector<float>& a, float* da, float* out) {
  turned<<<kBlocks, kThreads>>>(da, out, kN, 17);
  expect(out, made<float>(kN, [&](int i) { return a[(i + 17) % kN]; }));
  spread_axpy<<<kBlocks, kThreads>>>(2.0f, da, 1, out, kN);
  expect(out, made<float>(kN, [&](int i) { return 2.0f * a[i] + 1.0f; }));
  products_of<<<kBlocks, kThreads>>>(da, da, out, kN);
  expect(out, made<float>(kN, [&](int i) { return 0.5f * a[i] * a[kN - 1 - i]; }));
  const Shape plane{2, {kSide, kSide, 1, 1}, {kSide, 1, 0, 0}};
  collected<<<kBlocks, kThreads>>>(da, out, plane, kN);
  expect(out, made<float>(kN, [&](int i) { return 2.0f * a[i % kSide * kSide + i / kSide]; }));
  const auto pairs = made<float2>(kN, [&](int i) { return make_float2(a[i], 1.0f - a[i]); });
  float2 *from = device_copy(pairs), *to = device_copy(pairs);
  turned_as<<<kBlocks, kThreads>>>('N', from, to, kSide);
  expect(reinterpret_cast<float*>(to),
         made<float>(2 * kN, [&](int i) { return i % 2 ? pairs[i / 2].y : pairs[i / 2].x; }));
  hypotenuses<<<kBlocks, kThreads>>>(from, out, kN);
  expect(out, made<float>(kN, [&](int i) { return std::hypot(pairs[i].x, pairs[i].y); }));
  const auto right = made<float2>(kN, [&](int i) { return make_float2(a[i], 2.0f - a[i]); });
  quadrants<<<kBlocks, kThreads>>>(device_copy(right), out, kN);
  expect(out, made<float>(kN, [&](int i) { return std::atan2(right[i].y, right[i].x); }));
}

void types(const std::vector<float>& a, float* out, int* whole) {
  random_at<<<kBlocks, kThreads>>>(1000, reinterpret_cast<unsigned*>(whole), kN);
  expect(whole, made<int>(kN, [](int i) {
           unsigned long long state = (1000ull + i) * 0x9e3779b97f4a7c15ull;
           state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ull;
           return int(state >> 32);
         }));
  const auto bytes = made<signed char>(kN, [](int i) { return (signed char)(i * 37 % 255 - 127); });
  unpacked<<<kBlocks, kThreads>>>(device_copy(bytes), out, 3, 0.25f, kN);
  expect(out, made<float>(kN, [&](int i) { return (bytes[i] - 3) * 0.25f; }));
  const auto words =
      made<unsigned long long>(kN, [](int i) { return 0x123456789abcdef0ull * (i + 1); });
  const auto by = made<int>(kN, [](int i) { return i % 32; });
  shifted<<<kBlocks, kThreads>>>(device_copy(words), device_copy(by),
                                 reinterpret_cast<unsigned*>(whole), kN);
  expect(whole, made<int>(kN, [&](int i) { return int(unsigned(words[i] >> by[i])); }));
  const auto pixels = made<unsigned char>(kN, [](int i) { return (unsigned char)(i * 7 % 120); });
  unsigned char *shown = device_copy(pixels), *from = device_copy(pixels);
  mixed_pixels<<<kBlocks, kThreads>>>(from, from, shown, kN);
  expect(shown, made<unsigned char>(kN, [&](int i) { return (unsigned char)(2 * pixels[i]); }));
  const auto numbers = made<double>(kN, [&](int i) { return double(a[i]); });
  double* doubled = device_copy(numbers);
  areas<<<kBlocks, kThreads>>>(device_copy(numbers), doubled, kN);
  expect(doubled, made<double>(kN, [&](int i) { return 3.14159265358979 * a[i] * a[i]; }));
}

void sums(const std::vector<float>& a, float* da, float* out) {
  const auto totals = made<float>(kSide, [&](int row) {
    double sum = 0.0;
    for (int k = 0; k < kSide; ++k) sum += a[k * kSide + row];
    return float(sum);
  });
  careful_sums<<<1, kSide>>>(da, out, kSide, kSide);
  expect(out, totals);
  growth<<<kBlocks, kThreads>>>(da, out, kN);
  expect(out, made<float>(kN, [&](int i) { return std::log1p(a[i]); }));
  __half *halves = nullptr, *brief = nullptr;
  CHECK(hipMalloc(&halves, kN * sizeof(__half)));
  CHECK(hipMalloc(&brief, kSide * sizeof(__half)));
  const auto one =
      made<unsigned short>(kN, [](int i) { return (unsigned short)(0x3c00 + i % 64); });
  CHECK(hipMemcpy(halves, one.data(), kN * sizeof(__half), hipMemcpyHostToDevice));
  half_sums<<<1, kSide>>>(halves, brief, kSide, kSide);
  expect(reinterpret_cast<unsigned short*>(brief),
         made<unsigned short>(kSide, [](int row) { return (unsigned short)(0x5400 + row); }));
}

int main() {
  const auto a = made<float>(kN, [](int i) { return 1.01f + i * 37 % 1000 * 0.000631f; });
  float *da = device_copy(a), *out = device_copy(std::vector<float>(kN));
  int* whole = device_copy(std::vector<int>(kN));
  for (int round = 0; round < 2; ++round) {
    roundings(a, da, whole);
    places(a, da, out);
    types(a, out, whole);
    sums(a, da, out);
  }
  std::printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
  return wrong != 0;
}
