// Runs the functions of functions.h on the device and measures their errors.
// Usage: sweep COUNT < requests. Each request is a line: NAME UNIT [LOW HIGH]... with the documented
// range of every argument. UNIT 1 measures results below 1 in ulp of 1, UNIT 0 in their own.
// Answers with one line of tab-separated findings per request.
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

#include "functions.h"
#include "inputs.h"
#include "measure.h"

#define HIP_CHECK(call)                                                       \
  do {                                                                        \
    const hipError_t status_ = (call);                                        \
    if (status_ != hipSuccess) {                                              \
      std::fprintf(stderr, "%s\n", hipGetErrorString(status_));               \
      std::exit(1);                                                           \
    }                                                                         \
  } while (0)

using real_f32 = float;
using real_f64 = double;
using integer_f32 = int;
using integer_f64 = int;

// One type per row, with the expression as its body.
#define ROW(T, name, inputs, reference, expression)                                          \
  struct row_##name {                                                                        \
    static __device__ T at([[maybe_unused]] T x, [[maybe_unused]] T y, [[maybe_unused]] T z, \
                           [[maybe_unused]] T w) {                                           \
      return expression;                                                                     \
    }                                                                                        \
  };
MATH_FUNCTIONS
INTRINSICS
CONVERSIONS
#undef ROW

template <class T, class Row>
__global__ void apply(const T* x, const T* y, const T* z, const T* w, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = Row::at(x[i], y[i], z[i], w[i]);
}

template <class T>
struct Arguments {
  const T *x, *y, *z, *w;
  T* out;
  int n;
};
template <class T>
using Launch = void (*)(const Arguments<T>&);
template <class T, class Row>
void launch(const Arguments<T>& a) {
  apply<T, Row><<<(a.n + 255) / 256, 256>>>(a.x, a.y, a.z, a.w, a.out, a.n);
}

template <class T>
T* on_device(const std::vector<T>& from) {
  T* device;
  HIP_CHECK(hipMalloc(&device, from.size() * sizeof(T)));
  HIP_CHECK(hipMemcpy(device, from.data(), from.size() * sizeof(T), hipMemcpyHostToDevice));
  return device;
}

struct Request {
  bool unit = false;
  std::vector<Range> ranges;
};
bool inside(const double (&input)[4], const std::vector<Range>& ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i)
    if (!(input[i] >= ranges[i].low && input[i] <= ranges[i].high)) return false;
  return !ranges.empty();
}

template <class T>
std::vector<T> results_of(Launch<T> function, const Inputs<T>& inputs) {
  std::vector<T> results(inputs.x.size());
  T* arguments[] = {on_device(inputs.x), on_device(inputs.y), on_device(inputs.z),
                    on_device(inputs.w), on_device(results)};
  function({arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
            static_cast<int>(results.size())});
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(results.data(), arguments[4], results.size() * sizeof(T),
                      hipMemcpyDeviceToHost));
  for (T* argument : arguments) HIP_CHECK(hipFree(argument));
  return results;
}

template <class T>
measure::Findings run(Launch<T> function, char kind, const char* reference, const Request& request,
                      int count) {
  const Inputs<T> inputs = make_inputs<T>(kind, request.ranges, count);
  const std::vector<T> results = results_of(function, inputs);
  const Reference exact = reference_of(reference);
  measure::Findings findings;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double input[4] = {inputs.x[i], inputs.y[i], inputs.z[i], inputs.w[i]};
    measure::note(findings, {sizeof(T) == 4 ? measure::f32 : measure::f64, request.unit}, input,
                  results[i], exact(input[0], input[1], input[2], input[3]),
                  inside(input, request.ranges));
  }
  return findings;
}

