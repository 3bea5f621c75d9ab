// The ceilings of a GPU: each level of its memory read, each pipe kept busy.
//   roofs OUTPUT [LEVEL=BYTES | PIPE]...
// reads a LEVEL (lds, l1, l2, infinity_cache, hbm) with a footprint of BYTES, and computes in a PIPE
// (vector.fp32, matrix.bf16 ...) if the GPU has it. One line of OUTPUT per launch, in launch order:
// what it measures, and the bytes or operations of that launch. Times come from the profiler that
// records the launches.
#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

using Quad = __attribute__((ext_vector_type(4))) unsigned;
using Float2 = __attribute__((ext_vector_type(2))) float;
using Half2 = __attribute__((ext_vector_type(2))) _Float16;

constexpr int kThreads = 256;
constexpr int kLoads = 4;                       // in flight per work-item
constexpr unsigned kWindow = kThreads * kLoads;  // quads that a workgroup reads in one pass
constexpr int kChains = 8;                      // independent results, to hide their latency
constexpr int kUnroll = 16;

#define CHECK(call)                                                                \
  do {                                                                             \
    hipError_t status = (call);                                                    \
    if (status != hipSuccess) {                                                    \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));          \
      std::exit(1);                                                                \
    }                                                                              \
  } while (false)

// A value that no sum has: the store is never made, but the compiler cannot know.
__device__ void keep(Quad sum, Quad* out) {
  if (sum.x == 0x5ca1ab1e && sum.y == 0x0ddba11) *out = sum;
}

// What was read in one pass has to be read again in the next.
__device__ void forget_memory() { asm volatile("" ::: "memory"); }

// Workgroup g reads window g, g + step, g + 2 step ... of the footprint.
__global__ __launch_bounds__(kThreads) void read_memory(const Quad* data, unsigned windows,
                                                        unsigned step, unsigned passes, Quad* out) {
  Quad sum = {};
  unsigned window = blockIdx.x % windows;
  for (unsigned pass = 0; pass < passes; ++pass) {
    const Quad* at = data + size_t(window) * kWindow + threadIdx.x;
#pragma unroll
    for (int load = 0; load < kLoads; ++load) sum ^= at[load * kThreads];
    forget_memory();
    window += step;
    if (window >= windows) window -= windows;
  }
  keep(sum, out);
}

__global__ __launch_bounds__(kThreads) void read_lds(unsigned passes, Quad* out) {
  __shared__ Quad tile[kWindow];
  for (int load = 0; load < kLoads; ++load)
    tile[threadIdx.x + load * kThreads] = Quad(threadIdx.x + load);
  __syncthreads();
  Quad sum = {};
  for (unsigned pass = 0; pass < passes; ++pass) {
    const Quad* at = tile + (threadIdx.x + pass * 64) % kThreads;
#pragma unroll
    for (int load = 0; load < kLoads; ++load) sum ^= at[load * kThreads];
    forget_memory();
  }
  keep(sum, out);
}

template <class Value>
__global__ __launch_bounds__(kThreads) void multiply_add(unsigned passes, Value factor, Value* out) {
  Value chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = Value(threadIdx.x + i);
  for (unsigned pass = 0; pass < passes; ++pass)
#pragma unroll
    for (int turn = 0; turn < kUnroll; ++turn)
#pragma unroll
      for (int i = 0; i < kChains; ++i)
        chain[i] = __builtin_elementwise_fma(chain[i], factor, factor);
  Value sum = chain[0];
  for (int i = 1; i < kChains; ++i) sum += chain[i];
  if (passes == 0) *out = sum;  // never; the compiler cannot know
}

#if defined(__gfx90a__) || defined(__gfx942__)
#define HAS_MATRIX 1
#else
#define HAS_MATRIX 0
#endif

using Short4 = __attribute__((ext_vector_type(4))) short;
using Half4 = __attribute__((ext_vector_type(4))) _Float16;
using Float16x = __attribute__((ext_vector_type(16))) float;
using Int16x = __attribute__((ext_vector_type(16))) int;
using Double4 = __attribute__((ext_vector_type(4))) double;

