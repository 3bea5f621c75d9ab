// Vector and matrix arithmetic. The parameter is the number of workgroups of four waves; of rows
// called *_latency it is the number of dependent instructions of one wave.
#include "bench.h"

constexpr int kThreads = 256;
constexpr int kChains = 8;  // independent results, to hide their latency
constexpr int kUnroll = 16;

// Each step adds one: exact in every type, and nothing that a compiler may shorten.
template <class T>
__global__ __launch_bounds__(kThreads) void bench_fma(T one, int passes, T* out) {
  T chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = T((threadIdx.x & 15) + i);
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll
    for (int turn = 0; turn < kUnroll; ++turn)
#pragma unroll
      for (int i = 0; i < kChains; ++i) chain[i] = __builtin_elementwise_fma(chain[i], one, one);
  T sum = chain[0];
  for (int i = 1; i < kChains; ++i) sum += chain[i];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

template <class T>
__global__ void bench_fma_chain(T one, int steps, T* out) {
  T value = T(threadIdx.x);
  for (int step = 0; step < steps; step += 64)
#pragma unroll
    for (int turn = 0; turn < 64; ++turn) value = __builtin_elementwise_fma(value, one, one);
  out[threadIdx.x] = value;
}

// The reciprocal of a power of two is exact, and that of the reciprocal is the power again.
__global__ __launch_bounds__(kThreads) void bench_rcp(int passes, float* out) {
  float chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = float(1u << ((threadIdx.x + i) & 7));
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll
    for (int turn = 0; turn < kUnroll; ++turn)
#pragma unroll
      for (int i = 0; i < kChains; ++i)
        asm volatile("v_rcp_f32 %0, %0" : "+v"(chain[i]));
  float sum = 0;
  for (int i = 0; i < kChains; ++i) sum += chain[i];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

using Short4 = __attribute__((ext_vector_type(4))) short;
using Half4 = __attribute__((ext_vector_type(4))) _Float16;
using Float16x = __attribute__((ext_vector_type(16))) float;
using Int16x = __attribute__((ext_vector_type(16))) int;
using Double4 = __attribute__((ext_vector_type(4))) double;

// Products of ones: every element of the result grows by the depth of the instruction.
#if defined(__gfx942__)
#define MATRIX_KERNEL(name, Source, Result, instruction)                                          \
  __global__ __launch_bounds__(kThreads) void name(Source ones, int passes, double* out) {        \
    Result first = {}, second = {};                                                               \
    for (int pass = 0; pass < passes; ++pass)                                                     \
      _Pragma("unroll") for (int turn = 0; turn < kUnroll; ++turn) {                              \
        first = instruction(ones, ones, first, 0, 0, 0);                                          \
        second = instruction(ones, ones, second, 0, 0, 0);                                        \
      }                                                                                           \
    out[blockIdx.x * kThreads + threadIdx.x] = double(first[0]) + double(second[3]);              \
  }
#else
#define MATRIX_KERNEL(name, Source, Result, instruction) \
  __global__ void name(Source, int, double*) {}
#endif

MATRIX_KERNEL(bench_fp16, Half4, Float16x, __builtin_amdgcn_mfma_f32_32x32x8f16)
MATRIX_KERNEL(bench_bf16, Short4, Float16x, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k)
MATRIX_KERNEL(bench_fp8, long, Float16x, __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8)
MATRIX_KERNEL(bench_int8, long, Int16x, __builtin_amdgcn_mfma_i32_32x32x16_i8)
MATRIX_KERNEL(bench_fp64, double, Double4, __builtin_amdgcn_mfma_f64_16x16x4f64)

template <class T>
void all_are(Bench& bench, const T* memory, size_t count, const std::function<T(size_t)>& expected) {
  const std::vector<T> found = host_copy(memory, count);
  for (size_t i = 0; i < count; ++i) bench.require(found[i] == expected(i % kThreads));
}

template <class T>
Row throughput(int passes) {
  return [=](Bench& bench, size_t groups) {
    T* out = device_array<T>(groups * kThreads);
    bench.measure([&] { bench_fma<T><<<unsigned(groups), kThreads>>>(T(1), passes, out); });
    const int steps = passes * kUnroll;
    all_are<T>(bench, out, groups * kThreads,
               [&](size_t i) { return T(kChains * (int(i & 15) + steps) + 28); });
    CHECK(hipFree(out));
  };
}

template <class T>
Row latency() {
  return [](Bench& bench, size_t steps) {
    T* out = device_array<T>(64);
    bench.measure([&] { bench_fma_chain<T><<<1, 64>>>(T(1), int(steps), out); });
    all_are<T>(bench, out, 64, [&](size_t i) { return T(i + steps); });
    CHECK(hipFree(out));
  };
}

void reciprocal(Bench& bench, size_t groups) {
  float* out = device_array<float>(groups * kThreads);
  bench.measure([&] { bench_rcp<<<unsigned(groups), kThreads>>>(24, out); });
  all_are<float>(bench, out, groups * kThreads, [](size_t) { return 255.0f; });
  CHECK(hipFree(out));
}

template <class Source, class Kernel>
Row matrix(Kernel kernel, Source ones, int depth, int passes) {
  return [=](Bench& bench, size_t groups) {
    double* out = device_array<double>(groups * kThreads);
    bench.measure([&] { kernel<<<unsigned(groups), kThreads>>>(ones, passes, out); });
    const double expected = 2.0 * depth * kUnroll * passes;
    all_are<double>(bench, out, groups * kThreads, [=](size_t) { return expected; });
    CHECK(hipFree(out));
  };
}

int main(int count, char** words) {
  const Half4 half = {1, 1, 1, 1};
  const Short4 bfloat = {0x3f80, 0x3f80, 0x3f80, 0x3f80};
  const long eights = 0x4040404040404040, bytes = 0x0101010101010101;  // 1.0 of gfx942's FP8
  return run_rows(count, words,
                  {{"fp32", throughput<float>(160)},
                   {"fp64", throughput<double>(64)},
                   {"rcp", reciprocal},
                   {"fp32_latency", latency<float>()},
                   {"fp64_latency", latency<double>()},
                   {"mfma_fp16", matrix(bench_fp16, half, 8, 24)},
                   {"mfma_bf16", matrix(bench_bf16, bfloat, 8, 24)},
                   {"mfma_fp8", matrix(bench_fp8, eights, 16, 24)},
                   {"mfma_int8", matrix(bench_int8, bytes, 16, 24)},
                   {"mfma_fp64", matrix(bench_fp64, 1.0, 4, 24)}});
}
