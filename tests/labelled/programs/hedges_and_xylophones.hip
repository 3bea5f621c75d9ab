#include "data.h"

// a: fire in 912 hedges at 2048 places each, for 64 moments: every place burns as its neighbours
// do, and a little less.
constexpr int kHedges = 912, kAlong = 2048, kCrew = 256, kOwn = kAlong / kCrew, kBurns = 64;

__device__ inline int burning(int west, int own, int east) { return max(max(west, own), east) - 1; }

__global__ __launch_bounds__(kCrew) void hedges(const int* __restrict__ fires,
                                                int* __restrict__ out) {
  __shared__ int fire[2][kAlong + 2];
  const int first = blockIdx.x * kAlong, x = threadIdx.x;
  if (x < 2) fire[x][0] = fire[x][kAlong + 1] = 0;
  for (int i = x; i < kAlong; i += kCrew) fire[0][i + 1] = fires[first + i];
  __syncthreads();
#pragma unroll 1
  for (int moment = 0; moment < kBurns; ++moment) {
    const int* from = fire[moment % 2];
    int* to = fire[1 - moment % 2];
#pragma unroll
    for (int i = x; i < kAlong; i += kCrew) to[i + 1] = burning(from[i], from[i + 1], from[i + 2]);
    __syncthreads();
  }
  for (int i = x; i < kAlong; i += kCrew) out[first + i] = fire[kBurns % 2][i + 1];
}

// A work-item has eight places in a row and tells its neighbours the first and the last of them.
__global__ __launch_bounds__(kCrew) void hedges_in_rows(const int* __restrict__ fires,
                                                        int* __restrict__ out) {
  __shared__ int firsts[2][kCrew + 2], lasts[2][kCrew + 2];
  const int first = blockIdx.x * kAlong + threadIdx.x * kOwn, x = threadIdx.x + 1;
  if (x <= 2) firsts[x - 1][kCrew + 1] = lasts[x - 1][0] = 0;
  int fire[kOwn];
#pragma unroll
  for (int k = 0; k < kOwn; ++k) fire[k] = fires[first + k];
#pragma unroll 1
  for (int moment = 0; moment < kBurns; ++moment) {
    firsts[moment % 2][x] = fire[0];
    lasts[moment % 2][x] = fire[kOwn - 1];
    __syncthreads();
    int west = lasts[moment % 2][x - 1];
    const int east = firsts[moment % 2][x + 1];
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
      const int own = fire[k];
      fire[k] = burning(west, own, k + 1 < kOwn ? fire[k + 1] : east);
      west = own;
    }
  }
#pragma unroll
  for (int k = 0; k < kOwn; ++k) out[first + k] = fire[k];
}

double a(int variant) {
  int *fires = mixed<int>(kHedges * kAlong, 1 << 16), *out = filled<int>(kHedges * kAlong, 0);
  if (variant) hedges_in_rows<<<kHedges, kCrew>>>(fires, out);
  else hedges<<<kHedges, kCrew>>>(fires, out);
  return total(out, kHedges * kAlong);
}

// b: 32768 grains that look for an order with less unrest: 24 times all are shaken, and the new
// order is kept if it is better than the last one, or not much worse.
constexpr int kGrains = 32768, kShakes = 24;

struct Order {
  int which, unrest;
};

__host__ __device__ inline Order judged(Order last, int unrest, int shake) {
  const int bound = last.unrest + (shake * 37 % 11 - 5) * 65536;
  return unrest < bound ? Order{1 - last.which, unrest} : last;
}

__device__ inline void shaken(const int* __restrict__ now, int shake, int* __restrict__ next,
                              int* __restrict__ unrest) {
  __shared__ int all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  const int i = work_item(), other = (i + 1 + hashed(shake) % 64) % kGrains;
  const int grain = hashed(i * 64 + shake) % 8 ? now[i] : (now[i] + now[other]) / 2 + (i & 31) - 16;
  next[i] = grain;
  int own = abs(grain - now[other]);
  for (int k = 32; k > 0; k /= 2) own += __shfl_xor(own, k);
  if (threadIdx.x % 64 == 0) atomicAdd(&all, own);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(unrest, all);
}

__global__ void shake_up(const int* __restrict__ now, int shake, int* __restrict__ next,
                         int* __restrict__ unrest) {
  shaken(now, shake, next, unrest);
}

