#include "data.h"

// a: photons in fog, 48 steps each; some steps end at a drop, which turns them.
constexpr int kPhotons = 304 * 256, kSteps = 48, kColours = 16;

struct Photon {
  unsigned chance;
  float depth, slope, light;
};

__device__ void move(Photon& photon) {
  photon.chance = photon.chance * 1664525u + 1013904223u;
  photon.depth += photon.slope * (photon.chance >> 20);
}

__device__ bool meets(const Photon& photon) { return photon.chance >> 28 == 5; }

__device__ void scatter(Photon& photon) {
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < kColours; ++k) {
    const float g = 0.05f * (k + 1), u = (hashed(photon.chance + k) >> 8) * 5.9604645e-8f;
    const float s = (1 - g * g) / (1 - g + 2 * g * u);
    sum += (1 + g * g - s * s) / (2 * g);
  }
  photon.slope = sum / kColours;
  photon.light *= 0.96875f;
}

template <int kVariant>
__global__ __launch_bounds__(256) void fly(float* out) {
  Photon photon = {hashed(work_item() + 7), 0, 1, 1024};
  if (kVariant) {
    int step = 0;
    do {
      bool met = false;
      while (step < kSteps && !met) {
        move(photon);
        met = meets(photon);
        ++step;
      }
      if (met) scatter(photon);
    } while (__any(step < kSteps));
  } else {
    for (int step = 0; step < kSteps; ++step) {
      move(photon);
      if (meets(photon)) scatter(photon);
    }
  }
  out[work_item()] = photon.light + fabsf(photon.depth) * 0.0009765625f;
}

double a(int variant) {
  float* out = filled<float>(kPhotons, 0);
  VARIANT(variant, fly, <<<kPhotons / 256, 256>>>(out));
  return total(out, kPhotons);
}

// b: what was earned on lines of orders that fulfil three conditions, in eight parts of a table.
constexpr int kLines = 1 << 15, kParts = 8, kFirstDay = 300, kFewest = 24, kLowest = 3;

__global__ void mark_from(const int* column, int least, int* mask) {
  mask[work_item()] = column[work_item()] >= least;
}
__global__ void mark_below(const int* column, int limit, int* mask) {
  mask[work_item()] = column[work_item()] < limit;
}
__global__ void both(int* mask, const int* other) { mask[work_item()] &= other[work_item()]; }
__global__ void multiply(const int* left, const int* right, int* out) {
  out[work_item()] = left[work_item()] * right[work_item()];
}
__global__ void keep(const int* mask, int* values) {
  values[work_item()] = mask[work_item()] ? values[work_item()] : 0;
}

__global__ void earned(const int* days, const int* counts, const int* rates, const int* prices,
                       int* out) {
  const int i = work_item();
  const bool wanted = days[i] >= kFirstDay && counts[i] < kFewest && rates[i] >= kLowest;
  out[i] = wanted ? prices[i] * rates[i] : 0;
}

double b(int variant) {
  constexpr int kAll = kLines * kParts, kGroups = kLines / 256;
  int *days = mixed<int>(kAll, 1000), *counts = mixed<int>(kAll, 50);
  int *rates = mixed<int>(kAll, 11), *prices = mixed<int>(kAll, 4096);
  int *mask = filled<int>(kLines, 0), *other = filled<int>(kLines, 0);
  int* out = filled<int>(kAll, 0);
  HIP_CHECK(hipDeviceSynchronize());
  for (int from = 0; from < kAll; from += kLines) {
    if (variant) {
      earned<<<kGroups, 256>>>(days + from, counts + from, rates + from, prices + from, out + from);
      continue;
    }
    mark_from<<<kGroups, 256>>>(days + from, kFirstDay, mask);
    mark_below<<<kGroups, 256>>>(counts + from, kFewest, other);
    both<<<kGroups, 256>>>(mask, other);
    mark_from<<<kGroups, 256>>>(rates + from, kLowest, other);
    both<<<kGroups, 256>>>(mask, other);
    multiply<<<kGroups, 256>>>(prices + from, rates + from, out + from);
    keep<<<kGroups, 256>>>(mask, out + from);
  }
  return total(out, kAll);
}

