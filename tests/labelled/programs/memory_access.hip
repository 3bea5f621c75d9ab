#include "program.h"

// a
template <int V>
__global__ void a(const int* in, int* out, int n) {
  int at = work_item(), sum = 0;
  for (int k = 0; k < 4; ++k) sum += in[(V ? at + k * 262144 : at * 32 + k * 131072) % n];
  out[at] = sum;
}

// b
template <int V>
__global__ void b(const float* in, float* out, int n) {
  int at = work_item();
  int step = V ? n : 1;
  const float* p = in + (V ? at : at * 16);
  out[at] = p[0] * 2 + p[step] + p[2 * step] * p[3 * step];
}

// c
template <int V>
__global__ void c(const int* in, int* out) {
  int at = work_item();
  for (int k = 0; k < 4; ++k) {
    int item = at + k * 262144, row = item / 1024, column = item % 1024;
    out[V ? item : column * 1024 + row] = in[item] + 1;
  }
}

// d
template <int V>
__global__ void d(const unsigned char* in, int* out, int n) {
  int at = work_item(), sum = 0;
  if (V) {
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
      uint4 four = reinterpret_cast<const uint4*>(in)[at + k * n];
      unsigned words[4] = {four.x, four.y, four.z, four.w};
      for (unsigned word : words)
        sum += (word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >> 24);
    }
  } else {
#pragma unroll 1
    for (int k = 0; k < 64; ++k) sum += in[at + k * n];
  }
  out[at] = sum;
}

// e
template <int V>
__global__ void e(const unsigned short* in, unsigned short* out) {
  int at = work_item();
  if (V) {
    reinterpret_cast<uint4*>(out)[at] = reinterpret_cast<const uint4*>(in)[at];
  } else {
    out[at] = in[at];
  }
}

double run(char pair, int variant) {
  constexpr int n = 1 << 18, large = 1 << 23;
  int* in = filled<int>(large, 1);
  int* out = filled<int>(large / 2, 0);
  auto* bytes = reinterpret_cast<unsigned char*>(in);
  auto* shorts = reinterpret_cast<unsigned short*>(in);
  auto* floats = reinterpret_cast<float*>(in);
  auto* results = reinterpret_cast<float*>(out);
  if (pair == 'a') VARIANT(variant, a, <<<n / 256, 256>>>(in, out, large));
  if (pair == 'b') VARIANT(variant, b, <<<2048, 256>>>(floats, results, 2048 * 256));
  if (pair == 'c') VARIANT(variant, c, <<<n / 256, 256>>>(in, out));
  if (pair == 'd') VARIANT(variant, d, <<<n / 256, 256>>>(bytes, out, n));
  if (pair == 'e') {
    auto* to = reinterpret_cast<unsigned short*>(out);
    VARIANT(variant, e, <<<(variant ? large / 8 : large) / 256, 256>>>(shorts, to));
  }
  return total(out, n);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
