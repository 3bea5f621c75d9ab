#include "data.h"

// a: a matrix of 24 long rows times a vector. Mended: 32 workgroups share a row.
constexpr int kRows = 24, kColumns = 1 << 18;

__global__ __launch_bounds__(256) void multiply(const float* matrix, const float* vector,
                                                float* out) {
  const int share = kColumns / gridDim.y, from = blockIdx.y * share;
  const float* row = matrix + static_cast<size_t>(blockIdx.x) * kColumns;
  float sum = 0;
#pragma unroll 4
  for (int k = from + threadIdx.x; k < from + share; k += 256) sum += row[k] * vector[k];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  if (threadIdx.x % 64 == 0) atomicAdd(&out[blockIdx.x], sum);
}

double a(int variant) {
  float* matrix = mixed<float>(kRows * kColumns, 8);
  float* vector = mixed<float>(kColumns, 4);
  float* out = filled<float>(kRows, 0);
  multiply<<<dim3(kRows, variant ? 32 : 1), 256>>>(matrix, vector, out);
  return total(out, kRows);
}

// b: a filter of 128 taps over sound. Mended: four results per work-item from values that it read
// once.
constexpr int kTaps = 128, kTile = 1024;

template <int kVariant>
__global__ __launch_bounds__(256) void filter(const float* in, const float* weights, float* out) {
  alignas(16) __shared__ float samples[kTile + kTaps];
  const int t = threadIdx.x, from = blockIdx.x * kTile;
  for (int k = t; k < kTile + kTaps; k += 256) samples[k] = in[from + k];
  __syncthreads();
  if constexpr (kVariant == 0) {
    for (int k = t; k < kTile; k += 256) {
      float sum = 0;
#pragma unroll 16
      for (int tap = 0; tap < kTaps; ++tap) sum += weights[tap] * samples[k + tap];
      out[from + k] = sum;
    }
  } else {
    const float4* own = reinterpret_cast<const float4*>(samples) + t;
    float4 sums = {0, 0, 0, 0}, near = own[0];
#pragma unroll 4
    for (int tap = 0; tap < kTaps; tap += 4) {
      const float4 next = own[tap / 4 + 1];
      const float a = weights[tap], b = weights[tap + 1], c = weights[tap + 2],
                  d = weights[tap + 3];
      sums.x += a * near.x + b * near.y + c * near.z + d * near.w;
      sums.y += a * near.y + b * near.z + c * near.w + d * next.x;
      sums.z += a * near.z + b * near.w + c * next.x + d * next.y;
      sums.w += a * near.w + b * next.x + c * next.y + d * next.z;
      near = next;
    }
    reinterpret_cast<float4*>(out + from)[t] = sums;
  }
}

double b(int variant) {
  constexpr int kSamples = 1 << 21;
  float* weights = mixed<float>(256, 8);
  float* in = mixed<float>(kSamples + kTile, 32);
  float* out = filled<float>(kSamples, 0);
  VARIANT(variant, filter, <<<kSamples / kTile, 256>>>(in, weights, out));
  return total(out, kSamples);
}

// c: particles collide by the law of their kind. Mended: particles are sorted by kind.
constexpr int kParticles = 1 << 18, kKinds = 4;

__global__ void prepare_particles(int* kinds, int* energies, bool sorted) {
  const int i = work_item(), share = kParticles / kKinds;
  kinds[i] = sorted ? i / share : hashed(i / kKinds) + i & (kKinds - 1);
  energies[i] = sorted ? i % share : i / kKinds;
}

__global__ void collide(const int* kinds, const int* energies, int* out) {
  const int kind = kinds[work_item()];
  int energy = energies[work_item()] + 1, steps = 0;
  if (kind == 0) {
    for (int k = 0; k < 60; ++k) energy = (energy * 5 + 3) & 0xfffff;
  } else if (kind == 1) {
    for (; energy > 1 && steps < 60; ++steps) energy = energy & 1 ? energy * 3 + 1 : energy >> 1;
  } else if (kind == 2) {
    for (int k = 0; k < 50; ++k) energy ^= (energy << 3 ^ energy >> 2) & 0xffff;
  } else {
    for (int k = 1; k < 50; ++k) energy = __popc(energy * k) + (energy >> 1);
  }
  out[work_item()] = energy;
}

double c(int variant) {
  int* kinds = filled<int>(kParticles, 0);
  int* energies = filled<int>(kParticles, 0);
  int* out = filled<int>(kParticles, 0);
  prepare_particles<<<kParticles / 256, 256>>>(kinds, energies, variant);
  for (int step = 0; step < 3; ++step) collide<<<kParticles / 256, 256>>>(kinds, energies, out);
  return total(out, kParticles);
}

// d: stars drift. Mended: one array per number instead of records of sixteen.
struct Star {
  float place[3], speed[3], mass, age, colour[4], size, spin, charge, name;
};
constexpr int kStars = 1 << 18;

__global__ void drift_records(Star* stars) {
  Star& own = stars[work_item()];
  for (int k = 0; k < 3; ++k) own.place[k] += own.speed[k] * own.mass;
}

__global__ void drift_arrays(float* places, const float* speeds, const float* masses) {
  const float mass = masses[work_item()];
  for (int k = 0; k < 3; ++k)
    places[k * kStars + work_item()] += speeds[k * kStars + work_item()] * mass;
}

double d(int variant) {
  constexpr int kNumbers = sizeof(Star) / sizeof(float), kSteps = 4;
  float* numbers = filled<float>(kStars * kNumbers, 0x3f);
  for (int step = 0; step < kSteps; ++step) {
    if (variant)
      drift_arrays<<<kStars / 256, 256>>>(numbers, numbers + 3 * kStars, numbers + 6 * kStars);
    else drift_records<<<kStars / 256, 256>>>(reinterpret_cast<Star*>(numbers));
  }
  return total(numbers, kStars * kNumbers);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
