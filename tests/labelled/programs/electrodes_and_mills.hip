#include "data.h"

// a: 64 electrodes on each of 2432 heads, through eight filters after each other: what a filter
// has is less by the mean of all electrodes at each moment.
constexpr int kHeads = 2432, kFilters = 8, kInstants = 12;

__device__ int mean_of(int own) {
#pragma unroll
  for (int k = 32; k > 0; k /= 2) own += __shfl_xor(own, k);
  return own >> 6;
}

template <int kVariant>
__global__ __launch_bounds__(256) void sense(const short* __restrict__ felt, int filters,
                                             int* __restrict__ out) {
  __shared__ int held[4][kFilters][64];
  const int lane = threadIdx.x % 64, head = work_item() / 64;
  int(*own)[64] = held[threadIdx.x / 64], most = 0;
  for (int k = 0; k < kFilters; ++k) own[k][lane] = 0;
#pragma unroll 1
  for (int instant = 0; instant < kInstants; ++instant) {
    int into = felt[(instant * kHeads + head) * 64 + lane];
    if (kVariant) {
      int old[kFilters], now[kFilters], mean[kFilters];
#pragma unroll
      for (int k = 0; k < kFilters; ++k) old[k] = own[k][lane];
#pragma unroll
      for (int k = 0; k < kFilters; ++k)
        mean[k] = now[k] = old[k] + (((k ? old[k - 1] : into) - old[k]) >> 2);
#pragma unroll
      for (int step = 32; step > 0; step /= 2)
        for (int k = 0; k < kFilters; ++k) mean[k] += __shfl_xor(mean[k], step);
#pragma unroll
      for (int k = 0; k < kFilters; ++k) {
        own[k][lane] = now[k] - (mean[k] >> 6);
        most = max(most, mean[k] >> 6);
      }
    } else {
#pragma unroll 1
      for (int k = 0; k < filters; ++k) {
        const int old = own[k][lane], now = old + ((into - old) >> 2);
        const int mean = mean_of(now);
        own[k][lane] = now - mean;
        most = max(most, mean);
        into = old;
      }
    }
  }
  out[work_item()] = most + own[kFilters - 1][lane];
}

double a(int variant) {
  constexpr int kAll = kHeads * 64;
  auto* felt = mixed<short>(kInstants * kAll, 4000);
  int* out = filled<int>(kAll, 0);
  VARIANT(variant, sense, <<<kHeads / 4, 256>>>(felt, kFilters, out));
  return total(out, kAll);
}

// b: from which of 64 directions sound came in 1216 snatches of 64 moments: what 64 microphones
// heard, weighed for each direction, and how loud that is over the snatch.
constexpr int kSnatches = 1216, kMoments = 64, kMicrophones = 64, kWays = 64;

typedef _Float16 Half4 __attribute__((ext_vector_type(4)));
typedef float Float4 __attribute__((ext_vector_type(4)));

__global__ void prepare_sound(_Float16* sound, int range) {
  sound[work_item()] = static_cast<int>(hashed(work_item()) % range) - range / 2;
}

// Neighbours have other directions.
__global__ __launch_bounds__(256) void listen(const Half4* __restrict__ heard,
                                              const Half4* __restrict__ weights,
                                              float* __restrict__ out) {
  const int snatch = __builtin_amdgcn_readfirstlane(work_item() / kWays);
  const int way = threadIdx.x % kWays;
  Half4 weight[kMicrophones / 4];
  float loud = 0;
  for (int k = 0; k < kMicrophones / 4; ++k) weight[k] = weights[way * (kMicrophones / 4) + k];
#pragma unroll 1
  for (int moment = 0; moment < kMoments; ++moment) {
    const Half4* now = heard + (snatch * kMoments + moment) * (kMicrophones / 4);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kMicrophones; ++k)
      sum += static_cast<float>(now[k / 4][k % 4]) * static_cast<float>(weight[k / 4][k % 4]);
    loud += sum * sum;
  }
  out[snatch * kWays + way] = loud;
}

// A wave has 16 directions, and 16 moments at a time.
__global__ __launch_bounds__(256) void listen_all(const Half4* __restrict__ heard,
                                                  const Half4* __restrict__ weights,
                                                  float* __restrict__ out) {
  const int lane = threadIdx.x % 64, column = lane % 16, row = lane / 16;
  const int wave = threadIdx.x / 64, way = wave * 16, snatch = blockIdx.x;
  Half4 weight[4];
  Float4 loud = {0, 0, 0, 0};
  for (int k = 0; k < 4; ++k)
    weight[k] = weights[(way + column) * (kMicrophones / 4) + k * 4 + row];
#pragma unroll
  for (int moment = 0; moment < kMoments; moment += 16) {
    const Half4* now = heard + (snatch * kMoments + moment + column) * (kMicrophones / 4);
    Float4 sums = {0, 0, 0, 0};
    for (int k = 0; k < 4; ++k)
      sums = __builtin_amdgcn_mfma_f32_16x16x16f16(weight[k], now[k * 4 + row], sums, 0, 0, 0);
    loud += sums * sums;
  }
  for (int k = 0; k < 4; ++k) {
    float sum = loud[k];
    for (int step = 8; step > 0; step /= 2) sum += __shfl_xor(sum, step);
    if (column == 0) out[snatch * kWays + way + row * 4 + k] = sum;
  }
}

