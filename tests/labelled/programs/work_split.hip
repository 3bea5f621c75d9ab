#include "program.h"

// a and b: the same sum by any number of work-items
template <int V>
__global__ void a(const int* in, int* out, int n) {
  int sum = 0;
  for (int at = work_item(); at < n; at += gridDim.x * blockDim.x) sum += in[at] & 7;
  out[work_item()] = sum;
}

template <int V>
__global__ void b(const float* in, float* out, int n) {
  for (int at = work_item(); at < n; at += gridDim.x * blockDim.x) {
    float value = in[at];
    for (int k = 0; k < 24; ++k) value = value * 0.5f + 1.0f;
    out[at] = value;
  }
}

// c
template <int V>
__global__ void c(int* out, int pieces) {
  int count = V ? pieces : (blockIdx.x == 7 ? 64 * pieces : pieces);
  if (V && blockIdx.x < 63) count += pieces;
  int own = 1;
  for (int k = 0; k < count; ++k) own = own * 3 + 1;
  if (threadIdx.x == 0) out[blockIdx.x] = count;
  if (own == 12345) out[4095] += own;
}

// d
template <int V>
__global__ void d(const int* in, int* out, int n) {
  int row = work_item(), sum = 0;
  int length = V ? 4 : (row == 5 ? 2052 : 4);
  for (int k = 0; k < length; ++k) sum += in[(row + k * 64 + (sum & 1)) % n] & 3;
  if (V && row < 512)
    for (int k = 0; k < 4; ++k) sum += in[(row + k * 512) % n] & 3;
  out[row] = sum;
}

// e
template <int V>
__global__ void e(const int* in, int* out, int n, int items) {
  __shared__ int own[10240];
  own[threadIdx.x] = 0;
  for (int at = work_item(); at < items; at += gridDim.x * blockDim.x) {
    int value = at;
    for (int k = 0; k < 24; ++k) value = ((in[value % n] & 63) + value + 4032) % n;
    own[threadIdx.x] += value & 7;
  }
  out[work_item()] = own[threadIdx.x];
}

double run(char pair, int variant) {
  constexpr int n = 1 << 20;
  int* in = filled<int>(n, 1);
  int* out = filled<int>(n, 0);
  auto* floats = reinterpret_cast<float*>(in);
  auto* results = reinterpret_cast<float*>(out);
  if (pair == 'a') VARIANT(variant, a, <<<(variant ? 1216 : 16), 256>>>(in, out, n));
  if (pair == 'b')
    VARIANT(variant, b, <<<(variant ? 4096 : 64), (variant ? 256 : 1024)>>>(floats, results, n));
  if (pair == 'c') VARIANT(variant, c, <<<1216, 256>>>(out, 400));
  if (pair == 'd') VARIANT(variant, d, <<<608, 256>>>(in, out, n));
  if (pair == 'e')
    VARIANT(variant, e, <<<(variant ? 304 : 320), 256>>>(in, out, n, 320 * 256 * 4));
  return pair == 'b' ? total(results, n) : total(out, n);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
