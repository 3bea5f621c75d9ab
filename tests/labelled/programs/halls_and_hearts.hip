#include "data.h"

// a: 77824 instruments in halls: what is heard of each goes on in two echoes of its own, which
// come back as late as the walls are far.
constexpr int kVoices = 304 * 256, kHeard = 72, kLatest = 32;

template <int kVariant>
__global__ __launch_bounds__(256) void halls(const short* __restrict__ played,
                                             const int* __restrict__ walls, int* __restrict__ out) {
  __shared__ int echoes[kLatest * 256];
  const auto place = [](int time) {
    const int late = time & (kLatest - 1);
    return static_cast<int>(kVariant ? late * 256 + threadIdx.x : threadIdx.x * kLatest + late);
  };
  for (int k = 0; k < kLatest; ++k) echoes[place(k)] = 0;
  const int near = 1 + walls[work_item()] % 15, far = near + 1 + walls[work_item()] / 15 % 16;
  int loudest = 0;
#pragma unroll 4
  for (int time = 0; time < kHeard; ++time) {
    const int first = echoes[place(time - near)], second = echoes[place(time - far)];
    const int now = played[time * kVoices + work_item()] + (first >> 1) - (second >> 2);
    echoes[place(time)] = now;
    loudest = max(loudest, abs(now));
  }
  out[work_item()] = loudest;
}

double a(int variant) {
  auto* played = mixed<short>(kHeard * kVoices, 30000);
  int *walls = mixed<int>(kVoices, 240), *out = filled<int>(kVoices, 0);
  VARIANT(variant, halls, <<<kVoices / 256, 256>>>(played, walls, out));
  return total(out, kVoices);
}

// b: 77824 cells of a heart, each with 84 gates that open and close with the voltage of the cell,
// for eight steps.
constexpr int kCells = 304 * 256, kGates = 84, kBeats = 8;

template <int kVariant>
__device__ void beat(const float* __restrict__ gates, const float* __restrict__ volts,
                     float* __restrict__ out) {
  float gate[kGates], volt = volts[work_item()];
#pragma unroll
  for (int k = 0; k < kGates; ++k) gate[k] = gates[k * 4096 + work_item() % 4096] * 0.01f;
#pragma unroll 1
  for (int step = 0; step < kBeats; ++step) {
    float flow = 0;
#pragma unroll
    for (int k = 0; k < kGates; ++k) {
      const float open = volt * (0.01f + 0.002f * k) - 0.3f;
      gate[k] += (open - gate[k]) * (0.125f + 0.005f * (k % 11));
      flow += gate[k] * (k % 5 - 2);
    }
    volt += 0.0625f * (flow - volt * 0.3f);
  }
  float sum = volt;
#pragma unroll
  for (int k = 0; k < kGates; ++k) sum += gate[k];
  out[work_item()] = sum;
}

__global__ __launch_bounds__(256, 8) void hearts(const float* __restrict__ gates,
                                                 const float* __restrict__ volts,
                                                 float* __restrict__ out) {
  beat<0>(gates, volts, out);
}

__global__ __launch_bounds__(256) void hearts_whole(const float* __restrict__ gates,
                                                    const float* __restrict__ volts,
                                                    float* __restrict__ out) {
  beat<1>(gates, volts, out);
}

double b(int variant) {
  float *gates = mixed<float>(kGates * 4096, 100), *volts = mixed<float>(kCells, 90);
  float* out = filled<float>(kCells, 0);
  if (variant) hearts_whole<<<kCells / 256, 256>>>(gates, volts, out);
  else hearts<<<kCells / 256, 256>>>(gates, volts, out);
  return total(out, kCells);
}

// c: how far 76 songs of birds are from 38 known ones, 16 of them each: 16384 samples of two bytes
// are compared one by one, and what is far apart counts no more than 500.
constexpr int kCompared = 1216, kBirds = 76, kTunes = 38, kNotes = 16384;

typedef short Short8 __attribute__((ext_vector_type(8)));

__device__ int off_by(int one, int other) { return min(abs(one - other), 500); }

template <int kVariant>
__global__ __launch_bounds__(256) void compare(const short* __restrict__ birds,
                                               const short* __restrict__ tunes,
                                               int* __restrict__ out) {
  __shared__ int sum;
  const short* __restrict__ bird = birds + blockIdx.x % kBirds * kNotes;
  const short* __restrict__ tune = tunes + blockIdx.x * 5 % kTunes * kNotes;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int own = 0;
  if (kVariant) {
    for (int i = threadIdx.x; i < kNotes / 8; i += 256) {
      const Short8 eight = reinterpret_cast<const Short8*>(bird)[i];
      const Short8 known = reinterpret_cast<const Short8*>(tune)[i];
      for (int k = 0; k < 8; ++k) own += off_by(eight[k], known[k]);
    }
  } else {
#pragma unroll 8
    for (int i = threadIdx.x; i < kNotes; i += blockDim.x) own += off_by(bird[i], tune[i]);
  }
  for (int k = 32; k > 0; k /= 2) own += __shfl_xor(own, k);
  if (threadIdx.x % 64 == 0) atomicAdd(&sum, own);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

double c(int variant) {
  short *birds = mixed<short>(kBirds * kNotes, 2000), *tunes = mixed<short>(kTunes * kNotes, 1700);
  int* out = filled<int>(kCompared, 0);
  VARIANT(variant, compare, <<<kCompared, 256>>>(birds, tunes, out));
  return total(out, kCompared);
}

// d: 1216 journals, packed: each of 136 lines is one of the 16 lines before it, with what was
// changed in it. A wave unpacks a journal.
constexpr int kJournals = 1216, kLines = 136, kBack = 16;

template <int kVariant>
__global__ __launch_bounds__(64) void unpack(const int* __restrict__ packed,
                                             int* __restrict__ out) {
  constexpr int kKept = kVariant ? kBack : kLines + kBack;
  __shared__ int lines[kKept][64];
  const int own = threadIdx.x, journal = blockIdx.x;
  for (int k = 0; k < kBack; ++k) lines[k][own] = k * own;
  int told[3];
  for (int k = 0; k < 3; ++k) told[k] = packed[journal * 192 + k * 64 + own];
#pragma unroll 8
  for (int line = 0; line < kLines; ++line) {
    const int now_told = line < 64 ? told[0] : line < 128 ? told[1] : told[2];
    const int way = __builtin_amdgcn_readlane(now_told, line % 64);
    const int from = line + (way & (kBack - 1)), to = line + kBack;
    const int turned = own + (way >> 4 & 63) & 63;
    const int now = lines[from % kKept][turned] * 5 + (way >> 10);
    lines[to % kKept][own] = now;
    out[(journal * kLines + line) * 64 + own] = now;
  }
}

double d(int variant) {
  constexpr int kAll = kJournals * kLines * 64;
  int *packed = mixed<int>(kJournals * 192, 1 << 20), *out = filled<int>(kAll, 0);
  VARIANT(variant, unpack, <<<kJournals, 64>>>(packed, out));
  return total(out, kAll);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
