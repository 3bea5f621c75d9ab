#include "data.h"

// a: signatures of 2432 texts from an archive, by which copies are found; books stand together in
// it and are much longer than letters.
constexpr int kTexts = 2432, kShelves = 608, kOnShelf = kTexts / kShelves, kWordsKept = 1 << 20;

__global__ void prepare_lengths(int* lengths) {
  const int i = work_item();
  lengths[i] = i >= 1500 && i < 1628 ? 400 : 20 + hashed(i) % 24;
}

__device__ void sign_text(const unsigned* __restrict__ words, int text, int length,
                          unsigned* __restrict__ out) {
  unsigned least = ~0u;
#pragma unroll 2
  for (int k = 0; k < length; ++k) {
    const unsigned word = words[(text * 512 + k * 256 + threadIdx.x) & (kWordsKept - 1)];
    unsigned mark = word;
#pragma unroll
    for (int seed = 0; seed < 4; ++seed) {
      mark = hashed(mark + seed);
      least = min(least, mark);
    }
  }
  out[text * 256 + threadIdx.x] = least >> 8;
}

__global__ __launch_bounds__(256) void sign(const unsigned* __restrict__ words,
                                            const int* __restrict__ lengths,
                                            unsigned* __restrict__ out) {
#pragma unroll 1
  for (int k = 0; k < kOnShelf; ++k) {
    const int text = blockIdx.x * kOnShelf + k;
    sign_text(words, text, lengths[text], out);
  }
}

__global__ __launch_bounds__(256) void sign_next(const unsigned* __restrict__ words,
                                                 const int* __restrict__ lengths,
                                                 unsigned* __restrict__ out,
                                                 int* __restrict__ next) {
  __shared__ int taken;
  while (true) {
    if (threadIdx.x == 0) taken = atomicAdd(next, 1);
    __syncthreads();
    const int text = taken;
    if (text >= kTexts) return;
    sign_text(words, text, lengths[text], out);
    __syncthreads();
  }
}

double a(int variant) {
  auto* words = mixed<unsigned>(kWordsKept, 4294967291u);
  int* lengths = filled<int>(kTexts, 0);
  prepare_lengths<<<kTexts / 256, 256>>>(lengths);
  auto* out = filled<unsigned>(kTexts * 256, 0);
  int* next = filled<int>(1, 0);
  if (variant) sign_next<<<kShelves, 256>>>(words, lengths, out, next);
  else sign<<<kShelves, 256>>>(words, lengths, out);
  return total(out, kTexts * 256);
}

// b: six steps of 16384 pendulums by the method of Runge and Kutta.
constexpr int kPendulums = 16384, kSteps = 6;
constexpr float kTime = 0.0625f;

__device__ float2 slope_of(float2 own) {
  const float bend = own.x * own.x;
  return {own.y, -own.x * (1 - bend * (0.16666667f - bend * 0.0083333f)) - 0.125f * own.y};
}

__device__ float2 moved(float2 own, float2 slope, float time) {
  return {own.x + time * slope.x, own.y + time * slope.y};
}

__device__ float2 joined(float2 own, float2 p, float2 q, float2 r, float2 s) {
  return {own.x + kTime / 6 * (p.x + 2 * q.x + 2 * r.x + s.x),
          own.y + kTime / 6 * (p.y + 2 * q.y + 2 * r.y + s.y)};
}

__global__ void find_slope(const float2* __restrict__ own, float2* __restrict__ slope) {
  slope[work_item()] = slope_of(own[work_item()]);
}

__global__ void move(const float2* __restrict__ own, const float2* __restrict__ slope, float time,
                     float2* __restrict__ out) {
  out[work_item()] = moved(own[work_item()], slope[work_item()], time);
}

__global__ void join(float2* __restrict__ own, const float2* __restrict__ slopes) {
  const int i = work_item();
  own[i] = joined(own[i], slopes[i], slopes[i + kPendulums], slopes[i + 2 * kPendulums],
                  slopes[i + 3 * kPendulums]);
}

__global__ void swing(float2* __restrict__ pendulums) {
  const float2 own = pendulums[work_item()], p = slope_of(own);
  const float2 q = slope_of(moved(own, p, kTime / 2)), r = slope_of(moved(own, q, kTime / 2));
  pendulums[work_item()] = joined(own, p, q, r, slope_of(moved(own, r, kTime)));
}

__global__ void prepare_pendulums(float2* pendulums) {
  const unsigned chance = hashed(work_item());
  pendulums[work_item()] = {(chance & 1023) * 0.001f, (chance >> 12 & 1023) * 0.001f};
}