// Two results of one wave keep the matrix pipe busy while a third party waits for neither.
#if HAS_MATRIX
#define MATRIX_KERNEL(name, Source, Result, instruction)                               \
  __global__ __launch_bounds__(kThreads) void name(unsigned passes, Quad* out) {       \
    Source source = Source(threadIdx.x);                                               \
    Result first = {}, second = {};                                                    \
    for (unsigned pass = 0; pass < passes; ++pass)                                     \
      _Pragma("unroll") for (int turn = 0; turn < kUnroll; ++turn) {                   \
        first = instruction(source, source, first, 0, 0, 0);                           \
        second = instruction(source, source, second, 0, 0, 0);                         \
      }                                                                                \
    if (passes == 0) *reinterpret_cast<Result*>(out) = first + second;                 \
  }
#else
#define MATRIX_KERNEL(name, Source, Result, instruction) \
  __global__ void name(unsigned, Quad*) {}
#endif

MATRIX_KERNEL(matrix_fp16, Half4, Float16x, __builtin_amdgcn_mfma_f32_32x32x8f16)
MATRIX_KERNEL(matrix_bf16, Short4, Float16x, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k)
MATRIX_KERNEL(matrix_fp32, float, Float16x, __builtin_amdgcn_mfma_f32_32x32x2f32)
MATRIX_KERNEL(matrix_fp64, double, Double4, __builtin_amdgcn_mfma_f64_16x16x4f64)
#if defined(__gfx942__)
MATRIX_KERNEL(matrix_int8, long, Int16x, __builtin_amdgcn_mfma_i32_32x32x16_i8)
MATRIX_KERNEL(matrix_fp8, long, Float16x, __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8)
#else
MATRIX_KERNEL(matrix_int8, int, Int16x, __builtin_amdgcn_mfma_i32_32x32x8i8)
__global__ void matrix_fp8(unsigned, Quad*) {}
#endif

using Matrix = void (*)(unsigned, Quad*);
struct MatrixPipe {
  const char* name;
  Matrix kernel;
  double flop_gfx90a, flop_gfx942;  // of one instruction; 0 where there is none
};
constexpr MatrixPipe kMatrixPipes[] = {
    {"matrix.fp16", matrix_fp16, 2. * 32 * 32 * 8, 2. * 32 * 32 * 8},
    {"matrix.bf16", matrix_bf16, 2. * 32 * 32 * 8, 2. * 32 * 32 * 8},
    {"matrix.fp32", matrix_fp32, 2. * 32 * 32 * 2, 2. * 32 * 32 * 2},
    {"matrix.fp64", matrix_fp64, 2. * 16 * 16 * 4, 2. * 16 * 16 * 4},
    {"matrix.int8", matrix_int8, 2. * 32 * 32 * 8, 2. * 32 * 32 * 16},
    {"matrix.fp8", matrix_fp8, 0, 2. * 32 * 32 * 16},
};

class Bench {
 public:
  explicit Bench(const char* output) : output_(std::fopen(output, "w")) {
    if (!output_) std::perror(output), std::exit(1);
    CHECK(hipEventCreate(&begin_));
    CHECK(hipEventCreate(&end_));
  }

  // `launch(passes)` does `work` per pass. Launches grow until the device has enough to do for the
  // launch itself not to matter; the rate then is the difference of two lengths. A device that is a
  // hundred times slower than its own clock says is a simulation: it needs no time to raise its
  // clock, and repeats itself exactly.
  void measure(const std::string& name, unsigned passes, double work,
               const std::function<void(unsigned)>& launch) {
    constexpr double kFirst = 30e-6, kEnough = 1e-3;
    run(name, passes, work, launch);
    while (device_ < kFirst) run(name, passes *= 2, work, launch);
    const bool simulated = host_ > 100 * device_;
    while (!simulated && device_ < kEnough) run(name, passes *= 2, work, launch);
    const int repeats = simulated ? 0 : 7;
    for (int i = 0; i < repeats; ++i) run(name, passes, work, launch);
    for (int i = 0; i <= repeats; ++i) run(name, 2 * passes, work, launch);
  }

