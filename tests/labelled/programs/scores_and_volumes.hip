#include "data.h"

// a: weights of 256 scores in each row: by how far they are from the best, and 1024 in sum.
constexpr int kRows = 304 * 32, kRow = 256;

__device__ int weight(int score, int best) { return 65536 >> min(15, (best - score) >> 5); }

__global__ __launch_bounds__(kRow) void weigh(const int* scores, float* out) {
  __shared__ int tree[kRow];
  const int t = threadIdx.x, score = scores[work_item()];
  tree[t] = score;
  __syncthreads();
  for (int step = kRow / 2; step > 0; step /= 2) {
    if (t < step) tree[t] = max(tree[t], tree[t + step]);
    __syncthreads();
  }
  const int own = weight(score, tree[0]);
  __syncthreads();
  tree[t] = own;
  __syncthreads();
  for (int step = kRow / 2; step > 0; step /= 2) {
    if (t < step) tree[t] += tree[t + step];
    __syncthreads();
  }
  out[work_item()] = own * (1024.0f / tree[0]);
}

__global__ __launch_bounds__(kRow) void weigh_rows(const int4* scores, float4* out) {
  const int4 score = scores[work_item()];
  int best = max(max(score.x, score.y), max(score.z, score.w));
  for (int step = 32; step > 0; step /= 2) best = max(best, __shfl_xor(best, step));
  const int own[4] = {weight(score.x, best), weight(score.y, best), weight(score.z, best),
                      weight(score.w, best)};
  int sum = own[0] + own[1] + own[2] + own[3];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  const float share = 1024.0f / sum;
  out[work_item()] = {own[0] * share, own[1] * share, own[2] * share, own[3] * share};
}

double a(int variant) {
  int* scores = mixed<int>(kRows * kRow, 512);
  float* out = filled<float>(kRows * kRow, 0);
  if (variant)
    weigh_rows<<<kRows / 4, kRow>>>(reinterpret_cast<int4*>(scores),
                                    reinterpret_cast<float4*>(out));
  else weigh<<<kRows, kRow>>>(scores, out);
  return total(out, kRows * kRow);
}

// b: filters of eight weights fitted to signals, two for each work-item: equations from 15
// correlations, solved with the largest pivot.
constexpr int kSignals = 304 * 512, kOrder = 8, kFilters = 2;

template <int kVariant>
__device__ void exchange_rows(float (&m)[kOrder][kOrder + 1], int k, int pivot) {
  if (kVariant) {
#pragma unroll
    for (int row = k + 1; row < kOrder; ++row) {
#pragma unroll
      for (int column = k; column <= kOrder; ++column) {
        const float upper = m[k][column], lower = m[row][column];
        m[k][column] = row == pivot ? lower : upper;
        m[row][column] = row == pivot ? upper : lower;
      }
    }
  } else if (pivot != k) {
    for (int column = k; column <= kOrder; ++column) {
      const float upper = m[k][column];
      m[k][column] = m[pivot][column];
      m[pivot][column] = upper;
    }
  }
}

template <int kVariant>
__device__ void eliminate(float (&m)[kOrder][kOrder + 1], int k) {
  int pivot = k;
  float most = fabsf(m[k][k]);
#pragma unroll
  for (int row = k + 1; row < kOrder; ++row) {
    const float size = fabsf(m[row][k]);
    pivot = size > most ? row : pivot;
    most = fmaxf(most, size);
  }
  exchange_rows<kVariant>(m, k, pivot);
  const float by = 1 / m[k][k];
#pragma unroll
  for (int row = k + 1; row < kOrder; ++row) {
    const float share = m[row][k] * by;
#pragma unroll
    for (int column = k + 1; column <= kOrder; ++column) m[row][column] -= share * m[k][column];
  }
}

template <int kVariant>
__device__ float fitted(const float (&given)[3 * kOrder - 1], int loud) {
  float m[kOrder][kOrder + 1], x[kOrder], sum = 0;
#pragma unroll
  for (int row = 0; row < kOrder; ++row) {
#pragma unroll
    for (int column = 0; column < kOrder; ++column)
      m[row][column] = given[row - column + kOrder - 1] + (row == column ? loud : 0);
    m[row][kOrder] = given[2 * kOrder - 1 + row];
  }
#pragma unroll
  for (int k = 0; k < kOrder; ++k) eliminate<kVariant>(m, k);
#pragma unroll
  for (int row = kOrder - 1; row >= 0; --row) {
    x[row] = m[row][kOrder];
#pragma unroll
    for (int column = row + 1; column < kOrder; ++column) x[row] -= m[row][column] * x[column];
    x[row] /= m[row][row];
    sum += fminf(fabsf(x[row]), 8.0f);
  }
  return sum;
}

