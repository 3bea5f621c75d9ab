#include "data.h"

// a: 1216 blocks of 64 x 64 pixels made sharper: what four times smoothing along rows and columns
// takes from them is given to them.
constexpr int kBlocks = 1216, kEdge = 64, kPixels = kEdge * kEdge, kTimes = 4;
constexpr int kItems = 512, kOwn = kPixels / kItems;

__device__ float at(const float* from, int k, int dx, int dy) {
  const int row = k * (kItems / kEdge) + threadIdx.x / kEdge + dy, column = threadIdx.x + dx;
  return from[(row & (kEdge - 1)) * kEdge + (column & (kEdge - 1))];
}

__device__ float smooth(const float* from, int k, int dx, int dy) {
  return 0.25f * (at(from, k, -dx, -dy) + at(from, k, dx, dy)) + 0.5f * at(from, k, 0, 0);
}

__global__ __launch_bounds__(kItems) void sharpen(const float* __restrict__ picture,
                                               float* __restrict__ out) {
  __shared__ float read[kPixels], along[kPixels], across[kPixels];
  const int t = threadIdx.x, first = blockIdx.x * kPixels + t;
#pragma unroll
  for (int k = 0; k < kOwn; ++k) read[k * kItems + t] = picture[first + k * kItems];
  __syncthreads();
#pragma unroll 1
  for (int time = 0; time < kTimes; ++time) {
#pragma unroll 4
    for (int k = 0; k < kOwn; ++k) along[k * kItems + t] = smooth(time ? across : read, k, 1, 0);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < kOwn; ++k) across[k * kItems + t] = smooth(along, k, 0, 1);
    __syncthreads();
  }
#pragma unroll 4
  for (int k = 0; k < kOwn; ++k)
    out[first + k * kItems] = 2 * read[k * kItems + t] - across[k * kItems + t];
}

__device__ void put(float* block, const float (&own)[kOwn]) {
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kOwn; ++k) block[k * kItems + threadIdx.x] = own[k];
  __syncthreads();
}

__global__ __launch_bounds__(kItems) void sharpen_in_place(const float* __restrict__ picture,
                                                        float* __restrict__ out) {
  __shared__ float block[kPixels];
  const int first = blockIdx.x * kPixels + threadIdx.x;
  float read[kOwn], own[kOwn];
#pragma unroll
  for (int k = 0; k < kOwn; ++k) own[k] = read[k] = picture[first + k * kItems];
#pragma unroll 1
  for (int time = 0; time < kTimes; ++time) {
    put(block, own);
#pragma unroll
    for (int k = 0; k < kOwn; ++k) own[k] = smooth(block, k, 1, 0);
    put(block, own);
#pragma unroll
    for (int k = 0; k < kOwn; ++k) own[k] = smooth(block, k, 0, 1);
  }
#pragma unroll
  for (int k = 0; k < kOwn; ++k) out[first + k * kItems] = 2 * read[k] - own[k];
}

double a(int variant) {
  float* picture = mixed<float>(kBlocks * kPixels, 256);
  float* out = filled<float>(kBlocks * kPixels, 0);
  if (variant) sharpen_in_place<<<kBlocks, kItems>>>(picture, out);
  else sharpen<<<kBlocks, kItems>>>(picture, out);
  return total(out, kBlocks * kPixels);
}

// b: the next word, for which each of 8 heads looks at 16384 words before it; what they hold is
// weighed by how well it fits, and not at all where it does not.
constexpr int kHeads = 8, kKeys = 16384, kDeep = 32, kPieces = 32;

__global__ __launch_bounds__(256) void attend(const int* __restrict__ queries,
                                              const int* __restrict__ keys,
                                              const int* __restrict__ values,
                                              int* __restrict__ out, int each) {
  __shared__ int parts[4][kDeep];
  const int first = blockIdx.y * each, head = blockIdx.x * kDeep;
  int sums[kDeep] = {};
#pragma unroll 1
  for (int key = first + threadIdx.x; key < first + each; key += 256) {
    int fit = 0;
#pragma unroll
    for (int d = 0; d < kDeep; ++d) fit += (queries[head + d] - 8) * keys[(head + d) * kKeys + key];
    fit = max(fit, 0) >> 4;
#pragma unroll
    for (int d = 0; d < kDeep; ++d) sums[d] += fit * values[(head + d) * kKeys + key];
  }
#pragma unroll
  for (int d = 0; d < kDeep; ++d) {
    for (int step = 32; step > 0; step /= 2) sums[d] += __shfl_xor(sums[d], step);
    if (threadIdx.x % 64 == 0) parts[threadIdx.x / 64][d] = sums[d];
  }
  __syncthreads();
  const int d = threadIdx.x;
  if (d < kDeep)
    out[blockIdx.y * kHeads * kDeep + head + d] =
        parts[0][d] + parts[1][d] + parts[2][d] + parts[3][d];
}

__global__ void join(const int* __restrict__ parts, int* __restrict__ out, int pieces) {
  int sum = 0;
#pragma unroll 8
  for (int k = 0; k < pieces; ++k) sum += parts[k * kHeads * kDeep + work_item()];
  out[work_item()] = sum;
}