double b(int variant) {
  constexpr int kAllHeard = kSnatches * kMoments * kMicrophones;
  auto *heard = filled<Half4>(kAllHeard / 4, 0),
       *weights = filled<Half4>(kWays * kMicrophones / 4, 0);
  prepare_sound<<<kAllHeard / 256, 256>>>(reinterpret_cast<_Float16*>(heard), 5);
  prepare_sound<<<kWays * kMicrophones / 256, 256>>>(reinterpret_cast<_Float16*>(weights), 3);
  float* out = filled<float>(kSnatches * kWays, 0);
  if (variant) listen_all<<<kSnatches, 256>>>(heard, weights, out);
  else listen<<<kSnatches / 4, 256>>>(heard, weights, out);
  return total(out, kSnatches * kWays);
}

// c: the air above 912 regions of 1024 columns in a row, of 56 layers each: in the last 96 regions
// there is thunder, and the layers mix 16 times instead of four. What is on the ground of a column
// comes from its neighbours.
constexpr int kRegions = 912, kThunder = 96, kColumns = 1024, kLayers = 56;

template <int kVariant>
__global__ __launch_bounds__(kColumns) void mix_air(const int* __restrict__ ground,
                                                    const int* __restrict__ times,
                                                    int* __restrict__ out) {
  __shared__ int held[2][kColumns];
  const int region = kVariant ? kRegions - 1 - blockIdx.x : blockIdx.x, x = threadIdx.x;
  const int column = region * kColumns + x, west = max(x - 1, 0), east = min(x + 1, kColumns - 1);
  int layers[kLayers], below = ground[column];
#pragma unroll
  for (int k = 0; k < kLayers; ++k) layers[k] = below * (k + 3) & 4095;
#pragma unroll 1
  for (int time = times[region]; time > 0; --time) {
    held[time % 2][x] = layers[0];
    __syncthreads();
    below = (held[time % 2][west] + held[time % 2][east]) >> 1;
#pragma unroll
    for (int k = 0; k < kLayers; ++k) below = layers[k] += (below - layers[k]) >> 2;
  }
  int sum = 0;
#pragma unroll
  for (int k = 0; k < kLayers; ++k) sum ^= layers[k];
  out[column] = sum;
}

double c(int variant) {
  constexpr int kAll = kRegions * kColumns;
  int *ground = mixed<int>(kAll, 4096), *out = filled<int>(kAll, 0);
  std::vector<int> mixings(kRegions, 4);
  for (int k = kRegions - kThunder; k < kRegions; ++k) mixings[k] = 16;
  int* times = filled<int>(kRegions, 0);
  HIP_CHECK(hipMemcpy(times, mixings.data(), kRegions * sizeof(int), hipMemcpyHostToDevice));
  VARIANT(variant, mix_air, <<<kRegions, kColumns>>>(ground, times, out));
  return total(out, kAll);
}

// d: what 77824 mills yield in 16 hours: the wind at their height, how dense the air is there, and
// how much of it the wings can take, in whole units for each hour.
constexpr int kMills = 304 * 256, kWindy = 16;

template <typename Number>
__device__ Number yield_of(Number wind, Number height, Number warm) {
  const Number above = wind * log(height * (Number(1) + warm * Number(0.125)));
  const Number dense = exp(height * Number(-0.0012) - warm * Number(0.01));
  const Number taken = log(Number(1) + above * above * Number(0.0625));
  return taken * dense * log(Number(2) + warm * dense);
}

template <typename Number>
__global__ __launch_bounds__(256) void mills(const unsigned* __restrict__ sites,
                                             int* __restrict__ out) {
  const unsigned site = sites[work_item()];
  const Number height = Number(20 + (site & 15) * 8);
  int units = 0;
#pragma unroll 1
  for (int hour = 0; hour < kWindy; ++hour) {
    const Number wind = Number(2 + (site >> (hour + 4) & 15));
    const Number warm = Number((site >> 7 & 31) + hour);
    units += static_cast<int>(yield_of<Number>(wind, height, warm) * Number(0.25) + Number(0.3));
  }
  out[work_item()] = units;
}

double d(int variant) {
  auto* sites = mixed<unsigned>(kMills, 1 << 24);
  int* out = filled<int>(kMills, 0);
  if (variant) mills<float><<<kMills / 256, 256>>>(sites, out);
  else mills<double><<<kMills / 256, 256>>>(sites, out);
  return total(out, kMills);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
