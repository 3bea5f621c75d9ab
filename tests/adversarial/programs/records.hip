// Kernels whose buffers hold more than numbers of one type: flags and counts in memory, vectors,
// records, pointers, bytes. Each is launched twice and checked on the host.
#include <hip/hip_runtime.h>

#include <algorithm>
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

struct Particle {
  float x, y, z;
  int kind;
};

__global__ void step_unless(const int* stop, const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = *stop ? in[i] : in[i] * 0.5f + 1.0f;
}

__global__ void first_of(const int* count, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i < *count ? 2.0f * in[i] : 0.0f;
}

__global__ void rotate(const float2* in, float2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = make_float2(in[i].x * 0.8f - in[i].y * 0.6f, in[i].x * 0.6f + in[i].y * 0.8f);
}

__global__ void weigh(const float4* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (in[i].x + in[i].y + in[i].z) * in[i].w;
}

__global__ void energies(const Particle* all, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Particle one = all[i];
  const float square = one.x * one.x + one.y * one.y + one.z * one.z;
  out[i] = one.kind == 1 ? 0.5f * square : square;
}

__global__ void where_true(const bool* mask, const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = mask[i] ? in[i] * 4.0f : -1.0f;
}

__global__ void batch_sums(const float* const* rows, float* out, int columns) {
  const float* row = rows[blockIdx.x];
  __shared__ float own[256];
  float sum = 0.0f;
  for (int k = threadIdx.x; k < columns; k += blockDim.x) sum += row[k];
  own[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) own[threadIdx.x] += own[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = own[0];
}

__global__ void whole_dots(const signed char* a, const signed char* b, int* out, int n, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k < depth; ++k) sum += a[k * n + i] * b[k];
  out[i] = sum;
}

__global__ void segment_sums(const int* starts, const float* in, float* out, int segments) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= segments) return;
  float sum = 0.0f;
  for (int k = starts[i]; k < starts[i + 1]; ++k) sum += in[k];
  out[i] = sum;
}

__global__ void clamped_steps(const double* in, double* out, long n, double least, double most) {
  const long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i < n) out[i] = fmin(fmax(in[i], least), most) * 2.0;
}

__global__ void kept(const float* in, float* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 2.0f) out[atomicAdd(count, 1)] = in[i];
}

__global__ void marks(const int* keys, unsigned long long* out, int n, int key) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long mask = __ballot(i < n && keys[i] > key);
  if (threadIdx.x % 64 == 0) out[i / 64] = mask;
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

constexpr int kN = 4096, kThreads = 256, kBlocks = kN / kThreads;

void flags(const std::vector<float>& a, float* da, float* out) {
  step_unless<<<kBlocks, kThreads>>>(device_copy(std::vector<int>(1, 0)), da, out, kN);
  expect(out, made<float>(kN, [&](int i) { return a[i] * 0.5f + 1.0f; }));
  first_of<<<kBlocks, kThreads>>>(device_copy(std::vector<int>(1, kN)), da, out);
  expect(out, made<float>(kN, [&](int i) { return 2.0f * a[i]; }));
}

void vectors(const std::vector<float>& a, float* out) {
  const auto flat = made<float2>(kN, [&](int i) { return make_float2(a[i], 0.0f); });
  float2* turned = device_copy(flat);
  rotate<<<kBlocks, kThreads>>>(device_copy(flat), turned, kN);
  expect(reinterpret_cast<float*>(turned),
         made<float>(2 * kN, [&](int i) { return a[i / 2] * (i % 2 ? 0.6f : 0.8f); }));
  const auto ones = made<float4>(kN, [&](int i) { return make_float4(a[i], 1.0f, 2.0f, 1.0f); });
  weigh<<<kBlocks, kThreads>>>(device_copy(ones), out, kN);
  expect(out, made<float>(kN, [&](int i) { return a[i] + 3.0f; }));
  const auto all = made<Particle>(kN, [&](int i) { return Particle{a[i], 1.0f, 2.0f, 0}; });
  energies<<<kBlocks, kThreads>>>(device_copy(all), out, kN);
  expect(out, made<float>(kN, [&](int i) { return a[i] * a[i] + 5.0f; }));
}

void sums(const std::vector<float>& a, float* da, float* out, int* whole) {
  const int rows = 64, columns = 64;
  const auto pointers = made<const float*>(rows, [&](int row) { return da + row * columns; });
  const auto starts = made<int>(rows + 1, [](int row) { return row * columns; });
  const auto totals = made<float>(rows, [&](int row) {
    float sum = 0.0f;
    for (int k = 0; k < columns; ++k) sum += a[row * columns + k];
    return sum;
  });
  batch_sums<<<rows, kThreads>>>(device_copy(pointers), out, columns);
  expect(out, totals);
  segment_sums<<<1, rows>>>(device_copy(starts), da, out, rows);
  expect(out, totals);
  const int depth = 16, n = 256;
  const auto bytes =
      made<signed char>(depth * n, [](int i) { return (signed char)(i * 37 % 255 - 127); });
  signed char* device = device_copy(bytes);
  whole_dots<<<1, n>>>(device, device, whole, n, depth);
  expect(whole, made<int>(n, [&](int i) {
           int sum = 0;
           for (int k = 0; k < depth; ++k) sum += bytes[k * n + i] * bytes[k];
           return sum;
         }));
}

void masks(const std::vector<float>& a, float* da, float* out, int* whole) {
  bool* mask = nullptr;
  CHECK(hipMalloc(&mask, kN));
  CHECK(hipMemset(mask, 1, kN));
  where_true<<<kBlocks, kThreads>>>(mask, da, out, kN);
  expect(out, made<float>(kN, [&](int i) { return a[i] * 4.0f; }));
  const auto numbers = made<double>(kN, [&](int i) { return double(a[i]); });
  double* doubled = device_copy(numbers);
  clamped_steps<<<kBlocks, kThreads>>>(device_copy(numbers), doubled, kN, 0.0, 100.0);
  expect(doubled, made<double>(kN, [&](int i) { return 2.0 * numbers[i]; }));
  kept<<<kBlocks, kThreads>>>(da, out, whole, kN);
  int count = 0;
  for (float one : a) count += one > 2.0f;
  expect(whole, std::vector<int>(1, count));
  CHECK(hipMemset(out, 0, kN * sizeof(float)));
  const auto keys = made<int>(kN, [](int i) { return i * 7 % 64; });
  marks<<<kBlocks, kThreads>>>(device_copy(keys), reinterpret_cast<unsigned long long*>(whole), kN,
                               31);
  std::vector<int> words(kN / 32);
  for (int i = 0; i < kN; ++i) words[i / 32] |= int(unsigned(keys[i] > 31) << i % 32);
  expect(whole, words, 0.0);
}

int main() {
  const auto a = made<float>(kN, [](int i) { return 1.0f + i * 37 % 1000 * 0.003f; });
  float *da = device_copy(a), *out = device_copy(std::vector<float>(kN));
  int* whole = device_copy(std::vector<int>(kN));
  for (int round = 0; round < 2; ++round) {
    flags(a, da, out);
    vectors(a, out);
    sums(a, da, out, whole);
    masks(a, da, out, whole);
  }
  std::printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
  return wrong != 0;
}
