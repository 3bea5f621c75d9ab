#include "data.h"

// a: a picture of 384 by 384 pixels of 24 stars as a telescope shows them, each as a disk with
// rings around it.
constexpr int kChip = 384, kPixels = kChip * kChip, kStars = 24;

__device__ inline float bessel(float x) { return j1f(x); }
__device__ inline double bessel(double x) { return j1(x); }

template <typename Real>
__global__ __launch_bounds__(256) void expose(const float* __restrict__ stars,
                                              float* __restrict__ out) {
  const int i = work_item(), x = i % kChip, y = i / kChip;
  Real light = 0;
#pragma unroll 1
  for (int star = 0; star < kStars; ++star) {
    const Real dx = stars[3 * star] * Real(0.0625) - x, dy = stars[3 * star + 1] * Real(0.0625) - y;
    const Real ring = Real(0.35) * sqrt(dx * dx + dy * dy) + Real(0.001);
    const Real wave = Real(2) * bessel(ring) / ring;
    light += stars[3 * star + 2] * wave * wave;
  }
  out[i] = static_cast<float>(light);
}

double a(int variant) {
  float *stars = mixed<float>(256, kChip * 16), *out = filled<float>(kPixels, 0);
  if (variant) expose<float><<<kPixels / 256, 256>>>(stars, out);
  else expose<double><<<kPixels / 256, 256>>>(stars, out);
  return total(out, kPixels);
}

// b: 12 frames of a pond, 512 by 256 places, in which waves run for 72 short moments per frame; all
// frames are kept on the host.
constexpr int kFrames = 12, kPondX = 512, kPond = kPondX * 256, kMoments = 72;

// Waves run along the rows; a workgroup has half a row.
__global__ __launch_bounds__(256) void ripple(const int* __restrict__ from, int* __restrict__ to) {
  __shared__ int level[2][256];
  const int x = threadIdx.x;
  int own = from[work_item()], speed = 0;
#pragma unroll 1
  for (int moment = 0; moment < kMoments; ++moment) {
    level[moment % 2][x] = own;
    __syncthreads();
    const int west = level[moment % 2][max(x - 1, 0)], east = level[moment % 2][min(x + 1, 255)];
    speed += (west + east - 2 * own) >> 2;
    own += speed;
  }
  to[work_item()] = own;
}

double b(int variant) {
  int *now = mixed<int>(kPond, 1000), *next = filled<int>(kPond, 0), *kept = nullptr;
  const size_t bytes = kPond * sizeof(int);
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&kept), kFrames * bytes, hipHostMallocDefault));
  hipStream_t main, side;
  hipEvent_t made, saved;
  HIP_CHECK(hipStreamCreateWithFlags(&main, hipStreamNonBlocking));
  HIP_CHECK(hipStreamCreateWithFlags(&side, hipStreamNonBlocking));
  HIP_CHECK(hipEventCreateWithFlags(&made, hipEventDisableTiming));
  HIP_CHECK(hipEventCreateWithFlags(&saved, hipEventDisableTiming));
  HIP_CHECK(hipDeviceSynchronize());
  for (int frame = 0; frame < kFrames; ++frame) {
    ripple<<<kPond / 256, 256, 0, main>>>(now, next);
    std::swap(now, next);
    int* frames = kept + frame * kPond;
    if (variant) {
      HIP_CHECK(hipStreamWaitEvent(main, saved, 0));
      HIP_CHECK(hipEventRecord(made, main));
      HIP_CHECK(hipStreamWaitEvent(side, made, 0));
      HIP_CHECK(hipMemcpyAsync(frames, now, bytes, hipMemcpyDeviceToHost, side));
      HIP_CHECK(hipEventRecord(saved, side));
    } else {
      HIP_CHECK(hipMemcpyAsync(frames, now, bytes, hipMemcpyDeviceToHost, main));
    }
  }
  HIP_CHECK(hipDeviceSynchronize());
  return std::accumulate(kept, kept + kFrames * kPond, 0.0);
}

// c: 3735552 bills of a shop: a bit for each of them that says whether it is to be looked at again,
// by how high it is and by the day.
constexpr int kBills = 14592 * 256;

template <int kVariant>
__global__ __launch_bounds__(256) void choose(const int* __restrict__ bills,
                                              const unsigned char* __restrict__ days,
                                              unsigned* __restrict__ out) {
  const int bill = bills[work_item()], day = days[work_item()];
  const bool again = bill > 600 + day || (day % 7 == 6 && bill < 90);
  if (kVariant) {
    const auto wave = __ballot(again);
    if (threadIdx.x % 32 == 0)
      out[work_item() / 32] = static_cast<unsigned>(threadIdx.x & 32 ? wave >> 32 : wave);
  } else if (again) {
    atomicOr(out + work_item() / 32, 1u << work_item() % 32);
  }
}

double c(int variant) {
  int* bills = mixed<int>(kBills, 1000);
  auto* days = mixed<unsigned char>(kBills, 251);
  auto* out = filled<unsigned>(kBills / 32, 0);
  VARIANT(variant, choose, <<<kBills / 256, 256>>>(bills, days, out));
  return total(out, kBills / 32);
}

// d: 1216 recordings of 256 samples, from which 96 known hums are taken away: of each, as much as
// stands in what is left. No hum stands in another. A wave has a recording.
constexpr int kRecordings = 1216, kHums = 96, kTogether = 8;

__device__ inline float hum(int number, int sample) {
  return __popc(number & sample) & 1 ? -1.0f : 1.0f;
}

template <int kVariant>
__global__ __launch_bounds__(64) void quiet(const float* __restrict__ recordings,
                                            float* __restrict__ out) {
  constexpr int kAtOnce = kVariant == 1 ? kTogether : 1;
  float own[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) own[k] = recordings[blockIdx.x * 256 + k * 64 + threadIdx.x];
#pragma unroll 1
  for (int first = 1; first <= kHums; first += kAtOnce) {
    float parts[kAtOnce];
#pragma unroll
    for (int h = 0; h < kAtOnce; ++h) {
      parts[h] = 0;
#pragma unroll
      for (int k = 0; k < 4; ++k) parts[h] += own[k] * hum(first + h, k * 64 + threadIdx.x);
    }
#pragma unroll
    for (int step = 32; step > 0; step /= 2) {
#pragma unroll
      for (int h = 0; h < kAtOnce; ++h) parts[h] += __shfl_xor(parts[h], step);
    }
#pragma unroll
    for (int h = 0; h < kAtOnce; ++h) {
#pragma unroll
      for (int k = 0; k < 4; ++k)
        own[k] -= parts[h] * 0.00390625f * hum(first + h, k * 64 + threadIdx.x);
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) out[blockIdx.x * 256 + k * 64 + threadIdx.x] = own[k];
}

double d(int variant) {
  float* recordings = mixed<float>(kRecordings * 256, 1024);
  float* out = filled<float>(kRecordings * 256, 0);
  VARIANT(variant, quiet, <<<kRecordings, 64>>>(recordings, out));
  return total(out, kRecordings * 256);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