double b(int variant) {
  auto* pendulums = filled<float2>(kPendulums, 0);
  auto *slopes = filled<float2>(4 * kPendulums, 0), *aside = filled<float2>(kPendulums, 0);
  constexpr int kGroups = kPendulums / 256;
  prepare_pendulums<<<kGroups, 256>>>(pendulums);
  HIP_CHECK(hipDeviceSynchronize());
  for (int step = 0; step < kSteps; ++step) {
    if (variant) {
      swing<<<kGroups, 256>>>(pendulums);
      continue;
    }
    for (int k = 0; k < 4; ++k) {
      find_slope<<<kGroups, 256>>>(k ? aside : pendulums, slopes + k * kPendulums);
      if (k < 3)
        move<<<kGroups, 256>>>(pendulums, slopes + k * kPendulums, k < 2 ? kTime / 2 : kTime,
                               aside);
    }
    join<<<kGroups, 256>>>(pendulums, slopes);
  }
  return total(reinterpret_cast<float*>(pendulums), 2 * kPendulums);
}

// c: a model of a river that measurements of 64 gauges are put into as they come, 40 times; they go
// to the GPU by way of memory that a copy must have left before it is written again.
constexpr int kPlaces = 16384, kGauges = 64, kTimes = 40, kBuffers = 8;

__global__ __launch_bounds__(64) void flow(const int* __restrict__ in,
                                           const int* __restrict__ gauges, int* __restrict__ out) {
  const int i = work_item(), west = (i + kPlaces - 1) % kPlaces, far = (i + 5000) % kPlaces;
  int level = in[i] + (in[west] - in[far]) / 4;
  const int told = gauges[i % kGauges];
#pragma unroll 4
  for (int k = 0; k < 160; ++k) level += (told - level) >> 4 ^ (k & level);
  out[i] = level & 0xffff;
}

double c(int variant) {
  int *levels = mixed<int>(2 * kPlaces, 65536), *host = nullptr;
  int* gauges = filled<int>(kBuffers * kGauges, 0);
  HIP_CHECK(hipHostMalloc(&host, sizeof(int) * kBuffers * kGauges));
  hipEvent_t copied[kBuffers];
  for (auto& event : copied) HIP_CHECK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
  HIP_CHECK(hipDeviceSynchronize());
  for (int time = 0; time < kTimes; ++time) {
    const int buffer = variant ? time % kBuffers : 0, at = buffer * kGauges;
    if (!variant) HIP_CHECK(hipStreamSynchronize(nullptr));
    else if (time >= kBuffers) HIP_CHECK(hipEventSynchronize(copied[buffer]));
    for (int k = 0; k < kGauges; ++k) host[at + k] = (time * 977 + k * 331) % 65536;
    HIP_CHECK(hipMemcpyAsync(gauges + at, host + at, sizeof(int) * kGauges, hipMemcpyHostToDevice));
    if (variant) HIP_CHECK(hipEventRecord(copied[buffer]));
    flow<<<kPlaces / 64, 64>>>(levels + time % 2 * kPlaces, gauges + at,
                               levels + (time + 1) % 2 * kPlaces);
  }
  return total(levels, 2 * kPlaces);
}

// d: how many bits 1216 fingerprints of 4096 bytes differ from 32 known ones, all in all.
constexpr int kPrints = 1216, kKnown = 32, kBytes = 4096;

__device__ int differ(unsigned char one, unsigned char two) { return __popc(one ^ two); }

__device__ int differ(uint4 one, uint4 two) {
  return __popc(one.x ^ two.x) + __popc(one.y ^ two.y) + __popc(one.z ^ two.z) +
         __popc(one.w ^ two.w);
}

template <typename Part>
__global__ __launch_bounds__(256) void compare(const Part* __restrict__ prints,
                                               const Part* __restrict__ known,
                                               int* __restrict__ out) {
  constexpr int kParts = kBytes / sizeof(Part), kOwn = kParts / 256;
  Part own[kOwn];
  int sum = 0;
#pragma unroll
  for (int k = 0; k < kOwn; ++k) own[k] = prints[blockIdx.x * kParts + k * 256 + threadIdx.x];
#pragma unroll 2
  for (int print = 0; print < kKnown; ++print)
#pragma unroll
    for (int k = 0; k < kOwn; ++k)
      sum += differ(own[k], known[print * kParts + k * 256 + threadIdx.x]);
  out[work_item()] = sum;
}

double d(int variant) {
  auto* prints = mixed<unsigned>(kPrints * kBytes / 4, 4294967291u);
  auto* known = mixed<unsigned>(kKnown * kBytes / 4, 4294967279u);
  int* out = filled<int>(kPrints * 256, 0);
  if (variant)
    compare<<<kPrints, 256>>>(reinterpret_cast<const uint4*>(prints),
                              reinterpret_cast<const uint4*>(known), out);
  else
    compare<<<kPrints, 256>>>(reinterpret_cast<const unsigned char*>(prints),
                              reinterpret_cast<const unsigned char*>(known), out);
  return total(out, kPrints * 256);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
