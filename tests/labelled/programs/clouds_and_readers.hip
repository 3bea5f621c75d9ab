#include "data.h"

// a: 304 clouds of 1024 points that a laser saw: 16 points of each cloud that are far from each
// other, the next one always that which is farthest from all chosen before.
constexpr int kClouds = 304, kTeam = 512, kCloud = 2 * kTeam, kPicks = 16;

struct Point {
  int x, y, z;
};

__device__ Point seen(int packed) {
  return {packed & 1023, packed >> 10 & 1023, packed >> 20 & 1023};
}

__device__ unsigned apart(Point a, Point b) {
  const int x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return __mul24(x, x) + __mul24(y, y) + __mul24(z, z);
}

template <int kVariant>
__device__ unsigned highest(unsigned own, int pick, unsigned* held) {
  if (kVariant) {
    for (int k = 32; k > 0; k /= 2) own = max(own, __shfl_xor(own, k));
    unsigned* waves = held + pick % 2 * (kTeam / 64);
    if (threadIdx.x % 64 == 0) waves[threadIdx.x / 64] = own;
    __syncthreads();
    own = waves[0];
    for (int k = 1; k < kTeam / 64; ++k) own = max(own, waves[k]);
    return own;
  }
  held[threadIdx.x] = own;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (static_cast<int>(threadIdx.x) < k)
      held[threadIdx.x] = max(held[threadIdx.x], held[threadIdx.x + k]);
    __syncthreads();
  }
  own = held[0];
  __syncthreads();
  return own;
}

template <int kVariant>
__global__ __launch_bounds__(kTeam) void spread(const int* __restrict__ points,
                                                int* __restrict__ out) {
  __shared__ unsigned held[kTeam];
  constexpr int kOwn = kCloud / kTeam;
  const int* __restrict__ cloud = points + blockIdx.x * kCloud;
  Point own[kOwn];
  unsigned nearest[kOwn];
  for (int k = 0; k < kOwn; ++k) {
    own[k] = seen(cloud[threadIdx.x + k * kTeam]);
    nearest[k] = (1u << 22) - 1;
  }
  int chosen = 0;
#pragma unroll 1
  for (int pick = 0; pick < kPicks; ++pick) {
    const Point last = seen(cloud[chosen]);
    unsigned best = 0;
    for (int k = 0; k < kOwn; ++k) {
      nearest[k] = min(nearest[k], apart(own[k], last));
      best = max(best, nearest[k] << 10 | (threadIdx.x + k * kTeam));
    }
    chosen = highest<kVariant>(best, pick, held) & (kCloud - 1);
    if (threadIdx.x == 0) out[blockIdx.x * kPicks + pick] = chosen;
  }
}

double a(int variant) {
  int *points = mixed<int>(kClouds * kCloud, 1 << 30), *out = filled<int>(kClouds * kPicks, 0);
  VARIANT(variant, spread, <<<kClouds, kTeam>>>(points, out));
  return total(out, kClouds * kPicks);
}

// b: which books suit 466944 readers: the strongest of 176 likings of a reader says which cards of
// a catalogue count, where each card leads to the next; then all likings are weighed by that.
constexpr int kReaders = 304 * 1536, kLikings = 176, kCards = 40, kDrawers = 1 << 13, kKnown = 4096;

__global__ void prepare_cards(int* cards) {
  const int i = work_item();
  cards[i] = hashed(i / 64 + 23) % kDrawers | (hashed(i) & 63) << 16;
}

__device__ int looked_up(const int* __restrict__ cards, int strongest) {
  int drawer = work_item() / 64 % kDrawers, found = 0;
#pragma unroll 1
  for (int k = 0; k < kCards; ++k) {
    const int card = cards[drawer * 64 + threadIdx.x % 64];
    found += card >> 16 < strongest;
    drawer = card & (kDrawers - 1);
  }
  return found;
}

template <int kVariant>
__global__ __launch_bounds__(256) void suit(const int* __restrict__ likings,
                                            const int* __restrict__ cards, int* __restrict__ out) {
  const int* __restrict__ first = likings + work_item() % kKnown;
  int strongest = 0, fits = 0;
  if (kVariant) {
#pragma unroll 16
    for (int k = 0; k < kLikings; ++k) strongest = max(strongest, first[k * kKnown]);
    const int found = looked_up(cards, strongest);
#pragma unroll 16
    for (int k = 0; k < kLikings; ++k) fits += abs(first[k * kKnown] - found);
  } else {
    int liking[kLikings];
#pragma unroll
    for (int k = 0; k < kLikings; ++k) {
      liking[k] = first[k * kKnown];
      strongest = max(strongest, liking[k]);
    }
    const int found = looked_up(cards, strongest);
#pragma unroll
    for (int k = 0; k < kLikings; ++k) fits += abs(liking[k] - found);
  }
  out[work_item()] = fits;
}

double b(int variant) {
  int* cards = filled<int>(kDrawers * 64, 0);
  prepare_cards<<<kDrawers * 64 / 256, 256>>>(cards);
  int *likings = mixed<int>(kLikings * kKnown, 64), *out = filled<int>(kReaders, 0);
  VARIANT(variant, suit, <<<kReaders / 256, 256>>>(likings, cards, out));
  return total(out, kReaders);
}

