#include "data.h"

// a: 19456 mills of a valley, each with 92 numbers of its own that say how it grinds; 64 sacks of
// each mill go from hand to hand 60 times, and where they end decides what they are worth.
constexpr int kMills = 19456, kTraits = 92, kHands = 60, kStations = 1 << 12;

__global__ void prepare_hands(int* hands) {
  const int i = work_item();
  hands[i] = hashed(i / 64 + 11) % kStations | (hashed(i) & 63) << 16;
}

__device__ inline int wandered(const int* __restrict__ hands, int station) {
  int worth = 0;
#pragma unroll 1
  for (int k = 0; k < kHands; ++k) {
    const int hand = hands[station * 64 + threadIdx.x % 64];
    worth += hand >> 16;
    station = hand & (kStations - 1);
  }
  return worth;
}

template <int kVariant>
__global__ __launch_bounds__(256) void grind(const int* __restrict__ traits,
                                             const int* __restrict__ hands, int* __restrict__ out) {
  const int wave = work_item() / 64;
  const int mill = kVariant ? __builtin_amdgcn_readfirstlane(wave) : wave;
  const int* __restrict__ own = traits + mill * kTraits;
  int trait[kTraits], strongest = 0, value = 0;
#pragma unroll
  for (int k = 0; k < kTraits; ++k) {
    trait[k] = own[k];
    strongest = max(strongest, trait[k]);
  }
  const int worth = wandered(hands, (strongest + mill) & (kStations - 1));
#pragma unroll
  for (int k = 0; k < kTraits; ++k) value += max(trait[k], worth);
  out[work_item()] = value;
}

double a(int variant) {
  int* hands = filled<int>(kStations * 64, 0);
  prepare_hands<<<kStations * 64 / 256, 256>>>(hands);
  int *traits = mixed<int>(kMills * kTraits, 3000), *out = filled<int>(kMills * 64, 0);
  VARIANT(variant, grind, <<<kMills * 64 / 256, 256>>>(traits, hands, out));
  return total(out, kMills * 64);
}

// b: a world of 4864 cubes of 16 by 16 by 16 blocks, of which many are air and nothing else, as is
// known from when they were made: how much ore and how much stone is in each.
constexpr int kCubes = 4864, kBlocks = 4096;

__device__ inline bool is_air(int cube) { return hashed(cube + 77) % 4 != 0; }

__global__ void prepare_world(int* blocks, unsigned char* air) {
  const int i = work_item(), cube = i / kBlocks;
  blocks[i] = is_air(cube) ? 0 : hashed(i) % 100;
  if (i % kBlocks == 0) air[cube] = is_air(cube);
}

__device__ inline void dig(int block, int& ore, int& stone) {
  ore += block > 90 ? block - 90 : 0;
  stone += block > 30;
}

template <int kVariant>
__global__ __launch_bounds__(256) void survey(const int4* __restrict__ blocks,
                                              const unsigned char* __restrict__ air,
                                              int2* __restrict__ out) {
  __shared__ int sums[2];
  if (kVariant && air[blockIdx.x]) {
    if (threadIdx.x == 0) out[blockIdx.x] = make_int2(0, 0);
    return;
  }
  if (threadIdx.x < 2) sums[threadIdx.x] = 0;
  int4 own[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) own[k] = blocks[blockIdx.x * (kBlocks / 4) + k * 256 + threadIdx.x];
  int ore = 0, stone = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    dig(own[k].x, ore, stone);
    dig(own[k].y, ore, stone);
    dig(own[k].z, ore, stone);
    dig(own[k].w, ore, stone);
  }
  for (int k = 32; k > 0; k /= 2) {
    ore += __shfl_xor(ore, k);
    stone += __shfl_xor(stone, k);
  }
  __syncthreads();
  if (threadIdx.x % 64 == 0) {
    atomicAdd(sums, ore);
    atomicAdd(sums + 1, stone);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = make_int2(sums[0], sums[1]);
}

