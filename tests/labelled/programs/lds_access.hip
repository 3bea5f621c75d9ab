#include "program.h"

// a
template <int V>
__global__ void a(int* out) {
  __shared__ int tile[32][V ? 33 : 32];
  int x = threadIdx.x % 32, y = threadIdx.x / 32, sum = 0;
  for (int k = 0; k < 32; k += 8) tile[y + k][x] = x + y + k;
  __syncthreads();
  for (int r = 0; r < 24; ++r) {
    for (int k = 0; k < 32; k += 8) sum += tile[x][(y + k + r) % 32];
  }
  out[work_item()] = sum;
}

// b
template <int V>
__global__ void b(int* out) {
  __shared__ int own[32 * 128];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < 32; ++k) own[V ? k * 128 + t : t * 32 + k] = k + t;
  for (int r = 0; r < 8; ++r) {
    for (int k = 0; k < 32; ++k) sum += own[V ? k * 128 + t : t * 32 + k] ^ r;
    own[V ? r * 128 + t : t * 32 + r] = sum;
  }
  out[work_item()] = sum;
}

// c
template <int V>
__global__ void c(const int* in, int* out, int n) {
  __shared__ int own[V ? 64 : 16000];
  int at = work_item(), sum = 0;
  own[threadIdx.x] = at;
  __syncthreads();
  at = own[63 - threadIdx.x];
  for (int k = 0; k < 12; ++k) {
    at = (in[at % n] + at + 4096) % n;
    sum += at;
  }
  out[work_item()] = sum;
}

// d
template <int V>
__global__ void d(int* out) {
  __shared__ int own[1024];
  int t = threadIdx.x, sum = t;
  for (int k = 0; k < 64; ++k) {
    own[t] = sum;
    if (V)
      __builtin_amdgcn_wave_barrier();
    else
      __syncthreads();
    sum += own[t ^ 1] + k;
    if (V)
      __builtin_amdgcn_wave_barrier();
    else
      __syncthreads();
  }
  out[work_item()] = sum;
}

double run(char pair, int variant) {
  constexpr int n = 1 << 20;
  int* in = filled<int>(n, 0);
  int* out = filled<int>(n, 0);
  if (pair == 'a') VARIANT(variant, a, <<<1216, 256>>>(out));
  if (pair == 'b') VARIANT(variant, b, <<<1216, 128>>>(out));
  if (pair == 'c') VARIANT(variant, c, <<<2432, 64>>>(in, out, n));
  if (pair == 'd') VARIANT(variant, d, <<<608, 1024>>>(out));
  return total(out, 4096);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
