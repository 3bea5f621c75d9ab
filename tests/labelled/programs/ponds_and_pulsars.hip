#include "data.h"

// a: what grows at 311296 places, by how bright they are in 224 colours, two of which come in a
// word; which season it is there is looked up in an almanac, page after page.
constexpr int kPlaces = 304 * 1024, kColours = 224, kPairs = kColours / 2, kPages = 40;
constexpr int kAlmanac = 1 << 13, kSeen = 4096;

typedef short Short2 __attribute__((ext_vector_type(2)));

__global__ void prepare_almanac(int* almanac) {
  const int i = work_item();
  almanac[i] = hashed(i / 64 + 11) % kAlmanac | (hashed(i) & 63) << 16;
}

__device__ float season(const int* __restrict__ almanac, float peak) {
  int page = work_item() / 64 % kAlmanac, read = 0, bright = 0;
#pragma unroll 1
  for (int k = 0; k < kPages; ++k) {
    read = almanac[page * 64 + threadIdx.x % 64];
    page = read & (kAlmanac - 1);
    bright += peak * 16 > (read >> 16);
  }
  return (read >> 16) + bright;
}

template <int kVariant>
__global__ __launch_bounds__(256) void grows(const Short2* __restrict__ colours,
                                             const int* __restrict__ almanac,
                                             float* __restrict__ out) {
  Short2 pairs[kPairs], most = {0, 0};
  float evened[kColours], peak = 0, unlike = 0;
  int sum = 0, squares = 0;
#pragma unroll
  for (int k = 0; k < kPairs; ++k) pairs[k] = colours[k * kSeen + work_item() % kSeen];
#pragma unroll
  for (int k = 0; k < kPairs; ++k) {
    sum = __builtin_amdgcn_sdot2(pairs[k], Short2{1, 1}, sum, false);
    squares = __builtin_amdgcn_sdot2(pairs[k], pairs[k], squares, false);
    most = __builtin_elementwise_max(most, pairs[k]);
  }
  const float mean = sum / static_cast<float>(kColours);
  const float scale = 16 / (sqrtf(squares / static_cast<float>(kColours) - mean * mean) + 1);
  const auto even = [&] {
#pragma unroll
    for (int k = 0; k < kColours; ++k) evened[k] = (pairs[k / 2][k % 2] - mean) * scale;
  };
  if (kVariant) {
    peak = (max(most[0], most[1]) - mean) * scale;
  } else {
    even();
#pragma unroll
    for (int k = 0; k < kColours; ++k) peak = fmaxf(peak, evened[k]);
  }
  const float late = season(almanac, peak);
  if (kVariant) even();
#pragma unroll
  for (int k = 0; k < kColours; ++k) unlike += fabsf(evened[k] - late * (k % 7 * 0.0625f));
  out[work_item()] = unlike;
}

double a(int variant) {
  int* almanac = filled<int>(kAlmanac * 64, 0);
  prepare_almanac<<<kAlmanac * 64 / 256, 256>>>(almanac);
  auto* colours = reinterpret_cast<Short2*>(mixed<short>(kColours * kSeen, 1000));
  float* out = filled<float>(kPlaces, 0);
  VARIANT(variant, grows, <<<kPlaces / 256, 256>>>(colours, almanac, out));
  return total(out, kPlaces);
}

// b: ice on 608 ponds of 64 x 80 places, for the days that the winter had there; ponds of the north
// come last. A workgroup has two of them, one after the other.
constexpr int kPonds = 608, kPondX = 64, kPondY = 80, kRows = 16, kOwn = kPondY / kRows;

template <typename Number>
struct Pond {
  Number warmth[kPondY][kPondX], ice[kPondY][kPondX];
};

template <typename Number>
__device__ void freeze(Pond<Number>& pond, const short* __restrict__ depths, int number) {
  const int x = threadIdx.x, west = max(x - 1, 0), east = min(x + 1, kPondX - 1);
#pragma unroll
  for (int k = 0; k < kOwn; ++k) {
    const int y = k * kRows + threadIdx.y;
    pond.warmth[y][x] = depths[(number % 76 * kPondY + y) * kPondX + x];
    pond.ice[y][x] = 0;
  }
  __syncthreads();
#pragma unroll 1
  for (int day = 0; day < 2 + number / 32; ++day) {
    int warmth[kOwn];
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
      const int y = k * kRows + threadIdx.y, own = pond.warmth[y][x];
      const int across = pond.warmth[y][west] + pond.warmth[y][east];
      const int down = pond.warmth[max(y - 1, 0)][x] + pond.warmth[min(y + 1, kPondY - 1)][x];
      const int cold = max(90 - pond.ice[y][x], 4),
                now = own + ((across + down - 4 * own) >> 3) - cold;
      warmth[k] = max(now, 0);
      pond.ice[y][x] += (warmth[k] - now) >> 3;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kOwn; ++k) pond.warmth[k * kRows + threadIdx.y][x] = warmth[k];
    __syncthreads();
  }
}