template <int kVariant>
__global__ __launch_bounds__(256) void fit(const float* signals, float* out) {
  float given[3 * kOrder - 1], sum = 0;
#pragma unroll
  for (int k = 0; k < 3 * kOrder - 1; ++k) given[k] = signals[k * kSignals + work_item()];
#pragma unroll 1
  for (int loud = 0; loud < kFilters; ++loud) sum += fitted<kVariant>(given, loud * 16);
  out[work_item()] = sum;
}

double b(int variant) {
  float* signals = mixed<float>(kSignals * (3 * kOrder - 1), 1024);
  float* out = filled<float>(kSignals, 0);
  VARIANT(variant, fit, <<<kSignals / 256, 256>>>(signals, out));
  return total(out, kSignals);
}

// c: packets of 64 rays step through a volume; noise of 128 numbers is made for each ray, its sum
// is needed on the way and its parts at the end.
constexpr int kNoise = 128, kRays = 304 * 2048, kVoxels = 1 << 14, kSteps = 96;

__global__ void prepare_volume(int* volume) {
  const int i = work_item();
  volume[i] = hashed(i / 64 + 21) % kVoxels | hashed(i) << 16;
}

__device__ unsigned noise(unsigned seed, int k) { return (seed * (2654435761u + 2 * k * k)) >> 20; }

__device__ unsigned march(const int* volume, unsigned sum) {
  int voxel = work_item() / 64 % kVoxels;
  unsigned light = 0;
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    const int found = volume[voxel * 64 + threadIdx.x % 64];
    voxel = found & (kVoxels - 1);
    light = light * 3 + (found >> 16 ^ sum);
  }
  return light >> 20;
}

__global__ __launch_bounds__(256) void shade(const int* volume, unsigned* out) {
  unsigned all[kNoise], sum = 0, bright = 0;
#pragma unroll
  for (int k = 0; k < kNoise; ++k) sum += all[k] = noise(work_item() + 77, k);
  const unsigned light = march(volume, sum);
#pragma unroll
  for (int k = 0; k < kNoise; ++k) bright += max(light, all[k]);
  out[work_item()] = bright;
}

__global__ __launch_bounds__(256) void shade_again(const int* volume, unsigned* out) {
  unsigned sum = 0, bright = 0;
#pragma unroll 4
  for (int k = 0; k < kNoise; ++k) sum += noise(work_item() + 77, k);
  const unsigned light = march(volume, sum);
#pragma unroll 4
  for (int k = 0; k < kNoise; ++k) bright += max(light, noise(work_item() + 77, k));
  out[work_item()] = bright;
}

double c(int variant) {
  int* volume = filled<int>(kVoxels * 64, 0);
  prepare_volume<<<kVoxels * 64 / 256, 256>>>(volume);
  unsigned* out = filled<unsigned>(kRays, 0);
  if (variant) shade_again<<<kRays / 256, 256>>>(volume, out);
  else shade<<<kRays / 256, 256>>>(volume, out);
  return total(out, kRays);
}

// d: seven neighbours in a box of 128 x 128 x 256; work-items go up from plane to plane.
constexpr int kWide = 128, kHigh = 256, kPlane = kWide * kWide;

__global__ void spread(const float* in, float* out) {
  const int here = work_item(), x = here % kWide, row = here - x;
  const int left = row + (x + kWide - 1) % kWide, right = row + (x + 1) % kWide;
  const int front = (here + kPlane - kWide) % kPlane, back = (here + kWide) % kPlane;
  const int planes = kHigh / gridDim.y, first = blockIdx.y * planes;
  float below = in[(first + kHigh - 1) % kHigh * kPlane + here], own = in[first * kPlane + here];
  for (int z = first; z < first + planes; ++z) {
    const float* plane = in + z * kPlane;
    const float above = in[(z + 1) % kHigh * kPlane + here];
    out[z * kPlane + here] =
        plane[left] + plane[right] + plane[front] + plane[back] + below + above - 6 * own;
    below = own;
    own = above;
  }
}

double d(int variant) {
  float* in = mixed<float>(kPlane * kHigh, 64);
  float* out = filled<float>(kPlane * kHigh, 0);
  spread<<<dim3(kPlane / 256, variant ? 16 : 1), 256>>>(in, out);
  return total(out, kPlane * kHigh / 2);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