// c: the best match of 64 places, each of which likes some of 32 letters, in each of 9728 proteins; a
// wave has a protein.
constexpr int kProteins = 304 * 32, kLength = 128, kPlaces = 64, kLetters = 32;

template <int kVariant>
__device__ int slot(int place, int letter) {
  return place * (kVariant ? kLetters + 1 : kLetters) + letter;
}

template <int kVariant>
__global__ __launch_bounds__(256) void match(const int* __restrict__ likes,
                                             const int* __restrict__ proteins,
                                             int* __restrict__ out) {
  __shared__ int liked[kPlaces * (kLetters + 1)];
  for (int k = threadIdx.x; k < kPlaces * kLetters; k += 256)
    liked[slot<kVariant>(k / kLetters, k % kLetters)] = likes[k] - 5;
  __syncthreads();
  const int place = threadIdx.x % 64;
  const int protein = blockIdx.x * 4 + __builtin_amdgcn_readfirstlane(threadIdx.x / 64);
  const int* letters = proteins + protein * kLength;
  int score = 0, best = 0;
#pragma unroll 4
  for (int k = 0; k < kLength; ++k) {
    const int before = __shfl_up(score, 1);
    score = max((place ? before : 0) + liked[slot<kVariant>(place, letters[k])], 0);
    best = max(best, score);
  }
  out[work_item()] = best;
}

double c(int variant) {
  int* likes = mixed<int>(kPlaces * kLetters, 10);
  int* proteins = mixed<int>(kProteins * kLength, 24);
  int* out = filled<int>(kProteins * 64, 0);
  VARIANT(variant, match, <<<kProteins / 4, 256>>>(likes, proteins, out));
  return total(out, kProteins * 64);
}

// d: sums down the columns of a picture of 4096 x 2048.
constexpr int kAcross = 4096, kDown = 2048, kPiece = 64;

__device__ void sum_down(const int* __restrict__ in, int* __restrict__ out, int first, int rows,
                         int sum) {
#pragma unroll 8
  for (int row = first; row < first + rows; ++row) {
    sum += in[row * kAcross + work_item()];
    out[row * kAcross + work_item()] = sum;
  }
}

__global__ void add_columns(const int* __restrict__ in, int* __restrict__ out) {
  sum_down(in, out, 0, kDown, 0);
}

__global__ void add_pieces(const int* in, int* pieces) {
  int sum = 0;
#pragma unroll 8
  for (int row = 0; row < kPiece; ++row)
    sum += in[(blockIdx.y * kPiece + row) * kAcross + work_item()];
  pieces[blockIdx.y * kAcross + work_item()] = sum;
}

__global__ void add_behind(const int* __restrict__ in, const int* __restrict__ pieces,
                           int* __restrict__ out) {
  int sum = 0;
#pragma unroll 8
  for (unsigned piece = 0; piece < blockIdx.y; ++piece)
    sum += pieces[piece * kAcross + work_item()];
  sum_down(in, out, blockIdx.y * kPiece, kPiece, sum);
}

double d(int variant) {
  int* in = mixed<int>(kAcross * kDown, 256);
  int* out = filled<int>(kAcross * kDown, 0);
  int* pieces = filled<int>(kAcross * (kDown / kPiece), 0);
  if (variant) {
    const dim3 grid(kAcross / 256, kDown / kPiece);
    add_pieces<<<grid, 256>>>(in, pieces);
    add_behind<<<grid, 256>>>(in, pieces, out);
  } else {
    add_columns<<<kAcross / 256, 256>>>(in, out);
  }
  return total(out, kAcross * kDown);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
