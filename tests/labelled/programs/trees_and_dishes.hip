#include "data.h"

// a: whether 155648 trees of woods stand in groups: how many of the 96 trees of its wood are within
// 8, 20 and 50 metres of each.
constexpr int kTrees = 608 * 256, kWood = 96;

template <int kVariant>
__global__ __launch_bounds__(256) void groups(const float2* __restrict__ trees,
                                              const float2* __restrict__ woods,
                                              int* __restrict__ out) {
  const float2 own = trees[work_item()];
  const float2* __restrict__ wood = woods + blockIdx.x % 64 * kWood;
  int near = 0, around = 0, far = 0;
#pragma unroll 8
  for (int k = 0; k < kWood; ++k) {
    const float x = wood[k].x - own.x, y = wood[k].y - own.y;
    const float apart = kVariant ? x * x + y * y : sqrtf(x * x + y * y);
    near += apart < (kVariant ? 8 * 8 : 8);
    around += apart < (kVariant ? 20 * 20 : 20);
    far += apart < (kVariant ? 50 * 50 : 50);
  }
  out[work_item()] = near * 10000 + around * 100 + far;
}

double a(int variant) {
  auto* trees = reinterpret_cast<float2*>(mixed<float>(kTrees * 2, 200));
  auto* woods = reinterpret_cast<float2*>(mixed<float>(64 * kWood * 2, 200));
  int* out = filled<int>(kTrees, 0);
  VARIANT(variant, groups, <<<kTrees / 256, 256>>>(trees, woods, out));
  return total(out, kTrees);
}

// b: 1216 looks at 76 pictures of how far things are, 32768 bytes in each: how much of a picture is
// within reach, and how far that is on the whole.
constexpr int kShots = 1216, kPictures = 76, kSpots = 32768, kReach = 180;

__device__ void reached(unsigned far, unsigned& spots, unsigned& sum) {
  spots += far < kReach;
  sum += far < kReach ? far : 0;
}

template <int kVariant>
__global__ __launch_bounds__(256) void reach(const unsigned char* __restrict__ shots,
                                             unsigned* __restrict__ out) {
  __shared__ unsigned found[2];
  const unsigned char* __restrict__ shot = shots + blockIdx.x % kPictures * kSpots;
  if (threadIdx.x < 2) found[threadIdx.x] = 0;
  __syncthreads();
  unsigned spots = 0, sum = 0;
  if (kVariant) {
    for (int i = threadIdx.x; i < kSpots / 16; i += 256) {
      const uint4 spot = reinterpret_cast<const uint4*>(shot)[i];
      for (unsigned four : {spot.x, spot.y, spot.z, spot.w})
        for (int k = 0; k < 32; k += 8) reached(four >> k & 255, spots, sum);
    }
  } else {
#pragma unroll 16
    for (int i = threadIdx.x; i < kSpots; i += 256) reached(shot[i], spots, sum);
  }
  for (int k = 32; k > 0; k /= 2) {
    spots += __shfl_xor(spots, k);
    sum += __shfl_xor(sum, k);
  }
  if (threadIdx.x % 64 == 0) {
    atomicAdd(found, spots);
    atomicAdd(found + 1, sum);
  }
  __syncthreads();
  if (threadIdx.x < 2) out[blockIdx.x * 2 + threadIdx.x] = found[threadIdx.x];
}

double b(int variant) {
  auto* shots = mixed<unsigned char>(kPictures * kSpots, 250);
  auto* out = filled<unsigned>(kShots * 2, 0);
  VARIANT(variant, reach, <<<kShots, 256>>>(shots, out));
  return total(out, kShots * 2);
}

// c: eight evenings of a sky camera: what fell on each of 524288 places, by 16384 sparks of the
// evening, and how many places are bright after it. The picture is dark in the beginning.
constexpr int kSky = 1 << 19, kSparks = 1 << 14, kEvenings = 8;

__global__ void fall(const unsigned* __restrict__ sparks, unsigned* __restrict__ sky) {
  const unsigned spark = sparks[work_item()];
  atomicAdd(sky + (spark & (kSky - 1)), spark >> 19);
}

__global__ void bright(const unsigned* __restrict__ sky, int* __restrict__ out) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  int own = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) own += sky[(blockIdx.x * 16 + k) * 256 + threadIdx.x] > 4000;
  for (int k = 32; k > 0; k /= 2) own += __shfl_xor(own, k);
  if (threadIdx.x % 64 == 0) atomicAdd(&found, own);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, found);
}

double c(int variant) {
  auto* sky = filled<unsigned>(kSky, 1);
  auto* sparks = filled<unsigned>(kSparks, 0);
  int* out = filled<int>(16, 0);
  std::vector<unsigned> dark(kSky), seen(kSparks);
  for (int evening = 0; evening < kEvenings; ++evening) {
    for (int k = 0; k < kSparks; ++k) seen[k] = (k * 2654435761u + evening * 40503u) * 2246822519u;
    if (variant) HIP_CHECK(hipMemsetAsync(sky, 0, kSky * sizeof(unsigned)));
    else HIP_CHECK(hipMemcpy(sky, dark.data(), kSky * sizeof(unsigned), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(sparks, seen.data(), kSparks * sizeof(unsigned), hipMemcpyHostToDevice));
    fall<<<kSparks / 256, 256>>>(sparks, sky);
    bright<<<kSky / 4096, 256>>>(sky, out + evening);
  }
  HIP_CHECK(hipDeviceSynchronize());
  return total(out, kEvenings);
}

// d: how 19456 dishes taste, in 64 ways: the tastes of their eight ingredients, as strong as each
// is in the dish.
constexpr int kDishes = 19456, kTastes = 64, kPots = 8, kLarder = 8192;

template <int kVariant>
__global__ __launch_bounds__(256) void taste(const float* __restrict__ larder,
                                             const int* __restrict__ recipes,
                                             float* __restrict__ out) {
  const int i = work_item();
  const int dish = kVariant ? i / kTastes : i % kDishes, way = kVariant ? i % kTastes : i / kDishes;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kPots; ++k) {
    const int listed = recipes[dish * kPots + k];
    sum += larder[(listed & (kLarder - 1)) * kTastes + way] * (1 + (listed >> 13));
  }
  out[dish * kTastes + way] = sum;
}

double d(int variant) {
  constexpr int kAll = kDishes * kTastes;
  float *larder = mixed<float>(kLarder * kTastes, 100), *out = filled<float>(kAll, 0);
  int* recipes = mixed<int>(kDishes * kPots, kLarder * 7);
  VARIANT(variant, taste, <<<kAll / 256, 256>>>(larder, recipes, out));
  return total(out, kAll);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
