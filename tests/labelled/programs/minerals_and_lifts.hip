#include "data.h"

// a: of which of 96 minerals a satellite saw most at each of 233472 places: 32 colours of a place
// are weighed as each of the minerals would shine.
constexpr int kSpots = 912 * 256, kMinerals = 96, kColours = 32;

typedef _Float16 Half4 __attribute__((ext_vector_type(4)));
typedef float Float16s __attribute__((ext_vector_type(16)));

// The larger the better; minerals with equal sums are told apart by their number.
__device__ inline float ranked(float sum, int mineral) { return sum * kMinerals + mineral; }

__global__ __launch_bounds__(256) void minerals(const Half4* __restrict__ seen,
                                                const Half4* __restrict__ known,
                                                int* __restrict__ out) {
  Half4 own[kColours / 4];
#pragma unroll
  for (int k = 0; k < kColours / 4; ++k) own[k] = seen[k * kSpots + work_item()];
  float best = 0;
#pragma unroll 2
  for (int mineral = 0; mineral < kMinerals; ++mineral) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kColours / 4; ++k) {
      const Half4 shine = known[mineral * (kColours / 4) + k];
#pragma unroll
      for (int c = 0; c < 4; ++c)
        sum += static_cast<float>(own[k][c]) * static_cast<float>(shine[c]);
    }
    best = fmaxf(best, ranked(sum, mineral));
  }
  out[work_item()] = static_cast<int>(best);
}

// A wave has 32 places; 32 minerals at a time.
__global__ __launch_bounds__(256) void minerals_by_tiles(const Half4* __restrict__ seen,
                                                         const Half4* __restrict__ known,
                                                         int* __restrict__ out) {
  const int lane = threadIdx.x % 64, x = lane % 32, y = lane / 32, spot = work_item() / 64 * 32 + x;
  Half4 own[kColours / 8];
#pragma unroll
  for (int k = 0; k < kColours / 8; ++k) own[k] = seen[(k * 2 + y) * kSpots + spot];
  float best = 0;
#pragma unroll 1
  for (int first = 0; first < kMinerals; first += 32) {
    Float16s sums = {};
#pragma unroll
    for (int k = 0; k < kColours / 8; ++k) {
      const Half4 shine = known[(first + x) * (kColours / 4) + k * 2 + y];
      sums = __builtin_amdgcn_mfma_f32_32x32x8f16(shine, own[k], sums, 0, 0, 0);
    }
#pragma unroll
    for (int k = 0; k < 16; ++k)
      best = fmaxf(best, ranked(sums[k], first + k / 4 * 8 + y * 4 + k % 4));
  }
  best = fmaxf(best, __shfl_xor(best, 32));
  if (y == 0) out[spot] = static_cast<int>(best);
}

double a(int variant) {
  auto* seen = reinterpret_cast<Half4*>(mixed<_Float16>(kSpots * kColours, 16));
  auto* known = reinterpret_cast<Half4*>(mixed<_Float16>(kMinerals * kColours, 8));
  int* out = filled<int>(kSpots, 0);
  if (variant) minerals_by_tiles<<<kSpots / 128, 256>>>(seen, known, out);
  else minerals<<<kSpots / 256, 256>>>(seen, known, out);
  return total(out, kSpots);
}

// b: 304 moments of a song by eight octaves each: the deeper an octave, the longer it must be
// listened to.
constexpr int kChords = 304, kOctaves = 8, kShortest = 16;

template <int kVariant>
__global__ __launch_bounds__(256) void octaves(const float* __restrict__ song,
                                               float* __restrict__ out) {
  const int octave = kVariant ? blockIdx.x / kChords : blockIdx.x % kOctaves;
  const int moment = kVariant ? blockIdx.x % kChords : blockIdx.x / kOctaves;
  const int length = kShortest << (kOctaves - 1 - octave);
  const float turn = (0.002f + 0.00001f * threadIdx.x) * (1 << octave);
  float real = 1, imaginary = 0, sum_r = 0, sum_i = 0;
#pragma unroll 8
  for (int k = 0; k < length; ++k) {
    const float sample = song[moment * 64 + k];
    sum_r += sample * real;
    sum_i += sample * imaginary;
    const float next = real - imaginary * turn;
    imaginary += real * turn;
    real = next;
  }
  out[(moment * kOctaves + octave) * 256 + threadIdx.x] = (sum_r * sum_r + sum_i * sum_i) / length;
}