// As above, but which order is kept is found here, from what was before the last shake.
__global__ void shake_on(int* grains, int* unrests, int shake, Order* orders) {
  Order order = {0, 1 << 30};
  if (shake) order = judged(orders[shake - 1], unrests[shake - 1], shake - 1);
  if (work_item() == 0) orders[shake] = order;
  int *now = grains + order.which * kGrains, *next = grains + (1 - order.which) * kGrains;
  shaken(now, shake, next, unrests + shake);
}

double b(int variant) {
  int *grains = mixed<int>(2 * kGrains, 1000), *unrests = filled<int>(kShakes, 0);
  auto* orders = filled<Order>(kShakes, 0);
  Order order = {0, 1 << 30};
  HIP_CHECK(hipDeviceSynchronize());
  for (int shake = 0; shake < kShakes; ++shake) {
    if (variant) {
      shake_on<<<kGrains / 256, 256>>>(grains, unrests, shake, orders);
      continue;
    }
    int *now = grains + order.which * kGrains, *next = grains + (1 - order.which) * kGrains;
    int unrest = 0;
    shake_up<<<kGrains / 256, 256>>>(now, shake, next, unrests + shake);
    HIP_CHECK(hipMemcpy(&unrest, unrests + shake, sizeof(int), hipMemcpyDeviceToHost));
    order = judged(order, unrest, shake);
  }
  HIP_CHECK(hipDeviceSynchronize());
  return total(grains, 2 * kGrains) + total(unrests, kShakes);
}

// c: 9728 xylophones of 40 bars each, over which 96 grains of sand fall: how each bar swings in the
// end. A work-item has a bar.
constexpr int kXylophones = 9728, kBars = 40, kSand = 96, kTogether = 8;

__global__ void ring(const float* __restrict__ sand, const float* __restrict__ bars,
                     float* __restrict__ out) {
  __shared__ float falls[kTogether][kSand];
  const int bar = threadIdx.x, y = threadIdx.y, own = blockIdx.x * blockDim.y + y;
  for (int k = bar; k < kSand; k += kBars) falls[y][k] = sand[own * kSand + k];
  __syncthreads();
  const float stiff = 0.01f + bars[bar] * 0.001f, loss = 0.99f - bars[bar] * 0.0001f;
  float bent = 0, speed = 0;
#pragma unroll 4
  for (int k = 0; k < kSand; ++k) {
    const float push = falls[y][k] * (0.25f - fminf(fabsf(bent), 0.2f));
    speed = (speed + push - bent * stiff) * loss;
    speed -= 0.01f * speed * fabsf(speed);
    bent += speed * (0.125f - fminf(fabsf(speed) * 0.01f, 0.0625f));
  }
  out[own * kBars + bar] = bent;
}

double c(int variant) {
  constexpr int kAll = kXylophones * kBars;
  float *sand = mixed<float>(kXylophones * kSand, 16), *bars = mixed<float>(256, 20);
  float* out = filled<float>(kAll, 0);
  const int together = variant ? kTogether : 1;
  ring<<<kXylophones / together, dim3(kBars, together)>>>(sand, bars, out);
  return total(out, kAll);
}

// d: marks of 1245184 names, of up to 55 letters each: behind the last letter comes a sign that the
// name ends there, and in the end how long it is.
constexpr int kNames = 4864 * 256, kStored = 4096, kLetters = 64;

__device__ inline unsigned mark(const unsigned* words) {
  unsigned mark = 0x9747b28cu;
#pragma unroll
  for (int k = 0; k < kLetters / 4; ++k) {
    mark ^= words[k] + (mark << 6);
    mark = (mark << 13 | mark >> 19) + 0xe6546b64u;
  }
  return mark >> 8;
}

template <int kVariant>
__global__ __launch_bounds__(256) void names(const unsigned* __restrict__ stored,
                                             unsigned* __restrict__ out) {
  unsigned words[kLetters / 4];
#pragma unroll
  for (int k = 0; k < kLetters / 4; ++k) words[k] = stored[k * kStored + work_item() % kStored];
  const unsigned length = hashed(work_item()) % 56;
  if (kVariant) {
#pragma unroll
    for (unsigned k = 0; k < kLetters / 4; ++k)
      if (length / 4 == k) words[k] |= 0x80u << length % 4 * 8;
  } else {
    reinterpret_cast<unsigned char*>(words)[length] |= 0x80;
  }
  words[kLetters / 4 - 1] = length * 8;
  out[work_item()] = mark(words);
}

double d(int variant) {
  auto *stored = mixed<unsigned>(kStored * kLetters / 4, 1u << 31),
       *out = filled<unsigned>(kNames, 0);
  VARIANT(variant, names, <<<kNames / 256, 256>>>(stored, out));
  return total(out, kNames);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