 private:
  void run(const std::string& name, unsigned passes, double work,
           const std::function<void(unsigned)>& launch) {
    auto start = std::chrono::steady_clock::now();
    CHECK(hipEventRecord(begin_));
    launch(passes);
    CHECK(hipGetLastError());
    CHECK(hipEventRecord(end_));
    CHECK(hipEventSynchronize(end_));
    float milliseconds = 0;
    CHECK(hipEventElapsedTime(&milliseconds, begin_, end_));
    device_ = milliseconds * 1e-3;
    std::fprintf(output_, "%s %.17g\n", name.c_str(), work * passes);
    std::fflush(output_);
    host_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  std::FILE* output_;
  hipEvent_t begin_, end_;
  double device_ = 0, host_ = 0;  // seconds of the last launch
};

void measure_level(Bench& bench, const std::string& level, size_t bytes, unsigned groups) {
  constexpr size_t kWindowBytes = kWindow * sizeof(Quad);
  const unsigned windows = unsigned(bytes < kWindowBytes ? 1 : bytes / kWindowBytes);
  Quad* data = nullptr;
  CHECK(hipMalloc(&data, windows * kWindowBytes));
  CHECK(hipMemset(data, 0, windows * kWindowBytes));
  // A small footprint is read in another order by every group, so that no nearer cache helps; a
  // large one in order, and once at least, so that nothing of it is still in a cache.
  const bool large = windows > groups;
  const unsigned step = large ? groups : (windows > 1 ? 37 % windows : 0);
  const unsigned passes = large ? (windows + groups - 1) / groups : 1;
  bench.measure(level, passes, double(groups) * kWindowBytes, [&](unsigned count) {
    read_memory<<<groups, kThreads>>>(data, windows, step, count, data);
  });
  CHECK(hipFree(data));
}

template <class Value>
void measure_vector(Bench& bench, const std::string& pipe, unsigned groups, int values, Quad* out) {
  const double flop = 2. * values * kChains * kUnroll * kThreads * groups;
  bench.measure(pipe, 1, flop, [&](unsigned count) {
    multiply_add<Value><<<groups, kThreads>>>(count, Value(0.5), reinterpret_cast<Value*>(out));
  });
}

void measure_matrix(Bench& bench, const std::string& name, const hipDeviceProp_t& device,
                    unsigned groups, Quad* out) {
  const bool gfx90a = std::strncmp(device.gcnArchName, "gfx90a", 6) == 0;
  const bool gfx942 = std::strncmp(device.gcnArchName, "gfx942", 6) == 0;
  for (const MatrixPipe& pipe : kMatrixPipes) {
    const double flop = gfx90a ? pipe.flop_gfx90a : gfx942 ? pipe.flop_gfx942 : 0;
    if (flop == 0 || name != pipe.name) continue;
    const double waves = double(groups) * kThreads / device.warpSize;
    bench.measure(name, 1, flop * 2 * kUnroll * waves,
                  [&](unsigned passes) { pipe.kernel<<<groups, kThreads>>>(passes, out); });
  }
}

int main(int count, char** arguments) {
  if (count < 2) return std::fprintf(stderr, "usage: roofs OUTPUT [LEVEL=BYTES | PIPE]...\n"), 2;
  hipDeviceProp_t device;
  CHECK(hipGetDeviceProperties(&device, 0));
  const unsigned units = unsigned(device.multiProcessorCount);
  const unsigned readers = 8 * units, workers = 2 * units;
  Bench bench(arguments[1]);
  Quad* out = nullptr;
  CHECK(hipMalloc(&out, 4096));
  for (int i = 2; i < count; ++i) {
    const std::string word = arguments[i], name = word.substr(0, word.find('='));
    if (name == "lds")
      bench.measure(name, 1, double(readers) * kWindow * sizeof(Quad), [&](unsigned passes) {
        read_lds<<<readers, kThreads>>>(passes, out);
      });
    else if (name != word)
      measure_level(bench, name, std::strtoull(word.c_str() + name.size() + 1, nullptr, 10), readers);
    else if (name == "vector.fp32")
      measure_vector<Float2>(bench, name, workers, 2, out);
    else if (name == "vector.fp64")
      measure_vector<double>(bench, name, workers, 1, out);
    else if (name == "vector.fp16")
      measure_vector<Half2>(bench, name, workers, 2, out);
    else
      measure_matrix(bench, name, device, workers, out);
  }
  return 0;
}
