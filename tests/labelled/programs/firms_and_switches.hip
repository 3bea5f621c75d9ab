#include "data.h"

// a: how much 77824 firms are trusted, by 96 deeds of each that may have been noted; what a deed
// is worth stands in a list, and what came later counts more.
constexpr int kFirms = 304 * 256, kDeeds = 96, kWorths = 1 << 16, kAsked = 16;

__global__ void prepare_deeds(int* deeds) {
  const int i = work_item(), near = hashed(i / 64 + 7) % (kWorths - 256);
  deeds[i] = hashed(i) % 8 == 0 ? -1 : near + hashed(i + 1) % 256;
}

__device__ void judge(int& trust, int worth) { trust += ((worth << 4) - trust) >> 3; }

__global__ __launch_bounds__(256) void trusted(const int* __restrict__ deeds,
                                               const int* __restrict__ worths,
                                               int* __restrict__ out) {
  int trust = 0;
  for (int k = 0; k < kDeeds; ++k) {
    const int deed = deeds[k * kFirms + work_item()];
    if (deed >= 0) judge(trust, worths[deed]);
  }
  out[work_item()] = trust;
}

__global__ __launch_bounds__(256) void trusted_together(const int* __restrict__ deeds,
                                                        const int* __restrict__ worths,
                                                        int* __restrict__ out) {
  int trust = 0;
  for (int first = 0; first < kDeeds; first += kAsked) {
    int deed[kAsked], worth[kAsked];
#pragma unroll
    for (int k = 0; k < kAsked; ++k) deed[k] = deeds[(first + k) * kFirms + work_item()];
#pragma unroll
    for (int k = 0; k < kAsked; ++k) worth[k] = worths[max(deed[k], 0)];
#pragma unroll
    for (int k = 0; k < kAsked; ++k)
      if (deed[k] >= 0) judge(trust, worth[k]);
  }
  out[work_item()] = trust;
}

double a(int variant) {
  int* deeds = filled<int>(kDeeds * kFirms, 0);
  prepare_deeds<<<kDeeds * kFirms / 256, 256>>>(deeds);
  int *worths = mixed<int>(kWorths, 1000), *out = filled<int>(kFirms, 0);
  if (variant) trusted_together<<<kFirms / 256, 256>>>(deeds, worths, out);
  else trusted<<<kFirms / 256, 256>>>(deeds, worths, out);
  return total(out, kFirms);
}

// b: two kinds of grains on a skin of 256 by 128 places, of which one feeds on the other and both
// spread: stripes and spots after 14 steps.
constexpr int kSkinX = 256, kSkinY = 128, kSkin = kSkinX * kSkinY, kTurns = 14;

__device__ int around(const int* __restrict__ grains) {
  const int i = work_item(), x = i % kSkinX, y = i / kSkinX;
  const int west = y * kSkinX + (x + kSkinX - 1) % kSkinX, east = y * kSkinX + (x + 1) % kSkinX;
  const int north = (y + kSkinY - 1) % kSkinY * kSkinX + x, south = (y + 1) % kSkinY * kSkinX + x;
  return grains[west] + grains[east] + grains[north] + grains[south] - 4 * grains[i];
}

__device__ int eaten(int food, int eaters) {
  return ((food >> 4) * (eaters >> 5) >> 7) * (eaters >> 5) >> 7;
}

__global__ void spread_out(const int* __restrict__ grains, int* __restrict__ out) {
  out[work_item()] = around(grains);
}

__global__ void feed(const int* __restrict__ food, const int* __restrict__ eaters,
                     int* __restrict__ out) {
  out[work_item()] = eaten(food[work_item()], eaters[work_item()]);
}

__global__ void grow_food(int* __restrict__ food, const int* __restrict__ spread,
                          const int* __restrict__ meals) {
  const int i = work_item(), own = food[i];
  food[i] = own + (spread[i] >> 3) - meals[i] + ((4096 - own) >> 5);
}

__global__ void grow_eaters(int* __restrict__ eaters, const int* __restrict__ spread,
                            const int* __restrict__ meals) {
  const int i = work_item(), own = eaters[i];
  eaters[i] = own + (spread[i] >> 4) + meals[i] - (own >> 4);
}

__global__ void turn(const int* __restrict__ food, const int* __restrict__ eaters,
                     int* __restrict__ next_food, int* __restrict__ next_eaters) {
  const int i = work_item(), own = food[i], other = eaters[i], meal = eaten(own, other);
  next_food[i] = own + (around(food) >> 3) - meal + ((4096 - own) >> 5);
  next_eaters[i] = other + (around(eaters) >> 4) + meal - (other >> 4);
}

