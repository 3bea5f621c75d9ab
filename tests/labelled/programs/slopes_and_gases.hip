#include "data.h"

// a: how steep a map of 1216 x 512 heights is, each of them smoothed before; in whole numbers, as
// an instrument has them.
constexpr int kMapX = 1216, kMapY = 512, kMap = kMapX * kMapY;

__device__ int height_at(const unsigned short* heights, int x, int y) {
  return heights[min(max(y, 0), kMapY - 1) * kMapX + min(max(x, 0), kMapX - 1)];
}

__global__ __launch_bounds__(256) void smooth(const unsigned short* __restrict__ heights,
                                              unsigned short* __restrict__ out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const int around = height_at(heights, x - 1, y) + height_at(heights, x + 1, y) +
                     height_at(heights, x, y - 1) + height_at(heights, x, y + 1);
  out[y * kMapX + x] = (around + 4 * height_at(heights, x, y)) / 8;
}

template <int kVariant>
__device__ int root_of(unsigned square) {
  if (kVariant) {
    const int root = static_cast<int>(sqrtf(static_cast<float>(square)));
    const int lower = root - (root * root > static_cast<int>(square));
    return lower + ((lower + 1) * (lower + 1) <= static_cast<int>(square));
  }
  unsigned root = 0;
#pragma unroll
  for (unsigned bit = 1u << 26; bit > 0; bit /= 4) {
    const unsigned with = root + bit;
    root /= 2;
    if (square >= with) {
      square -= with;
      root += bit;
    }
  }
  return root;
}

template <int kVariant>
__global__ __launch_bounds__(256) void steepness(const unsigned short* __restrict__ heights,
                                                 int* __restrict__ out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int most = 0;
#pragma unroll
  for (int k = 1; k <= 4; ++k) {
    const int across = height_at(heights, x + k, y) - height_at(heights, x - k, y);
    const int down = height_at(heights, x, y + k) - height_at(heights, x, y - k);
    most = max(most, root_of<kVariant>(across * across + down * down) / k);
  }
  out[y * kMapX + x] = most;
}

double a(int variant) {
  auto* heights = mixed<unsigned short>(kMap, 8192);
  auto* smoothed = filled<unsigned short>(kMap, 0);
  int* out = filled<int>(kMap, 0);
  const dim3 grid(kMapX / 32, kMapY / 8), group(32, 8);
  smooth<<<grid, group>>>(heights, smoothed);
  VARIANT(variant, steepness, <<<grid, group>>>(smoothed, out));
  return total(out, kMap);
}

// b: what a shop wants to know in the evening: what will be sold, in which order shelves are to be
// filled, what it may ask and how lorries go; none of the four needs another.
constexpr int kGoods = 4096, kShelves = 1024, kPrices = 6080, kLorries = 2432;

__global__ __launch_bounds__(128) void foresee(const float* __restrict__ sold,
                                               float* __restrict__ out) {
  float level = sold[work_item()], trend = 0.25f;
#pragma unroll 4
  for (int day = 1; day < 300; ++day) {
    const float before = level;
    level = 0.75f * (level + trend) + 0.25f * sold[(work_item() + day * 64) % kGoods];
    trend = 0.875f * trend + 0.125f * (level - before);
  }
  out[work_item()] = level;
}

__global__ __launch_bounds__(kShelves) void arrange(const float* __restrict__ weights,
                                                    float* __restrict__ out) {
  __shared__ float shelf[kShelves];
  const int t = threadIdx.x;
  shelf[t] = weights[t];
#pragma unroll 1
  for (int size = 2; size <= kShelves; size *= 2)
#pragma unroll 1
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      const float own = shelf[t], other = shelf[t ^ step];
      const bool lower = ((t & step) == 0) == ((t & size) == 0);
      __syncthreads();
      shelf[t] = lower ? fminf(own, other) : fmaxf(own, other);
    }
  out[t] = shelf[t] * (t % 16);
}

__global__ __launch_bounds__(64) void ask(const float* __restrict__ costs,
                                          float* __restrict__ out) {
  const float cost = costs[work_item()] + 1;
  float price = 2 * cost;
#pragma unroll 1
  for (int k = 0; k < 200; ++k) {
    const float wanted = 1 / (1 + price * price * 0.0009765625f);
    price += 0.0625f * (cost + 32 * wanted - price);
  }
  out[work_item()] = price;
}

__global__ __launch_bounds__(152) void drive(const int* __restrict__ towns, int* __restrict__ out) {
  int town = work_item(), way = 0;
#pragma unroll 1
  for (int k = 0; k < 48; ++k) {
    const int next = towns[town];
    way += abs(next - town);
    town = next;
  }
  out[work_item()] = way;
}

