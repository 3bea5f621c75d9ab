// stream MEBIBYTES: copy, scale, triad, read and write of arrays of doubles, each launched twice; two
// doubles per work-item. Bytes are counted as McCalpin's STREAM does: what the program asks for.
#include <string>

#include "measure.h"

constexpr double kFactor = 3.0;
constexpr int kGroup = 256;

__global__ void stream_copy(const double2* a, double2* c) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  c[i] = a[i];
}
__global__ void stream_scale(const double2* a, double2* c) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const double2 value = a[i];
  c[i] = make_double2(kFactor * value.x, kFactor * value.y);
}
__global__ void stream_triad(const double2* a, const double2* b, double2* c) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const double2 left = a[i], right = b[i];
  c[i] = make_double2(left.x + kFactor * right.x, left.y + kFactor * right.y);
}
__global__ void stream_read(const double2* a, double2* c) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const double2 value = a[i];
  if (value.x + value.y < 0) c[i] = value;  // never: all values are positive
}
__global__ void stream_write(double2* c) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  c[i] = make_double2(kFactor, kFactor);
}
__global__ void prepare_fill(double2* a, double value) {
  a[size_t(blockIdx.x) * blockDim.x + threadIdx.x] = make_double2(value, value);
}

int main(int argc, char** argv) {
  require(argc == 2, "usage: stream MEBIBYTES");
  const size_t bytes = size_t(std::atoll(argv[1])) << 20;
  const size_t count = bytes / sizeof(double2);
  const unsigned groups = unsigned(count / kGroup);
  double2* a = device_array<double2>(count);
  double2* b = device_array<double2>(count);
  double2* c = device_array<double2>(count);
  prepare_fill<<<groups, kGroup>>>(a, 1.0);
  prepare_fill<<<groups, kGroup>>>(b, 2.0);
  const auto last_is = [&](double value) {
    double2 last;
    CHECK(hipMemcpy(&last, c + count - 1, sizeof last, hipMemcpyDeviceToHost));
    require(last.x == value && last.y == value, "the last element is right");
  };
  for (int repeat = 0; repeat < 2; ++repeat) {
    stream_copy<<<groups, kGroup>>>(a, c);
    launched("copy", 2.0 * bytes);
    last_is(1.0);
    stream_scale<<<groups, kGroup>>>(a, c);
    launched("scale", 2.0 * bytes);
    last_is(kFactor);
    stream_triad<<<groups, kGroup>>>(a, b, c);
    launched("triad", 3.0 * bytes);
    last_is(1.0 + 2.0 * kFactor);
    stream_read<<<groups, kGroup>>>(a, c);
    launched("read", double(bytes));
    stream_write<<<groups, kGroup>>>(c);
    launched("write", double(bytes));
    last_is(kFactor);
  }
}
