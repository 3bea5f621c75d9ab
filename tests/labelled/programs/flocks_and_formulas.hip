#include "data.h"

// a: where the middles of eight flocks of birds are, from all that were seen; one round of k-means.
constexpr int kBirds = 1 << 15, kFlocks = 8;

__device__ int flock_of(int x, int y, const int* middles) {
  int best = 0, least = 1 << 30;
#pragma unroll
  for (int k = 0; k < kFlocks; ++k) {
    const int dx = x - middles[2 * k], dy = y - middles[2 * k + 1], away = dx * dx + dy * dy;
    best = away < least ? k : best;
    least = min(least, away);
  }
  return best;
}

template <int kVariant>
__global__ __launch_bounds__(256) void gather_flocks(const int* __restrict__ xs,
                                                     const int* __restrict__ ys,
                                                     const int* __restrict__ middles,
                                                     int* __restrict__ sums) {
  __shared__ int own[kFlocks * 3];
  if (kVariant) {
    if (threadIdx.x < kFlocks * 3) own[threadIdx.x] = 0;
    __syncthreads();
  }
  const int x = xs[work_item()], y = ys[work_item()] * 5 & 1023, flock = flock_of(x, y, middles);
  if (kVariant) {
    atomicAdd(own + flock * 3, x);
    atomicAdd(own + flock * 3 + 1, y);
    atomicAdd(own + flock * 3 + 2, 1);
    __syncthreads();
    if (threadIdx.x < kFlocks * 3) atomicAdd(sums + threadIdx.x, own[threadIdx.x]);
  } else {
    atomicAdd(sums + flock * 3, x);
    atomicAdd(sums + flock * 3 + 1, y);
    atomicAdd(sums + flock * 3 + 2, 1);
  }
}

double a(int variant) {
  int *xs = mixed<int>(kBirds, 1024), *ys = mixed<int>(kBirds, 1021);
  int* middles = mixed<int>(256, 1024);
  int* sums = filled<int>(kFlocks * 3, 0);
  VARIANT(variant, gather_flocks, <<<kBirds / 256, 256>>>(xs, ys, middles, sums));
  return total(sums, kFlocks * 3);
}

// b: what a telescope makes of a picture of 1216 x 1024 stars; 13 x 13 places around each add to it.
constexpr int kAcross = 1216, kDown = 1024, kSmear = 13, kTile = 32, kWithRim = kTile + kSmear - 1;
constexpr int kPitch = kAcross + kSmear - 1, kRows = kDown + kSmear - 1;

__device__ void smear_one(const float (*tile)[kWithRim], const float* weights, float* out) {
#pragma unroll 1
  for (int y = threadIdx.x / kTile; y < kTile; y += 8) {
    const int x = threadIdx.x % kTile;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kSmear; ++k)
#pragma unroll
      for (int j = 0; j < kSmear; ++j) sum += weights[k * kSmear + j] * tile[y + k][x + j];
    out[y * kAcross + x] = sum;
  }
}

__device__ void smear_four(const float (*tile)[kWithRim], const float* weights, float* out) {
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile * 4;
  float sums[4] = {};
#pragma unroll
  for (int row = 0; row < kSmear + 3; ++row) {
#pragma unroll
    for (int j = 0; j < kSmear; ++j) {
      const float light = tile[y + row][x + j];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (row - i >= 0 && row - i < kSmear) sums[i] += weights[(row - i) * kSmear + j] * light;
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) out[(y + i) * kAcross + x] = sums[i];
}

template <int kVariant>
__global__ __launch_bounds__(256) void smear(const float* __restrict__ stars,
                                             const float* __restrict__ weights,
                                             float* __restrict__ out) {
  __shared__ float tile[kWithRim][kWithRim];
  const int first = blockIdx.y * kTile * kPitch + blockIdx.x * kTile;
  for (int k = threadIdx.x; k < kWithRim * kWithRim; k += 256)
    tile[k / kWithRim][k % kWithRim] = stars[first + k / kWithRim * kPitch + k % kWithRim];
  __syncthreads();
  out += blockIdx.y * kTile * kAcross + blockIdx.x * kTile;
  if (kVariant) smear_four(tile, weights, out);
  else smear_one(tile, weights, out);
}

double b(int variant) {
  float* stars = mixed<float>((kPitch * kRows + 255) / 256 * 256, 64);
  float* weights = mixed<float>(256, 16);
  float* out = filled<float>(kAcross * kDown, 0);
  VARIANT(variant, smear, <<<dim3(kAcross / kTile, kDown / kTile), 256>>>(stars, weights, out));
  return total(out, kAcross * kDown);
}

// c: the brightest place along lines through a body, front to back, of 304 layers of 64 x 512.
constexpr int kBodyX = 512, kBodyY = 64, kBodyZ = 304;

template <int kVariant>
__global__ __launch_bounds__(256) void shine(const int* __restrict__ body, int* __restrict__ out) {
  const int x = kVariant ? work_item() % kBodyX : work_item() / kBodyZ;
  const int z = kVariant ? work_item() / kBodyX : work_item() % kBodyZ;
  int most = 0;
#pragma unroll 8
  for (int y = 0; y < kBodyY; ++y) most = max(most, body[(z * kBodyY + y) * kBodyX + x]);
  out[z * kBodyX + x] = most;
}

double c(int variant) {
  int* body = mixed<int>(kBodyX * kBodyY * kBodyZ, 65536);
  int* out = filled<int>(kBodyX * kBodyZ, 0);
  VARIANT(variant, shine, <<<kBodyX * kBodyZ / 256, 256>>>(body, out));
  return total(out, kBodyX * kBodyZ);
}

// d: 256 bred formulas of 24 steps tried on 512 cases.
constexpr int kFormulas = 256, kCases = 512, kSteps = 24;

__device__ float bounded(float value) { return value - truncf(value * 0.0625f) * 16; }

__device__ float step(int kind, float own, float given) {
  switch (kind) {
    case 0: return own + given;
    case 1: return bounded(own * given + 1);
    case 2: return sqrtf(fabsf(own) + given);
    case 3: return own / (given + 1);
    case 4: return bounded(own * own - given);
    case 5: return 4 * expf(-fabsf(own)) + given;
    case 6: return logf(fabsf(own) + 1) * given;
    default: return fminf(own, given) + 0.5f;
  }
}

template <int kVariant>
__global__ __launch_bounds__(256) void breed(const int* __restrict__ formulas,
                                             const float* __restrict__ cases,
                                             float* __restrict__ out) {
  const int formula = kVariant ? blockIdx.y : threadIdx.x;
  const int number = kVariant ? work_item() : blockIdx.x;
  const float given = cases[number] * 0.015625f;
  float own = given;
#pragma unroll 1
  for (int k = 0; k < kSteps; ++k) own = step(formulas[k * kFormulas + formula], own, given);
  out[kVariant ? formula * kCases + number : number * kFormulas + formula] = fminf(fabsf(own), 64);
}

double d(int variant) {
  int* formulas = mixed<int>(kSteps * kFormulas, 8);
  float* cases = mixed<float>(kCases, 256);
  float* out = filled<float>(kCases * kFormulas, 0);
  const dim3 grid = variant ? dim3(kCases / 256, kFormulas) : dim3(kCases);
  VARIANT(variant, breed, <<<grid, 256>>>(formulas, cases, out));
  return total(out, kCases * kFormulas);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
