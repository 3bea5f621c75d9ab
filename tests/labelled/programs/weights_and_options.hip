#include "data.h"

// a: weights of one byte as numbers of two. Mended: 16 of them in each work-item.
constexpr int kWeights = 1 << 23;

__device__ unsigned short opened(unsigned weight) { return weight * 257 + 3; }

__global__ void open_one(const unsigned char* in, unsigned short* out) {
  out[work_item()] = opened(in[work_item()]);
}

__global__ void open_many(const uint4* in, uint4* out) {
  const uint4 own = in[work_item()];
  const unsigned from[4] = {own.x, own.y, own.z, own.w};
  unsigned to[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const unsigned two = from[k / 2] >> 16 * (k % 2);
    to[k] = opened(two & 255) | opened(two >> 8 & 255) << 16;
  }
  out[work_item() * 2] = {to[0], to[1], to[2], to[3]};
  out[work_item() * 2 + 1] = {to[4], to[5], to[6], to[7]};
}

double a(int variant) {
  auto* in = mixed<unsigned char>(kWeights, 256);
  auto* out = filled<unsigned short>(kWeights, 0);
  if (variant)
    open_many<<<kWeights / 16 / 256, 256>>>(reinterpret_cast<uint4*>(in),
                                            reinterpret_cast<uint4*>(out));
  else open_one<<<kWeights / 256, 256>>>(in, out);
  return total(out, kWeights);
}

// b: words looked up in a tree, from a list that the workgroup keeps in LDS. Mended: room is asked
// for the list that there is, not for the longest that may come.
constexpr int kWords = 304 * 2048, kTree = 1 << 18, kLongest = 15 * 1024;

__global__ void look_up(const int* tree, const int* words, int* out) {
  extern __shared__ int list[];
  list[threadIdx.x] = words[work_item()];
  __syncthreads();
  const int word = list[threadIdx.x ^ 1];
  int node = 1;
  for (int level = 0; level < 17; ++level) node = 2 * node + (tree[node] < word);
  out[work_item()] = node & 1023;
}

__global__ void prepare_tree(int* tree) {
  const unsigned node = work_item();
  const int level = node ? 31 - __clz(node) : 0;
  tree[node] = ((node << 1 | 1) << (17 - level)) & (kTree - 1);
}

double b(int variant) {
  int* tree = filled<int>(kTree, 0);
  prepare_tree<<<kTree / 256, 256>>>(tree);
  int* words = mixed<int>(kWords, kTree);
  int* out = filled<int>(kWords, 0);
  const size_t room = sizeof(int) * (variant ? 256 : kLongest);
  look_up<<<kWords / 256, 256, room>>>(tree, words, out);
  return total(out, kWords);
}

// c: a filter of 64 weights over sound. Mended: weights, which are the same for all, come through
// the scalar cache; only samples are read from LDS.
constexpr int kTaps = 64, kSamples = 304 * 16 * 256;

template <int kVariant>
__global__ __launch_bounds__(256) void filter(const float* sound, const float* weights,
                                              float* out) {
  __shared__ float samples[256 + kTaps], taps[kTaps];
  for (int k = threadIdx.x; k < 256 + kTaps; k += 256) samples[k] = sound[blockIdx.x * 256 + k];
  if (threadIdx.x < kTaps) taps[threadIdx.x] = weights[threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < kTaps; ++k)
    sum += samples[threadIdx.x + k] * (kVariant ? weights[k] : taps[k]);
  out[work_item()] = sum;
}

double c(int variant) {
  float* sound = mixed<float>(kSamples + 256, 256);
  float* weights = mixed<float>(256, 32);
  float* out = filled<float>(kSamples, 0);
  VARIANT(variant, filter, <<<kSamples / 256, 256>>>(sound, weights, out));
  return total(out, kSamples);
}

// d: prices of options, one line of 128 prices after the other for each work-item, forth and back.
// Mended: first prices of all options beside each other, then second ones.
constexpr int kOptions = 1 << 15, kPrices = 128;

template <int kVariant>
__device__ size_t place(int option, int price) {
  return kVariant ? static_cast<size_t>(price) * kOptions + option
                  : static_cast<size_t>(option) * kPrices + price;
}

template <int kVariant>
__global__ void prepare_prices(float* prices) {
  for (int k = 0; k < kPrices; ++k)
    prices[place<kVariant>(work_item(), k)] = hashed(work_item() * kPrices + k) % 1024;
}

template <int kVariant>
__global__ void solve(float* prices, float* first) {
  float carry = 0;
  for (int k = 0; k < kPrices; ++k) {
    float& own = prices[place<kVariant>(work_item(), k)];
    carry = own = (own + carry) * 0.5f;
  }
  for (int k = kPrices - 1; k >= 0; --k) {
    float& own = prices[place<kVariant>(work_item(), k)];
    carry = own = own - carry * 0.25f;
  }
  first[work_item()] = carry;
}

double d(int variant) {
  float* prices = filled<float>(static_cast<size_t>(kOptions) * kPrices, 0);
  float* first = filled<float>(kOptions, 0);
  VARIANT(variant, prepare_prices, <<<kOptions / 256, 256>>>(prices));
  VARIANT(variant, solve, <<<kOptions / 256, 256>>>(prices, first));
  return total(first, kOptions);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
