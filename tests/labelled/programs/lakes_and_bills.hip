#include "data.h"

// a: how far 608 lakes are below the highest level that they had until then, from what came in and
// went out in 4096 hours.
constexpr int kLakes = 608, kHours = 4096, kAtOnce = 1024;

template <typename Join>
__device__ int joined_by_steps(int own, Join join) {
  __shared__ int parts[kAtOnce];
  const int t = threadIdx.x;
  parts[t] = own;
  __syncthreads();
#pragma unroll 1
  for (int step = 1; step < kAtOnce; step *= 2) {
    const int before = t >= step ? parts[t - step] : own;
    __syncthreads();
    own = t >= step ? join(own, before) : own;
    parts[t] = own;
    __syncthreads();
  }
  return own;
}

template <typename Join>
__device__ int joined_by_waves(int own, Join join) {
  __shared__ int ends[kAtOnce / 64];
  const int lane = threadIdx.x % 64, wave = threadIdx.x / 64;
#pragma unroll
  for (int step = 1; step < 64; step *= 2) {
    const int before = __shfl_up(own, step);
    own = lane >= step ? join(own, before) : own;
  }
  if (lane == 63) ends[wave] = own;
  __syncthreads();
  for (int k = 0; k < wave; ++k) own = join(own, ends[k]);
  __syncthreads();
  return own;
}

template <int kVariant, typename Join>
__device__ int joined(int own, Join join) {
  return kVariant ? joined_by_waves(own, join) : joined_by_steps(own, join);
}

template <int kVariant>
__global__ __launch_bounds__(kAtOnce) void sink(const int* __restrict__ flows,
                                                int* __restrict__ out) {
  __shared__ int last[2];
  if (threadIdx.x < 2) last[threadIdx.x] = 0;
  const int first = blockIdx.x * kHours + threadIdx.x;
  int next = flows[first];
#pragma unroll 1
  for (int from = 0; from < kHours; from += kAtOnce) {
    const int flow = next - 7;
    if (from + kAtOnce < kHours) next = flows[first + from + kAtOnce];
    const int level = joined<kVariant>(flow, [](int a, int b) { return a + b; }) + last[0];
    const int peak = max(joined<kVariant>(level, [](int a, int b) { return max(a, b); }), last[1]);
    out[first + from] = peak - level;
    __syncthreads();
    if (threadIdx.x == kAtOnce - 1) last[0] = level, last[1] = peak;
  }
}

double a(int variant) {
  int* flows = mixed<int>(kLakes * kHours, 16);
  int* out = filled<int>(kLakes * kHours, 0);
  VARIANT(variant, sink, <<<kLakes, kAtOnce>>>(flows, out));
  return total(out, kLakes * kHours);
}

// b: heights of a landscape seen from eight places in turn, along a ray for each of 2^18 pixels.
constexpr int kViews = 8, kPixels = 1 << 18, kAcross = 512, kMap = 1024;

struct Ray {
  float x, y, slope, step;
};

__host__ __device__ Ray ray_of(int pixel, int view) {
  const int column = pixel % kAcross, row = pixel / kAcross;
  return {view * 64.0f + column, row * 0.5f, (column - 256) * 0.00390625f, 1 + row * 0.001953125f};
}

__device__ float look(const float* __restrict__ heights, Ray ray) {
  float most = 0;
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    ray.x += ray.step;
    ray.y += ray.slope;
    const int x = static_cast<int>(ray.x) & (kMap - 1), y = static_cast<int>(ray.y) & (kMap - 1);
    most = fmaxf(most, heights[y * kMap + x]);
  }
  return most;
}

__global__ void look_along(const float* __restrict__ heights, const Ray* __restrict__ rays,
                           float* __restrict__ out) {
  out[work_item()] = look(heights, rays[work_item()]);
}

__global__ void look_from(const float* __restrict__ heights, int view, float* __restrict__ out) {
  out[work_item()] = look(heights, ray_of(work_item(), view));
}

double b(int variant) {
  float* heights = mixed<float>(kMap * kMap, 256);
  float* out = filled<float>(kViews * kPixels, 0);
  Ray* rays = filled<Ray>(kPixels, 0);
  std::vector<Ray> host(kPixels);
  HIP_CHECK(hipDeviceSynchronize());
  for (int view = 0; view < kViews; ++view) {
    float* seen = out + view * kPixels;
    if (variant) {
      look_from<<<kPixels / 256, 256>>>(heights, view, seen);
      continue;
    }
    for (int i = 0; i < kPixels; ++i) host[i] = ray_of(i, view);
    HIP_CHECK(hipMemcpy(rays, host.data(), sizeof(Ray) * kPixels, hipMemcpyHostToDevice));
    look_along<<<kPixels / 256, 256>>>(heights, rays, seen);
  }
  return total(out, kViews * kPixels);
}

// c: what electricity costs 19456 homes by the hour of the day, over 60 days.
constexpr int kHomes = 19456, kHoursOfDay = 24, kDays = 60;

__global__ void bill(const int* __restrict__ used, const int* __restrict__ prices,
                     int* __restrict__ out) {
  const int home = blockIdx.x * blockDim.y + threadIdx.y, hour = threadIdx.x;
  int sum = 0, most = 0;
#pragma unroll 4
  for (int day = 0; day < kDays; ++day) {
    const int load = used[(home * kHoursOfDay + day * 7 + hour) & 0xfffff];
    const int step = load > 192 ? load * 3 - 384 : load;
    sum += step * (prices[day * kHoursOfDay + hour] + (load & 7));
    most = max(most, step);
  }
  out[home * kHoursOfDay + hour] = sum + most * 64;
}

double c(int variant) {
  int* used = mixed<int>(1 << 20, 256);
  int* prices = mixed<int>(kDays * kHoursOfDay / 256 * 256 + 256, 64);
  int* out = filled<int>(kHomes * kHoursOfDay, 0);
  const int homes = variant ? 8 : 1;
  bill<<<kHomes / homes, dim3(kHoursOfDay, homes)>>>(used, prices, out);
  return total(out, kHomes * kHoursOfDay);
}

// d: echoes of 64 steps of a sound, each from the 32 steps before it.
constexpr int kSounds = 304 * 512, kLength = 64, kBack = 32;

template <int kVariant>
__global__ __launch_bounds__(256) void echo(const float* __restrict__ sounds,
                                            const float* __restrict__ weights,
                                            float* __restrict__ out, int length) {
  float line[kBack] = {}, sum = 0;
  if (kVariant) {
#pragma unroll 1
    for (int from = 0; from < length; from += kBack) {
#pragma unroll
      for (int at = 0; at < kBack; ++at) {
        float heard = sounds[(from + at) * kSounds + work_item()];
#pragma unroll
        for (int k = 0; k < kBack; ++k) heard += weights[k] * line[(at + k) % kBack];
        line[at] = heard * 0.00390625f;
        sum += heard;
      }
    }
  } else {
#pragma unroll 1
    for (int time = 0; time < length; ++time) {
      float heard = sounds[time * kSounds + work_item()];
#pragma unroll
      for (int k = 0; k < kBack; ++k) heard += weights[k] * line[(time + k) % kBack];
      line[time % kBack] = heard * 0.00390625f;
      sum += heard;
    }
  }
  out[work_item()] = sum;
}

double d(int variant) {
  float* sounds = mixed<float>(kSounds * kLength, 64);
  float* weights = mixed<float>(256, 8);
  float* out = filled<float>(kSounds, 0);
  VARIANT(variant, echo, <<<kSounds / 256, 256>>>(sounds, weights, out, kLength));
  return total(out, kSounds);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