double b(int variant) {
  int* queries = mixed<int>(kHeads * kDeep, 16);
  int* keys = mixed<int>(kHeads * kDeep * kKeys, 16);
  int* values = mixed<int>(kHeads * kDeep * kKeys, 13);
  int *parts = filled<int>(kPieces * kHeads * kDeep, 0), *out = filled<int>(kHeads * kDeep, 0);
  const int pieces = variant ? kPieces : 1;
  attend<<<dim3(kHeads, pieces), 256>>>(queries, keys, values, parts, kKeys / pieces);
  join<<<kHeads * kDeep / 256, 256>>>(parts, out, pieces);
  return total(out, kHeads * kDeep);
}

// c: what 155648 options to buy are worth, on eight days each.
constexpr int kOptions = 304 * 512, kDays = 8;

template <typename Real>
__device__ Real chance_of(Real x) {
  return Real(0.5) * erfc(-x * Real(0.70710678118654752));
}

template <typename Real>
__global__ __launch_bounds__(256) void value(const int* __restrict__ prices,
                                             const int* __restrict__ strikes,
                                             int* __restrict__ out) {
  const Real price = prices[work_item()] + 64, strike = strikes[work_item()] + 64;
  const Real relation = log(price / strike);
  int sum = 0;
#pragma unroll 1
  for (int day = 1; day <= kDays; ++day) {
    const Real years = day * Real(0.125), spread = Real(0.25) * sqrt(years);
    const Real upper = (relation + Real(0.0625) * years) / spread, lower = upper - spread;
    const Real worth = price * chance_of(upper) -
                       strike * exp(Real(-0.03125) * years) * chance_of(lower);
    sum += static_cast<int>(worth * 256 + Real(0.5));
  }
  out[work_item()] = sum;
}

double c(int variant) {
  int *prices = mixed<int>(kOptions, 251), *strikes = mixed<int>(kOptions, 239);
  int* out = filled<int>(kOptions, 0);
  if (variant) value<float><<<kOptions / 256, 256>>>(prices, strikes, out);
  else value<double><<<kOptions / 256, 256>>>(prices, strikes, out);
  return total(out, kOptions);
}

// d: a film that is cut: its picture, its sound and its words each have steps of their own, and are
// put together when all have come.
constexpr int kSamples = 4096;

__device__ int another(int away) { return (work_item() + away) % kSamples; }

__global__ __launch_bounds__(64) void colour(const int* __restrict__ in, int* __restrict__ out) {
  int red = in[work_item()], green = in[another(1500)];
#pragma unroll 4
  for (int k = 0; k < 700; ++k) {
    red = (red * 5 + green * 3 + k) >> 3 & 0xffff;
    green = max(green - (red >> 2), red & 255);
  }
  out[work_item()] = red + green;
}

__global__ __launch_bounds__(64) void echo(const int* __restrict__ in, int* __restrict__ out) {
  float heard = (in[work_item()] - in[another(700)]) * 0.0001f, before = 0;
#pragma unroll 4
  for (int k = 0; k < 900; ++k) {
    const float now = heard * 0.75f - before * 0.5f + 0.125f;
    before = heard;
    heard = now;
  }
  out[work_item()] = static_cast<int>(heard * 65536) + 65536;
}

__global__ __launch_bounds__(64) void spell(const int* __restrict__ in, int* __restrict__ out) {
  unsigned letter = in[work_item()] * 2 + 1;
  int vowels = 0;
#pragma unroll 4
  for (int k = 0; k < 1800; ++k) {
    letter ^= letter << 7;
    letter ^= letter >> 9;
    vowels += letter & 1;
  }
  out[work_item()] = vowels;
}

__global__ __launch_bounds__(64) void put_together(int* __restrict__ film) {
  const int i = work_item();
  film[i] = film[i] + film[kSamples * 2 + another(99)] + film[kSamples * 5 + another(33)];
}

double d(int variant) {
  constexpr int kGroups = kSamples / 64;
  int* film = mixed<int>(6 * kSamples, 65521);
  hipStream_t streams[3];
  hipEvent_t ends[3];
  for (auto& stream : streams) HIP_CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  for (auto& end : ends) HIP_CHECK(hipEventCreateWithFlags(&end, hipEventDisableTiming));
  const hipStream_t second = streams[variant ? 1 : 0], third = streams[variant ? 2 : 0];
  HIP_CHECK(hipDeviceSynchronize());
  for (int k = 0; k < 2; ++k)
    colour<<<kGroups, 64, 0, streams[0]>>>(film + k % 2 * kSamples, film + (k + 1) % 2 * kSamples);
  for (int k = 0; k < 4; ++k)
    echo<<<kGroups, 64, 0, second>>>(film + (2 + k % 2) * kSamples,
                                     film + (2 + (k + 1) % 2) * kSamples);
  spell<<<kGroups, 64, 0, third>>>(film + 4 * kSamples, film + 5 * kSamples);
  HIP_CHECK(hipEventRecord(ends[1], second));
  HIP_CHECK(hipEventRecord(ends[2], third));
  HIP_CHECK(hipStreamWaitEvent(streams[0], ends[1], 0));
  HIP_CHECK(hipStreamWaitEvent(streams[0], ends[2], 0));
  put_together<<<kGroups, 64, 0, streams[0]>>>(film);
  HIP_CHECK(hipDeviceSynchronize());
  return total(film, 6 * kSamples);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
