#include "data.h"

// a: fire in 912 woods of 64 x 64 trees, 12 steps: a tree burns the more the hotter the eight
// around it are, and becomes colder by itself; a work-item has 16 trees of a column.
constexpr int kWoods = 912, kEdge = 64, kOwn = 16, kSteps = 12, kRow = kEdge + 2;

__device__ int burn(int own, int around) { return own + ((around - own) >> 3) - (own >> 4); }

// The trees of a work-item are every fourth, or one below the other.
template <int kVariant>
__device__ void step_of(const short (*now)[kRow], short (*then)[kRow]) {
  const int x = threadIdx.x + 1;
  if (kVariant) {
    const int first = threadIdx.y * kOwn;
    int above = now[first][x - 1] + now[first][x] + now[first][x + 1], own = now[first + 1][x];
    int sides = now[first + 1][x - 1] + now[first + 1][x + 1];
#pragma unroll
    for (int k = 1; k <= kOwn; ++k) {
      const short* below = now[first + k + 1];
      const int next = below[x], next_sides = below[x - 1] + below[x + 1];
      then[first + k][x] = burn(own, above + sides + next + next_sides);
      above = own + sides;
      own = next;
      sides = next_sides;
    }
  } else {
#pragma unroll 4
    for (int y = threadIdx.y + 1; y <= kEdge; y += kEdge / kOwn) {
      int around = now[y][x - 1] + now[y][x + 1];
#pragma unroll
      for (int i = x - 1; i <= x + 1; ++i) around += now[y - 1][i] + now[y + 1][i];
      then[y][x] = burn(now[y][x], around);
    }
  }
}

template <int kVariant>
__global__ __launch_bounds__(kEdge* kEdge / kOwn) void spread(const short* __restrict__ in,
                                                              short* __restrict__ out) {
  __shared__ short woods[2][kRow][kRow];
  const int x = threadIdx.x, t = threadIdx.y * kEdge + x;
  for (int i = t; i < 2 * kRow * kRow; i += 256) woods[0][0][i] = 0;
  __syncthreads();
  for (int y = threadIdx.y; y < kEdge; y += kEdge / kOwn)
    woods[0][y + 1][x + 1] = in[(blockIdx.x % 152 * kEdge + y) * kEdge + x];
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    __syncthreads();
    step_of<kVariant>(woods[step % 2], woods[1 - step % 2]);
  }
  __syncthreads();
  for (int y = threadIdx.y; y < kEdge; y += kEdge / kOwn)
    out[(blockIdx.x * kEdge + y) * kEdge + x] = woods[kSteps % 2][y + 1][x + 1];
}

double a(int variant) {
  short *in = mixed<short>(152 * kEdge * kEdge, 1000),
        *out = filled<short>(kWoods * kEdge * kEdge, 0);
  const dim3 group(kEdge, kEdge / kOwn);
  VARIANT(variant, spread, <<<kWoods, group>>>(in, out));
  return total(out, kWoods * kEdge * kEdge);
}

// b: 304 swarms of 1024 birds that look for the lowest place, 20 times: each goes on as before, and
// towards the bird that is the lowest just now.
constexpr int kSwarms = 304, kBirds = 1024, kTimes = 20;

__device__ int over_tree(int value) {
  __shared__ int lowest[kBirds];
  const int t = threadIdx.x;
  lowest[t] = value;
  for (int step = kBirds / 2; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) lowest[t] = min(lowest[t], lowest[t + step]);
  }
  __syncthreads();
  const int found = lowest[0];
  __syncthreads();
  return found;
}

__device__ int over_waves(int value, int time) {
  __shared__ int waves[2][kBirds / 64];
  for (int step = 32; step > 0; step /= 2) value = min(value, __shfl_xor(value, step));
  if (threadIdx.x % 64 == 0) waves[time % 2][threadIdx.x / 64] = value;
  __syncthreads();
  value = waves[time % 2][threadIdx.x % (kBirds / 64)];
  for (int step = kBirds / 128; step > 0; step /= 2) value = min(value, __shfl_xor(value, step));
  return value;
}

template <int kVariant>
__global__ __launch_bounds__(kBirds) void look_for(const float2* __restrict__ starts,
                                                   int* __restrict__ out) {
  __shared__ float2 places[2][kBirds];
  float2 own = starts[blockIdx.x % 64 * kBirds + threadIdx.x], speed = {0, 0};
  int height = 0;
#pragma unroll 1
  for (int time = 0; time < kTimes; ++time) {
    const float x = own.x - 300 - blockIdx.x, y = own.y - 400;
    height = static_cast<int>((x * x + y * y) * 0.25f) & ~1023;
    places[time % 2][threadIdx.x] = own;
    const int key = height | threadIdx.x;
    const int lowest = kVariant ? over_waves(key, time) : over_tree(key);
    const float2 best = places[time % 2][lowest & 1023];
    speed.x = 0.75f * speed.x + 0.125f * (best.x - own.x);
    speed.y = 0.75f * speed.y + 0.125f * (best.y - own.y);
    own.x += speed.x;
    own.y += speed.y;
  }
  out[work_item()] = height >> 10;
}

double b(int variant) {
  auto* starts = reinterpret_cast<float2*>(mixed<float>(64 * kBirds * 2, 1000));
  int* out = filled<int>(kSwarms * kBirds, 0);
  VARIANT(variant, look_for, <<<kSwarms, kBirds>>>(starts, out));
  return total(out, kSwarms * kBirds);
}