// --- 16 bits ---------------------------------------------------------------------------------------
template <class H>
__host__ __device__ H from_bits(unsigned short bits) {
  H value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
template <class H>
__device__ unsigned short bits_of(H value) {
  unsigned short bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
__device__ __half2 pair(__half x, __half y) { return __half2(x, y); }
__device__ __hip_bfloat162 pair(__hip_bfloat16 x, __hip_bfloat16 y) {
  return __hip_bfloat162(x, y);
}
// A pair must give what its elements give alone; if not, a number turns NaN and NaN a number.
template <class H, class Pair>
__device__ float agreed(H alone, Pair both) {
  const float value = alone;
  const unsigned short bits = bits_of(alone);
  if (bits_of<H>(both.x) == bits && bits_of<H>(both.y) == bits) return value;
  return value == value ? __builtin_nanf("") : 0.0f;
}
#define HALF_ROW(name, reference)                                               \
  struct half_##name {                                                          \
    template <class H>                                                          \
    static __device__ float at(H x) { return agreed(h##name(x), h2##name(pair(x, x))); } \
  };
HALF_FUNCTIONS
#undef HALF_ROW

template <class H, class Row>
__global__ void apply_half(float* out) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = Row::at(from_bits<H>(i));
}
template <class H, class Row>
void launch_half(float* out) {
  apply_half<H, Row><<<256, 256>>>(out);
}

template <class H>
measure::Findings run_half(void (*function)(float*), const char* reference,
                           const measure::Format& format) {
  std::vector<float> results(65536);
  float* out = on_device(results);
  function(out);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(results.data(), out, 65536 * sizeof(float), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(out));
  const Reference exact = reference_of(reference);
  measure::Findings findings;
  for (int i = 0; i < 65536; ++i) {
    const double input[4] = {static_cast<float>(from_bits<H>(i)), 0, 0, 0};
    measure::note(findings, {format, false}, input, results[i], exact(input[0], 0, 0, 0), false);
  }
  return findings;
}

// One function of the sweep, on numbers of either size or on all of 16 bits.
struct Entry {
  char kind;
  const char* reference;
  Launch<float> single;
  Launch<double> twice;
  void (*half)(float*);
};
void set(Entry& entry, Launch<float> function) { entry.single = function; }
void set(Entry& entry, Launch<double> function) { entry.twice = function; }

measure::Findings run(const Entry& entry, const Request& request, int count) {
  if (entry.kind == 'h') return run_half<__half>(entry.half, entry.reference, measure::f16);
  if (entry.kind == 'b') return run_half<__hip_bfloat16>(entry.half, entry.reference, measure::bf16);
  if (entry.single) return run(entry.single, entry.kind, entry.reference, request, count);
  return run(entry.twice, entry.kind, entry.reference, request, count);
}

std::map<std::string, Entry> entries() {
  std::map<std::string, Entry> all;
#define ROW(T, name, inputs, reference, expression)            \
  all[#name] = {inputs, #reference, nullptr, nullptr, nullptr}; \
  set(all[#name], launch<T, row_##name>);
  MATH_FUNCTIONS
  INTRINSICS
  CONVERSIONS
#undef ROW
#define HALF_ROW(name, reference)                                                             \
  all["h" #name] = {'h', #reference, nullptr, nullptr, launch_half<__half, half_##name>};         \
  all["h" #name "/bf16"] = {'b', #reference, nullptr, nullptr,                                    \
                        launch_half<__hip_bfloat16, half_##name>};
  HALF_FUNCTIONS
#undef HALF_ROW
  return all;
}

void report(const std::string& name, const measure::Findings& f) {
  std::printf("%s\t%lld\t%.17g\t%.17g\t%lld\t%lld\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\n",
              name.c_str(), f.inputs, f.range_error < 0 ? -1.0 : f.range_steps, f.largest_ulp,
              f.nans, f.signs_of_zero, f.worst_input[0], f.worst_input[1], f.worst_input[2],
              f.worst_input[3], f.worst_result, f.worst_exact);
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 100;
  const auto all = entries();
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string name;
    Request request;
    words >> name >> request.unit;
    for (Range range; words >> range.low >> range.high;) request.ranges.push_back(range);
    const auto found = all.find(name);
    if (found == all.end()) {
      std::fprintf(stderr, "no function %s\n", name.c_str());
      return 2;
    }
    report(name, run(found->second, request, count));
  }
}
