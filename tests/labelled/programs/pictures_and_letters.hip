#include "data.h"

// a: two pictures of bytes are blended. Mended: sixteen bytes per load instead of one.
constexpr int kBytes = 1 << 22;

__device__ unsigned blend(unsigned first, unsigned second) { return (first * 3 + second) / 4; }

__global__ void blend_bytes(const unsigned char* first, const unsigned char* second,
                            unsigned char* out) {
  out[work_item()] = blend(first[work_item()], second[work_item()]);
}

__global__ void blend_words(const uint4* first, const uint4* second, uint4* out) {
  const uint4 x = first[work_item()], y = second[work_item()];
  const unsigned from[8] = {x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w};
  unsigned result[4] = {};
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const int shift = 8 * (k % 4);
    result[k / 4] |= blend(from[k / 4] >> shift & 255, from[4 + k / 4] >> shift & 255) << shift;
  }
  out[work_item()] = make_uint4(result[0], result[1], result[2], result[3]);
}

double a(int variant) {
  unsigned char* first = filled<unsigned char>(kBytes, 77);
  unsigned char* second = mixed<unsigned char>(kBytes, 256);
  unsigned char* out = filled<unsigned char>(kBytes, 0);
  for (int frame = 0; frame < 4; ++frame) {
    if (variant)
      blend_words<<<kBytes / 16 / 256, 256>>>(reinterpret_cast<uint4*>(first),
                                              reinterpret_cast<uint4*>(second),
                                              reinterpret_cast<uint4*>(out));
    else blend_bytes<<<kBytes / 256, 256>>>(first, second, out);
  }
  return total(out, kBytes);
}

// b: how often each of 128 letters occurs, counted per work-item. Mended: counters of one byte.
constexpr int kLetters = 128, kGroups = 2432, kWordsEach = 56;

template <typename Counter>
__global__ __launch_bounds__(64) void count_letters(const unsigned* text, int* counts) {
  __shared__ Counter own[kLetters][64];
  const int t = threadIdx.x;
  for (int letter = 0; letter < kLetters; ++letter) own[letter][t] = 0;
  for (int k = 0; k < kWordsEach; ++k) {
    const unsigned word = text[(blockIdx.x * kWordsEach + k) * 64 + t];
    for (int shift = 0; shift < 32; shift += 8) ++own[word >> shift & (kLetters - 1)][t];
  }
  __syncthreads();
  for (int letter = t; letter < kLetters; letter += 64) {
    int sum = 0;
    for (int k = 0; k < 64; ++k) sum += own[letter][(k + t) % 64];
    counts[blockIdx.x * kLetters + letter] = sum * (letter + 1);
  }
}

double b(int variant) {
  unsigned* text = mixed<unsigned>(kGroups * kWordsEach * 64, ~0u);
  int* counts = filled<int>(kGroups * kLetters, 0);
  if (variant) count_letters<unsigned char><<<kGroups, 64>>>(text, counts);
  else count_letters<int><<<kGroups, 64>>>(text, counts);
  return total(counts, kGroups * kLetters);
}

// c: a polynomial of degree 9. Mended: by Horner instead of a power for each term.
template <int kVariant>
__global__ void evaluate(const float* in, float* out) {
  const float x = in[work_item()];
  float sum = 0;
  if constexpr (kVariant == 0) {
    for (int k = 9; k >= 0; --k) sum += (k % 3 - 1) * powf(x, k);
  } else {
    for (int k = 9; k >= 0; --k) sum = sum * x + (k % 3 - 1);
  }
  out[work_item()] = rintf(sum);
}

double c(int variant) {
  constexpr int kCount = 1 << 19;
  float* in = mixed<float>(kCount, 4);
  float* out = filled<float>(kCount, 0);
  VARIANT(variant, evaluate, <<<kCount / 256, 256>>>(in, out));
  return total(out, kCount);
}

// d: sums that keep what rounding loses. Mended: four of them in turn, joined at the end.
constexpr int kTerms = 1024, kLanes = 1216 * 64;

template <int kVariant>
__global__ void add_exactly(const float* in, float* out) {
  constexpr int kSums = kVariant ? 4 : 1;
  float sums[kSums] = {}, lost[kSums] = {};
  float step = in[work_item()];
  for (int term = 0; term < kTerms; term += kSums) {
#pragma unroll
    for (int k = 0; k < kSums; ++k) {
      const float value = step * (term + k) - lost[k];
      const float sum = sums[k] + value;
      lost[k] = (sum - sums[k]) - value;
      sums[k] = sum;
    }
  }
  float sum = 0;
  for (int k = 0; k < kSums; ++k) sum += sums[k] - lost[k];
  out[work_item()] = sum;
}

double d(int variant) {
  float* in = mixed<float>(kLanes, 8);
  float* out = filled<float>(kLanes, 0);
  VARIANT(variant, add_exactly, <<<kLanes / 64, 64>>>(in, out));
  return total(out, kLanes);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
