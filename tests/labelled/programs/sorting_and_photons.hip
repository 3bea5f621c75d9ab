#include "data.h"

// a: a picture of 768 x 768 made larger, to 1024 x 1024.
constexpr int kFrom = 768, kTo = 1024;

template <int kVariant>
__global__ void enlarge(const float* in, float* out) {
  const int i = work_item();
  const int x = kVariant ? i % kTo : i / kTo, y = kVariant ? i / kTo : i % kTo;
  const int left = x * 3 / 4, upper = y * 3 / 4;
  const int right = min(left + 1, kFrom - 1), lower = min(upper + 1, kFrom - 1);
  const float across = (x * 3 & 3) * 0.25f, down = (y * 3 & 3) * 0.25f;
  const float* above = in + upper * kFrom;
  const float* below = in + lower * kFrom;
  const float first = above[left] + across * (above[right] - above[left]);
  const float second = below[left] + across * (below[right] - below[left]);
  out[y * kTo + x] = first + down * (second - first);
}

double a(int variant) {
  float* in = mixed<float>(kFrom * kFrom, 64);
  float* out = filled<float>(kTo * kTo, 0);
  VARIANT(variant, enlarge, <<<kTo * kTo / 256, 256>>>(in, out));
  return total(out, kTo * kTo);
}

// b: a text in small letters.
constexpr int kLetters = 1 << 23;

__global__ void fold_text(const unsigned char* in, unsigned char* out) {
  const unsigned char letter = in[work_item()];
  out[work_item()] = letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
}

__device__ unsigned small(unsigned four) {
  const unsigned low = four & 0x7f7f7f7f;
  const unsigned capital = (low + 0x3f3f3f3f) & ~(low + 0x25252525) & ~four & 0x80808080;
  return four | capital >> 2;
}

__global__ void fold_words(const uint4* in, uint4* out) {
  const uint4 own = in[work_item()];
  out[work_item()] = {small(own.x), small(own.y), small(own.z), small(own.w)};
}

double b(int variant) {
  auto* in = mixed<unsigned char>(kLetters, 256);
  auto* out = filled<unsigned char>(kLetters, 0);
  if (variant)
    fold_words<<<kLetters / 16 / 256, 256>>>(reinterpret_cast<uint4*>(in),
                                             reinterpret_cast<uint4*>(out));
  else fold_text<<<kLetters / 256, 256>>>(in, out);
  return total(out, kLetters);
}

// c: 32768 numbers sorted by a network of comparisons.
constexpr int kSorted = 1 << 15, kLocal = 1024;

__device__ void order(int& low, int& high, bool upwards) {
  const int least = min(low, high), most = max(low, high);
  low = upwards ? least : most;
  high = upwards ? most : least;
}

__global__ void sort_step(int* data, int block, int step) {
  const int i = work_item() / step * step * 2 + work_item() % step;
  order(data[i], data[i + step], (i & block) == 0);
}

__global__ __launch_bounds__(kLocal / 2) void sort_near(int* data, int block, int last) {
  __shared__ int near[kLocal];
  const int t = threadIdx.x, from = blockIdx.x * kLocal;
  near[t] = data[from + t];
  near[t + kLocal / 2] = data[from + t + kLocal / 2];
  for (; block <= last; block *= 2) {
    for (int step = min(block, kLocal) / 2; step > 0; step /= 2) {
      __syncthreads();
      const int i = t / step * step * 2 + t % step;
      order(near[i], near[i + step], ((from + i) & block) == 0);
    }
  }
  __syncthreads();
  data[from + t] = near[t];
  data[from + t + kLocal / 2] = near[t + kLocal / 2];
}

__global__ void ranked(const int* data, float* out) {
  out[work_item()] = data[work_item()] * (work_item() % 64);
}

double c(int variant) {
  int* data = mixed<int>(kSorted, 1 << 16);
  float* out = filled<float>(kSorted, 0);
  if (variant) sort_near<<<kSorted / kLocal, kLocal / 2>>>(data, 2, kLocal);
  for (int block = variant ? kLocal * 2 : 2; block <= kSorted; block *= 2) {
    for (int step = block / 2; step >= (variant ? kLocal : 1); step /= 2)
      sort_step<<<kSorted / 2 / 256, 256>>>(data, block, step);
    if (variant) sort_near<<<kSorted / kLocal, kLocal / 2>>>(data, block, block);
  }
  ranked<<<kSorted / 256, 256>>>(data, out);
  return total(out, kSorted);
}

// d: bundles of 64 photons fly through layers together; what each of them leaves there is counted
// in 56 bins.
constexpr int kBins = 56, kPhotons = 304 * 2048, kLayers = 1 << 14, kFlights = 48;

__global__ void prepare_layers(int* layers) {
  const int i = work_item();
  layers[i] = hashed(i / 64 + 9) % kLayers | hashed(i) % kBins << 16;
}

template <int kVariant>
__global__ __launch_bounds__(256) void transport(const int* layers, int* out) {
  __shared__ int bins[kVariant ? kBins : kBins * 256];
  const int t = threadIdx.x, lane = t % 64;
  for (int k = t; k < static_cast<int>(sizeof(bins) / sizeof(int)); k += 256) bins[k] = 0;
  __syncthreads();
  int layer = work_item() / 64 % kLayers;
#pragma unroll 1
  for (int flight = 0; flight < kFlights; ++flight) {
    const int found = layers[layer * 64 + lane], bin = found >> 16;
    layer = found & (kLayers - 1);
    if (kVariant) atomicAdd(bins + bin, 1);
    else ++bins[bin * 256 + t];
  }
  __syncthreads();
  if (kVariant) {
    if (t < kBins) out[blockIdx.x * kBins + t] = bins[t] * (t + 1);
    return;
  }
  for (int bin = t / 64; bin < kBins; bin += 4) {
    int sum = 0;
    for (int k = lane; k < 256; k += 64) sum += bins[bin * 256 + k];
    for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
    if (lane == 0) out[blockIdx.x * kBins + bin] = sum * (bin + 1);
  }
}

double d(int variant) {
  int* layers = filled<int>(kLayers * 64, 0);
  prepare_layers<<<kLayers * 64 / 256, 256>>>(layers);
  int* out = filled<int>(kPhotons / 256 * kBins, 0);
  VARIANT(variant, transport, <<<kPhotons / 256, 256>>>(layers, out));
  return total(out, kPhotons / 256 * kBins);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