double b(int variant) {
  int *food = mixed<int>(kSkin, 4096), *eaters = mixed<int>(kSkin, 2048);
  int *one = filled<int>(kSkin, 0), *other = filled<int>(kSkin, 0), *meals = filled<int>(kSkin, 0);
  const int groups = kSkin / 256;
  for (int k = 0; k < kTurns; ++k) {
    if (variant) {
      turn<<<groups, 256>>>(food, eaters, one, other);
      std::swap(food, one);
      std::swap(eaters, other);
      continue;
    }
    spread_out<<<groups, 256>>>(food, one);
    spread_out<<<groups, 256>>>(eaters, other);
    feed<<<groups, 256>>>(food, eaters, meals);
    grow_food<<<groups, 256>>>(food, one, meals);
    grow_eaters<<<groups, 256>>>(eaters, other, meals);
  }
  HIP_CHECK(hipDeviceSynchronize());
  return total(food, kSkin) + total(eaters, kSkin);
}

// c: 311296 parcels that came through a switch: how many bytes went to each of 96 kinds of ports,
// 16 parcels per work-item.
constexpr int kParcels = 76 * 4096, kPorts = 96;

template <int kVariant>
__global__ __launch_bounds__(256) void count(const unsigned* __restrict__ parcels,
                                             unsigned* __restrict__ out) {
  __shared__ unsigned ports[kPorts];
  if (kVariant) {
    for (int k = threadIdx.x; k < kPorts; k += 256) ports[k] = 0;
    __syncthreads();
  }
  for (int k = 0; k < 16; ++k) {
    const unsigned parcel = parcels[(blockIdx.x * 16 + k) * 256 + threadIdx.x];
    atomicAdd((kVariant ? ports : out) + (parcel & 127) * 3 / 4, parcel >> 7);
  }
  if (kVariant) {
    __syncthreads();
    for (int k = threadIdx.x; k < kPorts; k += 256) atomicAdd(out + k, ports[k]);
  }
}

double c(int variant) {
  auto *parcels = mixed<unsigned>(kParcels, 1 << 14), *out = filled<unsigned>(kPorts, 0);
  VARIANT(variant, count, <<<kParcels / 4096, 256>>>(parcels, out));
  return total(out, kPorts);
}

// d: an ear, frame after frame: what is heard is split into high and low, then 8192 hairs swing
// with each of both, in a way of its own; how much they swung says how loud the next frame is
// taken.
constexpr int kHairs = 8192, kEarFrames = 5, kSwings = 800, kRuns = 240;

__global__ void split(const int* __restrict__ frame, const int* __restrict__ swung,
                      int* __restrict__ high, int* __restrict__ low) {
  const int i = work_item(), loud = frame[i] << 6 >> (1 + (swung[i] + swung[i + kHairs]) % 4);
  high[i] = loud - (frame[i ^ 1] << 4);
  low[i] = loud + (frame[i ^ 1] << 4);
}

__global__ void swing(const int* __restrict__ heard, int* __restrict__ swung) {
  int place = heard[work_item()], speed = 0, most = 0;
#pragma unroll 1
  for (int k = 0; k < kSwings; ++k) {
    speed -= place >> 3;
    place += speed - (speed >> 6);
    most = max(most, place);
  }
  swung[work_item()] = most;
}

// Low tones run along the 256 hairs of a workgroup.
__global__ __launch_bounds__(256) void run_along(const int* __restrict__ heard,
                                                 int* __restrict__ swung) {
  __shared__ int places[2][256];
  const int x = threadIdx.x, before = max(x - 1, 0), after = min(x + 1, 255);
  int place = heard[work_item()], most = 0;
#pragma unroll 1
  for (int k = 0; k < kRuns; ++k) {
    places[k % 2][x] = place;
    __syncthreads();
    place += (places[k % 2][before] + places[k % 2][after] - 2 * place) >> 2;
    most = max(most, place);
  }
  swung[work_item()] = most;
}

double d(int variant) {
  int *frames = mixed<int>(kEarFrames * kHairs, 1000), *swung = filled<int>(2 * kHairs, 0);
  int *high = filled<int>(kHairs, 0), *low = filled<int>(kHairs, 0);
  hipStream_t main, side;
  hipEvent_t ready, done;
  HIP_CHECK(hipStreamCreateWithFlags(&main, hipStreamNonBlocking));
  HIP_CHECK(hipStreamCreateWithFlags(&side, hipStreamNonBlocking));
  HIP_CHECK(hipEventCreateWithFlags(&ready, hipEventDisableTiming));
  HIP_CHECK(hipEventCreateWithFlags(&done, hipEventDisableTiming));
  HIP_CHECK(hipDeviceSynchronize());
  for (int k = 0; k < kEarFrames; ++k) {
    split<<<kHairs / 256, 256, 0, main>>>(frames + k * kHairs, swung, high, low);
    if (variant) HIP_CHECK(hipEventRecord(ready, main));
    swing<<<kHairs / 256, 256, 0, main>>>(high, swung);
    if (!variant) HIP_CHECK(hipEventRecord(ready, main));
    HIP_CHECK(hipStreamWaitEvent(side, ready, 0));
    run_along<<<kHairs / 256, 256, 0, side>>>(low, swung + kHairs);
    HIP_CHECK(hipEventRecord(done, side));
    HIP_CHECK(hipStreamWaitEvent(main, done, 0));
  }
  HIP_CHECK(hipDeviceSynchronize());
  return total(swung, 2 * kHairs);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