double b(int variant) {
  constexpr int kAll = kChords * kOctaves * 256;
  float *song = mixed<float>(kChords * 64 + 2048, 8), *out = filled<float>(kAll, 0);
  VARIANT(variant, octaves, <<<kChords * kOctaves, 256>>>(song, out));
  return total(out, kAll);
}

// c: what three computers of a probe wrote down, 32768 bytes in each of 76 hours: how often not all
// of them agree, if two of them came later by up to 15 times 16 bytes.
constexpr int kHours = 76, kDelays = 16, kWritten = 32768, kSlack = 512;

__device__ inline int odd_one(unsigned a, unsigned b, unsigned c) { return a != b || b != c; }

__device__ inline int odd_four(unsigned a, unsigned b, unsigned c) {
  int odd = 0;
#pragma unroll
  for (int k = 0; k < 32; k += 8) odd += odd_one(a >> k & 255, b >> k & 255, c >> k & 255);
  return odd;
}

template <int kVariant>
__global__ __launch_bounds__(256) void vote(const unsigned char* __restrict__ logs,
                                            int* __restrict__ out) {
  constexpr int kOne = kHours * kWritten + kSlack;
  const unsigned char* __restrict__ a = logs + blockIdx.x * kWritten;
  const unsigned char* __restrict__ b = a + kOne + blockIdx.y * 16;
  const unsigned char* __restrict__ c = a + 2 * kOne + blockIdx.y * 32 % 256;
  int odd = 0;
  if (kVariant) {
    const auto* a16 = reinterpret_cast<const uint4*>(a);
    const auto* b16 = reinterpret_cast<const uint4*>(b);
    const auto* c16 = reinterpret_cast<const uint4*>(c);
#pragma unroll 1
    for (int i = threadIdx.x; i < kWritten / 16; i += 256) {
      const uint4 x = a16[i], y = b16[i], z = c16[i];
      odd += odd_four(x.x, y.x, z.x) + odd_four(x.y, y.y, z.y);
      odd += odd_four(x.z, y.z, z.z) + odd_four(x.w, y.w, z.w);
    }
  } else {
#pragma unroll 8
    for (int i = threadIdx.x; i < kWritten; i += 256) odd += odd_one(a[i], b[i], c[i]);
  }
  for (int k = 32; k > 0; k /= 2) odd += __shfl_xor(odd, k);
  if (threadIdx.x % 64 == 0) atomicAdd(out + blockIdx.x * kDelays + blockIdx.y, odd);
}

double c(int variant) {
  auto* logs = mixed<unsigned char>(3 * (kHours * kWritten + kSlack), 3);
  int* out = filled<int>(kHours * kDelays, 0);
  const dim3 grid(kHours, kDelays);
  VARIANT(variant, vote, <<<grid, 256>>>(logs, out));
  return total(out, kHours * kDelays);
}

// d: queues at 4864 ski lifts with 64 gates each, for 32 minutes: some minutes bring more people
// than others, who change to the next gate if it has fewer before it. 16 lifts per workgroup.
constexpr int kLifts = 4864, kGates = 64, kMinutes = 32, kLiftsOf = 16;

template <int kVariant>
__device__ inline void settle() {
  if (kVariant) {
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
  } else {
    __syncthreads();
  }
}

template <int kVariant>
__global__ __launch_bounds__(kLiftsOf* kGates) void queue_up(const int* __restrict__ people,
                                                             int* __restrict__ out) {
  __shared__ int queues[kLiftsOf][kGates];
  const int gate = threadIdx.x % kGates, lift = work_item() / kGates;
  int* queue = queues[threadIdx.x / kGates];
  int own = people[work_item()], waited = 0;
#pragma unroll 1
  for (int minute = 0; minute < kMinutes; ++minute) {
    const unsigned timetable = hashed(__builtin_amdgcn_readfirstlane(lift) * kMinutes + minute);
    const unsigned buses = timetable >> 2 & (timetable % 4 ? 3 : 31);
    queue[gate] = own;
    settle<kVariant>();
#pragma unroll 1
    for (unsigned bus = 0; bus < buses; ++bus) {
      const int next = queue[(gate + 1 + bus) % kGates], last = queue[(gate - 1 - bus) % kGates];
      own += (next < own ? -1 : 1) + (last > own);
      waited += own;
    }
    settle<kVariant>();
    own = max(own - 6, 0);
  }
  out[work_item()] = waited;
}

double d(int variant) {
  constexpr int kAll = kLifts * kGates;
  int *people = mixed<int>(kAll, 100), *out = filled<int>(kAll, 0);
  VARIANT(variant, queue_up, <<<kLifts / kLiftsOf, kLiftsOf * kGates>>>(people, out));
  return total(out, kAll);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