double b(int variant) {
  float *sold = mixed<float>(kGoods, 64), *weights = mixed<float>(kShelves, 4093);
  float* costs = mixed<float>(6144, 100);
  int *towns = mixed<int>(2560, kLorries), *ways = filled<int>(kLorries, 0);
  float* out = filled<float>(kGoods + kShelves + kPrices, 0);
  hipStream_t streams[4];
  for (auto& stream : streams) HIP_CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  const auto on = [&](int job) { return streams[variant ? job : 0]; };
  HIP_CHECK(hipDeviceSynchronize());
  foresee<<<kGoods / 128, 128, 0, on(0)>>>(sold, out);
  arrange<<<1, kShelves, 0, on(1)>>>(weights, out + kGoods);
  ask<<<kPrices / 64, 64, 0, on(2)>>>(costs, out + kGoods + kShelves);
  drive<<<kLorries / 152, 152, 0, on(3)>>>(towns, ways);
  HIP_CHECK(hipDeviceSynchronize());
  return total(out, kGoods + kShelves + kPrices) + total(ways, kLorries);
}

// c: what becomes of 64 gases in 4864 parcels of air in a day: every hour they become each other in
// as many short steps as the light of the hour asks for.
constexpr int kParcels = 4864, kGases = 64, kHours = 24;

__global__ void prepare_light(int* steps) {
  const unsigned chance = hashed(work_item());
  steps[work_item()] = chance % 8 ? 2 + chance / 8 % 4 : 40;
}

template <int kTogether>
__global__ __launch_bounds__(kTogether* kGases) void react(const int* __restrict__ steps,
                                                           int* __restrict__ gases) {
  __shared__ int air[kTogether][kGases];
  const int gas = threadIdx.x, parcel = blockIdx.x * kTogether + threadIdx.y;
  const int asked = steps[parcel * kGases + gas];
  int own = gases[parcel * kGases + gas];
#pragma unroll 1
  for (int hour = 0; hour < kHours; ++hour) {
    air[threadIdx.y][gas] = own;
    __syncthreads();
    const int one = air[threadIdx.y][(gas * 5 + 1) % kGases];
    const int two = air[threadIdx.y][(gas + hour) % kGases];
    __syncthreads();
    const int needed = __builtin_amdgcn_readlane(asked, hour);
#pragma unroll 1
    for (int k = 0; k < needed; ++k) own += ((one - own) >> 3) + ((two & own) >> 5) - (own >> 6);
  }
  gases[parcel * kGases + gas] = own;
}

double c(int variant) {
  int *gases = mixed<int>(kParcels * kGases, 65521), *steps = filled<int>(kParcels * kGases, 0);
  prepare_light<<<kParcels * kGases / 256, 256>>>(steps);
  if (variant) react<1><<<kParcels, dim3(kGases, 1)>>>(steps, gases);
  else react<16><<<kParcels / 16, dim3(kGases, 16)>>>(steps, gases);
  return total(gases, kParcels * kGases);
}

// d: how many of 4096 stars each star has near, nearer and very near.
constexpr int kStars = 4096, kSlices = 32;

__global__ __launch_bounds__(256) void neighbours(const short4* __restrict__ stars,
                                                  int* __restrict__ out, int each) {
  const short4 own = stars[work_item()];
  const int first = blockIdx.y * each;
  int near = 0;
#pragma unroll 8
  for (int k = first; k < first + each; ++k) {
    const short4 other = stars[k];
    const int x = own.x - other.x, y = own.y - other.y, z = own.z - other.z;
    const int far = x * x + y * y + z * z;
    near += (far < 90000) + (far < 40000) + (far < 10000);
  }
  out[blockIdx.y * kStars + work_item()] = near;
}

__global__ __launch_bounds__(64) void add_slices(const int* __restrict__ slices,
                                                 int* __restrict__ out, int count) {
  int sum = 0;
#pragma unroll 8
  for (int k = 0; k < count; ++k) sum += slices[k * kStars + work_item()];
  out[work_item()] = sum;
}

double d(int variant) {
  auto* stars = reinterpret_cast<short4*>(mixed<short>(4 * kStars, 1000));
  int *parts = filled<int>(kSlices * kStars, 0), *out = filled<int>(kStars, 0);
  const int slices = variant ? kSlices : 1;
  neighbours<<<dim3(kStars / 256, slices), 256>>>(stars, parts, kStars / slices);
  add_slices<<<kStars / 64, 64>>>(parts, out, slices);
  return total(out, kStars);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