// c: 1024 formulas that were bred, of 24 symbols each, and how well each of them fits 640
// measurements, by a machine with eight symbols and two numbers at hand.
constexpr int kFormulas = 1024, kSymbols = 24, kMeasured = 640;

struct Machine {
  float top, next;
  __device__ void take(int symbol, float x) {
    const float old = top;
    switch (symbol) {
      case 0: top = x + next; break;
      case 1: top = top * 0.5f + next; break;
      case 2: top = fmaxf(top, next) - x; break;
      case 3: top = sqrtf(fabsf(top) + 1); break;
      case 4: top = top * x * 0.125f; break;
      case 5: top = x / (fabsf(top) + 1); break;
      case 6: top = fminf(top, x) + 1; break;
      default: top = fabsf(next - top); break;
    }
    next = old;
  }
};

template <int kVariant>
__global__ __launch_bounds__(256) void fit(const unsigned char* __restrict__ formulas,
                                           const float* __restrict__ measured,
                                           int* __restrict__ out) {
  const int wave = work_item() / 64, lane = threadIdx.x % 64;
  const int formula = kVariant ? __builtin_amdgcn_readfirstlane(wave % kFormulas)
                               : wave % (kFormulas / 64) * 64 + lane;
  const int one = kVariant ? wave / kFormulas * 64 + lane : wave / (kFormulas / 64);
  const float x = measured[one];
  Machine machine = {x, 1};
#pragma unroll 1
  for (int k = 0; k < kSymbols; ++k) machine.take(formulas[k * kFormulas + formula], x);
  out[one * kFormulas + formula] = fabsf(machine.top - x) < 2;
}

double c(int variant) {
  constexpr int kAll = kFormulas * kMeasured;
  auto* formulas = mixed<unsigned char>(kSymbols * kFormulas, 8);
  float* measured = mixed<float>(768, 100);
  int* out = filled<int>(kAll, 0);
  VARIANT(variant, fit, <<<kAll / 256, 256>>>(formulas, measured, out));
  return total(out, kAll);
}

// d: rain of 32 hours at 311296 places, of which a radar saw only some at each hour: how much fell
// where it was seen, made up for the hours when it was not. A work-item has four places.
constexpr int kPlaces = 1216 * 256, kHours = 32;

__device__ bool clear_at(int hour, int place) {
  return hashed(hour * kPlaces + place + 5) % 4 != 0;
}

__global__ void prepare_views(float* views) {
  for (int hour = 0; hour < kHours; ++hour)
    views[hour * kPlaces + work_item()] = clear_at(hour, work_item());
}

__global__ void prepare_packed(unsigned* packed) {
  unsigned hours = 0;
  for (int hour = 0; hour < kHours; ++hour) hours |= clear_at(hour, work_item()) << hour;
  packed[work_item()] = hours;
}

struct Fallen {
  float sum = 0, seen = 1;
  __device__ void add(int rain, float view) {
    sum += rain * view;
    seen += view;
  }
  __device__ float all() const { return sum * kHours / seen; }
};

template <int kVariant>
__global__ __launch_bounds__(256) void fallen(const uchar4* __restrict__ rain,
                                              const float4* __restrict__ views,
                                              const uint4* __restrict__ packed,
                                              float4* __restrict__ out) {
  const uint4 hours = kVariant ? packed[work_item()] : uint4{};
  Fallen fell[4];
#pragma unroll 8
  for (int hour = 0; hour < kHours; ++hour) {
    const int place = hour * (kPlaces / 4) + work_item();
    float4 view;
    if (kVariant)
      view = make_float4(hours.x >> hour & 1, hours.y >> hour & 1, hours.z >> hour & 1,
                         hours.w >> hour & 1);
    else view = views[place];
    const uchar4 drops = rain[place];
    fell[0].add(drops.x, view.x);
    fell[1].add(drops.y, view.y);
    fell[2].add(drops.z, view.z);
    fell[3].add(drops.w, view.w);
  }
  out[work_item()] = make_float4(fell[0].all(), fell[1].all(), fell[2].all(), fell[3].all());
}

double d(int variant) {
  auto* rain = mixed<unsigned char>(kHours * kPlaces, 60);
  auto* views = filled<float4>(variant ? 1 : kHours * kPlaces / 4, 0);
  auto* out = filled<float4>(kPlaces / 4, 0);
  auto* packed = filled<uint4>(kPlaces / 4, 0);
  if (variant) prepare_packed<<<kPlaces / 256, 256>>>(reinterpret_cast<unsigned*>(packed));
  else prepare_views<<<kPlaces / 256, 256>>>(reinterpret_cast<float*>(views));
  const auto* drops = reinterpret_cast<const uchar4*>(rain);
  VARIANT(variant, fallen, <<<kPlaces / 1024, 256>>>(drops, views, packed, out));
  return total(reinterpret_cast<const float*>(out), kPlaces);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