// c: 16 magnets of 32 x 32 spins at temperatures of their own, which two of them may exchange after
// each of 24 sweeps.
constexpr int kMagnets = 16, kSide = 32, kSpins = kSide * kSide, kSweeps = 24;

__device__ int turned(int8_t* spins, int i, int warmth, unsigned chance) {
  const int x = i % kSide, y = i / kSide;
  const int around = spins[y * kSide + (x + 1) % kSide] + spins[y * kSide + (x + 31) % kSide] +
                     spins[(y + 1) % kSide * kSide + x] + spins[(y + 31) % kSide * kSide + x];
  const int cost = spins[i] * around * 64;
  if (cost < static_cast<int>(hashed(chance + i) % 256) * warmth / 16) spins[i] = -spins[i];
  return spins[i] * around;
}

// The temperature that a magnet has after an exchange with its neighbour, if there is one.
__host__ __device__ int exchanged(const int* energies, const int* warmths, int own, int odd) {
  const int first = (own - odd) / 2 * 2 + odd, other = own == first ? own + 1 : own - 1;
  if (own < odd || other >= kMagnets) return warmths[own];
  const int gain = (energies[first + 1] - energies[first]) * (warmths[first + 1] - warmths[first]);
  return gain + energies[first] % 64 > 0 ? warmths[other] : warmths[own];
}

struct State {
  int energies[kMagnets], warmths[kMagnets];
};

template <int kVariant>
__global__ __launch_bounds__(256) void sweep(const State* __restrict__ before, int number,
                                             int8_t* __restrict__ magnets,
                                             State* __restrict__ after) {
  __shared__ int8_t spins[kSpins];
  __shared__ int sum;
  const int t = threadIdx.x, own = blockIdx.x;
  const int warmth = kVariant && number
                         ? exchanged(before->energies, before->warmths, own, number % 2)
                         : before->warmths[own];
  if (t == 0) sum = 0;
  for (int i = t; i < kSpins; i += 256) spins[i] = magnets[own * kSpins + i];
  int energy = 0;
  for (int colour = 0; colour < 2; ++colour) {
    __syncthreads();
    for (int k = t; k < kSpins / 2; k += 256) {
      const int y = k / (kSide / 2), x = k % (kSide / 2) * 2 + (y + colour) % 2;
      energy += turned(spins, y * kSide + x, warmth, (number * kMagnets + own) * kSpins);
    }
  }
  atomicAdd(&sum, energy);
  __syncthreads();
  for (int i = t; i < kSpins; i += 256) magnets[own * kSpins + i] = spins[i];
  if (t == 0) after->energies[own] = sum;
  if (t == 0) after->warmths[own] = warmth;
}

double c(int variant) {
  auto *before = filled<State>(1, 0), *after = filled<State>(1, 0);
  auto* magnets = filled<int8_t>(kMagnets * kSpins, 1);
  State known = {};
  for (int k = 0; k < kMagnets; ++k) known.warmths[k] = 10 + k;
  HIP_CHECK(hipMemcpy(before, &known, sizeof(known), hipMemcpyHostToDevice));
  HIP_CHECK(hipDeviceSynchronize());
  for (int number = 0; number < kSweeps; ++number) {
    VARIANT(variant, sweep, <<<kMagnets, 256>>>(before, number, magnets, after));
    std::swap(before, after);
    if (variant || number == kSweeps - 1) continue;
    HIP_CHECK(hipMemcpy(&known, before, sizeof(known), hipMemcpyDeviceToHost));
    const State read = known;
    for (int k = 0; k < kMagnets; ++k)
      known.warmths[k] = exchanged(read.energies, read.warmths, k, (number + 1) % 2);
    HIP_CHECK(hipMemcpy(before, &known, sizeof(known), hipMemcpyHostToDevice));
  }
  return total(magnets, kMagnets * kSpins) + total(before->energies, kMagnets);
}

// d: 155648 texts in a cipher of four wheels of 64 letters, whose wires are held by the lanes of a
// wave; after each eight letters the wheels turn by what these became. 16 times eight.
constexpr int kTexts = 304 * 512, kBlocks = 16, kLetters = 8, kWheels = 4;

template <int kAtOnce>
__global__ __launch_bounds__(128) void encipher(const int* __restrict__ wires,
                                                const int* __restrict__ texts,
                                                int* __restrict__ out) {
  int wheel[kWheels], turn = 0, mark = 0;
  const int text = texts[work_item()];
#pragma unroll
  for (int k = 0; k < kWheels; ++k) wheel[k] = wires[k * 64 + threadIdx.x % 64];
#pragma unroll 1
  for (int block = 0; block < kBlocks; ++block) {
    int sum = 0;
#pragma unroll 1
    for (int letter = 0; letter < kLetters; letter += kAtOnce) {
      int now[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) now[i] = text * (block * kLetters + letter + i + 1) >> 4;
#pragma unroll
      for (int k = 0; k < kWheels; ++k)
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) now[i] = __shfl(wheel[k], (now[i] + turn) & 63);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) sum = sum * 3 + now[i];
    }
    turn = (turn + sum) & 63;
    mark = mark * 5 + sum;
  }
  out[work_item()] = mark & 0xffff;
}

double d(int variant) {
  int *wires = mixed<int>(kWheels * 64, 64), *texts = mixed<int>(kTexts, 65521);
  int* out = filled<int>(kTexts, 0);
  if (variant) encipher<kLetters><<<kTexts / 128, 128>>>(wires, texts, out);
  else encipher<1><<<kTexts / 128, 128>>>(wires, texts, out);
  return total(out, kTexts);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