double b(int variant) {
  auto* blocks = filled<int4>(kCubes * kBlocks / 4, 0);
  auto* air = filled<unsigned char>(kCubes, 0);
  auto* out = filled<int2>(kCubes, 0);
  prepare_world<<<kCubes * kBlocks / 256, 256>>>(reinterpret_cast<int*>(blocks), air);
  VARIANT(variant, survey, <<<kCubes, 256>>>(blocks, air, out));
  return total(reinterpret_cast<const int*>(out), 2 * kCubes);
}

// c: 4096 unknowns of a network of rivers, each of which hangs on eight that lie upstream; 128 of
// them at a time hang on none of each other.
constexpr int kRivers = 4096, kAbreast = 128, kUpstream = 8;

__device__ inline void flow(const int* __restrict__ rain, const int* __restrict__ above, int river,
                            int* level) {
  int sum = rain[river];
#pragma unroll
  for (int k = 0; k < kUpstream; ++k)
    sum += level[above[k * kRivers + river] % (river / kAbreast * kAbreast)] >> 3;
  level[river] = sum & 0xffff;
}

__global__ __launch_bounds__(kAbreast) void flow_down(const int* __restrict__ rain,
                                                      const int* __restrict__ above, int first,
                                                      int last, int* level) {
  for (int rank = first; rank < last; ++rank) {
    flow(rain, above, rank * kAbreast + threadIdx.x, level);
    __syncthreads();
  }
}

double c(int variant) {
  int *rain = mixed<int>(kRivers, 1000), *above = mixed<int>(kUpstream * kRivers, 1 << 20);
  int* level = filled<int>(kRivers, 0);
  HIP_CHECK(hipDeviceSynchronize());
  const int ranks = kRivers / kAbreast, each = variant ? ranks - 1 : 1;
  for (int rank = 1; rank < ranks; rank += each)
    flow_down<<<1, kAbreast>>>(rain, above, rank, rank + each, level);
  HIP_CHECK(hipDeviceSynchronize());
  return total(level, kRivers);
}

// d: 9728 flashes that 64 detectors under the sea saw: how many pairs of detectors agree with one
// flash, by the time between both and how bright each saw it.
constexpr int kFlashes = 9728, kDetectors = 64;

struct Hit {
  float time, bright;
};

__device__ inline bool agree(Hit a, Hit b) {
  const float apart = fabsf(a.time - b.time), both = a.bright * b.bright;
  const float blur = a.bright + b.bright + 1, ratio = both * __builtin_amdgcn_rcpf(blur * blur);
  return apart * (0.25f + ratio) < 16 + 2 * ratio &&
         fabsf(a.bright - b.bright) < 24 - apart * ratio;
}

template <int kVariant>
__global__ __launch_bounds__(256) void pairs(const float2* __restrict__ seen,
                                             int* __restrict__ out) {
  __shared__ float times[256], brights[256];
  const int own = threadIdx.x, lane = own % kDetectors, first = own - lane;
  const float2 hit = seen[work_item()];
  times[own] = hit.x;
  brights[own] = hit.y;
  __syncthreads();
  int count = 0;
  if (kVariant) {
#pragma unroll 2
    for (int k = 1; k < kDetectors / 2; ++k) {
      const int other = first + (lane + k) % kDetectors;
      count += agree({hit.x, hit.y}, {times[other], brights[other]});
    }
    const int other = own ^ kDetectors / 2;
    if (own < other) count += agree({hit.x, hit.y}, {times[other], brights[other]});
  } else {
#pragma unroll 2
    for (int other = own + 1; other < first + kDetectors; ++other)
      count += agree({hit.x, hit.y}, {times[other], brights[other]});
  }
  out[work_item()] = count;
}

double d(int variant) {
  constexpr int kAll = kFlashes * kDetectors;
  auto* seen = reinterpret_cast<float2*>(mixed<float>(2 * kAll, 64));
  int* out = filled<int>(kAll, 0);
  VARIANT(variant, pairs, <<<kAll / 256, 256>>>(seen, out));
  return total(out, kAll);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
