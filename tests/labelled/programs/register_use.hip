#include "program.h"

// a
template <int V>
__global__ void __launch_bounds__(V ? 256 : 1024) a(const float* in, float* out, int n) {
  float own[150];
  int at = work_item();
#pragma unroll
  for (int k = 0; k < 150; ++k) own[k] = in[(at + k * 256) % n] + k;
#pragma unroll 1
  for (int r = 0; r < 6; ++r) {
#pragma unroll
    for (int k = 0; k < 150; ++k) own[k] = own[k] * 0.5f + own[(k * 7 + 1) % 150];
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 150; ++k) sum += own[k];
  out[at] = sum;
}

// b
template <int V>
__global__ void __launch_bounds__(64) b(const int* in, int* out, int n) {
  constexpr int kMany = 200;
  int own[kMany];
  int first = work_item(), at = first, sum = 0;
  if (!V) {
#pragma unroll
    for (int k = 0; k < kMany; ++k) {
      own[k] = in[(first + k * 64) % n];
      asm volatile("" : "+v"(own[k]));
    }
  }
#pragma unroll 1
  for (int k = 0; k < 24; ++k) at = (in[at % n] + at + 4096) % n;
  if (V) {
#pragma unroll 4
    for (int k = 0; k < kMany; ++k) sum += in[(first + k * 64) % n];
  } else {
#pragma unroll
    for (int k = 0; k < kMany; ++k) sum += own[k];
  }
  out[first] = sum + at;
}

double run(char pair, int variant) {
  constexpr int n = 1 << 20;
  int* in = filled<int>(n, 0);
  int* out = filled<int>(n, 0);
  auto* floats = reinterpret_cast<float*>(in);
  auto* results = reinterpret_cast<float*>(out);
  if (pair == 'a') VARIANT(variant, a, <<<608, 256>>>(floats, results, n));
  if (pair == 'b') VARIANT(variant, b, <<<3648, 64>>>(in, out, n));
  return pair == 'a' ? total(results, 4096) : total(out, 4096);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