template <int kVariant>
__global__ __launch_bounds__(kPondX* kRows) void winter(const short* __restrict__ depths,
                                                        int* __restrict__ out) {
  __shared__ Pond<int> pond;
#pragma unroll 1
  for (int time = 0; time < 2; ++time) {
    const int other = kPonds - 1 - blockIdx.x, last = kVariant ? other : blockIdx.x * 2 + 1;
    const int number = time ? last : kVariant ? blockIdx.x : blockIdx.x * 2;
    freeze(pond, depths, number);
    for (int y = threadIdx.y; y < kPondY; y += kRows)
      out[(number * kPondY + y) * kPondX + threadIdx.x] = pond.ice[y][threadIdx.x];
  }
}

double b(int variant) {
  constexpr int kAll = kPonds * kPondX * kPondY;
  auto* depths = mixed<short>(76 * kPondX * kPondY, 1000);
  int* out = filled<int>(kAll, 0);
  const dim3 group(kPondX, kRows);
  VARIANT(variant, winter, <<<kPonds / 2, group>>>(depths, out));
  return total(out, kAll);
}

// c: whether there is a pulsar in 262144 samples: how much they are like themselves some time later,
// for 40 times.
constexpr int kSamples = 1 << 18, kDelays = 40, kPieces = 32;

__global__ void repeats(const int* __restrict__ samples, int each, int* __restrict__ out) {
  __shared__ int sum;
  const int delay = 100 + blockIdx.x * 37, first = blockIdx.y * each, step = blockDim.x;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int own = 0;
#pragma unroll 8
  for (int i = first + threadIdx.x; i < first + each; i += step)
    own += samples[i] * samples[i + delay];
  for (int k = 32; k > 0; k /= 2) own += __shfl_xor(own, k);
  if (threadIdx.x % 64 == 0) atomicAdd(&sum, own);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out + blockIdx.x, sum);
}

double c(int variant) {
  int *samples = mixed<int>(kSamples + 2048, 16), *out = filled<int>(kDelays, 0);
  const int pieces = variant ? kPieces : 1;
  repeats<<<dim3(kDelays, pieces), 256>>>(samples, kSamples / pieces, out);
  return total(out, kDelays);
}

// d: what 77824 lorries owe for the gates that they passed, until they were at home: the same gate
// twice in a row is free, and every further one costs less.
constexpr int kLorries = 304 * 256, kPassed = 96, kGates = 1000, kHome = 0, kRead = 16;

__global__ void prepare_passed(unsigned short* passed) {
  const int i = work_item(), lorry = i % kLorries, time = i / kLorries;
  passed[i] = time > 60 + lorry / 64 % 32 ? kHome : 1 + hashed(i) % (kGates - 1);
}

struct Bill {
  int owed = 0, last = 0, less = 256;
  __device__ void add(int gate, int fee) {
    if (gate == last) return;
    owed += fee * less >> 8;
    less -= less >> 6;
    last = gate;
  }
};

__global__ __launch_bounds__(256) void charge(const unsigned short* __restrict__ passed,
                                              const int* __restrict__ fees, int* __restrict__ out) {
  Bill bill;
  for (int k = 0; k < kPassed; ++k) {
    const int gate = passed[k * kLorries + work_item()];
    if (gate == kHome) break;
    bill.add(gate, fees[gate]);
  }
  out[work_item()] = bill.owed;
}

__global__ __launch_bounds__(256) void charge_ahead(const unsigned short* __restrict__ passed,
                                                    const int* __restrict__ fees,
                                                    int* __restrict__ out) {
  Bill bill;
  bool home = false;
  for (int first = 0; first < kPassed && !home; first += kRead) {
    int gates[kRead], asked[kRead];
#pragma unroll
    for (int k = 0; k < kRead; ++k) gates[k] = passed[(first + k) * kLorries + work_item()];
#pragma unroll
    for (int k = 0; k < kRead; ++k) asked[k] = fees[gates[k]];
#pragma unroll
    for (int k = 0; k < kRead; ++k) {
      home |= gates[k] == kHome;
      if (!home) bill.add(gates[k], asked[k]);
    }
  }
  out[work_item()] = bill.owed;
}

double d(int variant) {
  auto* passed = filled<unsigned short>(kPassed * kLorries, 0);
  prepare_passed<<<kPassed * kLorries / 256, 256>>>(passed);
  int *fees = mixed<int>(1024, 500), *out = filled<int>(kLorries, 0);
  if (variant) charge_ahead<<<kLorries / 256, 256>>>(passed, fees, out);
  else charge<<<kLorries / 256, 256>>>(passed, fees, out);
  return total(out, kLorries);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
