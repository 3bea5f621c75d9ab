#include "data.h"

// a: when 3648 harbours have high water: heights of 64 quarters of an hour, each the sum of 21
// tides; a work-item has a tide.
constexpr int kHarbours = 3648, kTides = 21, kQuarters = 64, kMost = 3;

__global__ void high_water(const float* __restrict__ swings, const float* __restrict__ speeds,
                           int* __restrict__ out) {
  __shared__ float parts[kMost][2][kTides + 3];
  const int tide = threadIdx.x, y = threadIdx.y, harbour = blockIdx.x * blockDim.y + y;
  const float angle = speeds[tide] * 0.0009765625f;
  const float turn_x = 1 - angle * angle * 0.5f, turn_y = angle - angle * angle * angle / 6;
  float part_x = swings[harbour * kTides + tide] - 30, part_y = -part_x - 7, highest = -1e9f;
  int when = 0;
#pragma unroll 1
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    parts[y][quarter % 2][tide] = part_x;
    __syncthreads();
    float height = 0;
#pragma unroll
    for (int k = 0; k < kTides; ++k) height += parts[y][quarter % 2][k];
    when = height > highest ? quarter : when;
    highest = fmaxf(height, highest);
    const float next = part_x * turn_x - part_y * turn_y;
    part_y = part_x * turn_y + part_y * turn_x;
    part_x = next;
  }
  if (tide == 0) out[harbour] = when;
}

double a(int variant) {
  float *swings = mixed<float>(304 * 256, 61), *speeds = mixed<float>(256, 300);
  int* out = filled<int>(kHarbours, 0);
  const int together = variant ? kMost : 1;
  high_water<<<kHarbours / together, dim3(kTides, together)>>>(swings, speeds, out);
  return total(out, kHarbours);
}

// b: what a car makes of a tenth of a second: where the ground is, which lanes there are, where
// others go, where it is itself, and how its tyres are.
constexpr int kPoints = 4096, kLines = 48, kWidth = 256, kOthers = 1024, kPlaces = 640;
constexpr int kRevolutions = 304;

__global__ __launch_bounds__(256) void ground(const float* __restrict__ heights,
                                              float* __restrict__ out) {
  __shared__ float sums[4];
  float level = heights[work_item()], best = 0;
#pragma unroll 1
  for (int round = 0; round < 10; ++round) {
    float near = 0;
#pragma unroll 8
    for (int k = 0; k < 64; ++k)
      near += fmaxf(8 - fabsf(heights[k * 64 + threadIdx.x % 64] - level), 0);
    for (int step = 32; step > 0; step /= 2) near += __shfl_xor(near, step);
    if (threadIdx.x % 64 == 0) sums[threadIdx.x / 64] = near;
    __syncthreads();
    best += sums[0] - sums[1] + sums[2] - sums[3];
    level += near > best ? 0.5f : -0.5f;
    __syncthreads();
  }
  out[work_item()] = level;
}

__global__ __launch_bounds__(kWidth) void lanes(const unsigned char* __restrict__ picture,
                                                int* __restrict__ out) {
  __shared__ int row[kWidth];
  const int x = threadIdx.x;
  int path = 0;
#pragma unroll 1
  for (int y = 0; y < kLines; ++y) {
    row[x] = path;
    __syncthreads();
    const int west = row[max(x - 1, 0)], east = row[min(x + 1, kWidth - 1)];
    path = max(path, max(west, east)) + picture[(blockIdx.x * kLines + y) * kWidth + x];
    __syncthreads();
  }
  out[work_item()] = path;
}

__global__ __launch_bounds__(64) void follow(const float* __restrict__ seen,
                                             float* __restrict__ out) {
  float place = seen[work_item()], speed = 0, sure = 4;
#pragma unroll 1
  for (int k = 1; k < 40; ++k) {
    const float gain = sure / (sure + 2), miss = seen[k * kOthers + work_item()] - place - speed;
    place += speed + gain * miss;
    speed += 0.25f * gain * miss;
    sure = (1 - gain) * sure + 0.5f;
  }
  out[work_item()] = place;
}

__global__ __launch_bounds__(128) void locate(const int* __restrict__ map, int* __restrict__ out) {
  int place = work_item(), likely = 0;
#pragma unroll 1
  for (int k = 0; k < 32; ++k) {
    place = map[place];
    likely += place & 255;
  }
  out[work_item()] = likely;
}

__global__ __launch_bounds__(152) void tyres(const float* __restrict__ speeds,
                                             float* __restrict__ out) {
  float grip = 1, slip = speeds[work_item()] * 0.015625f;
#pragma unroll 1
  for (int k = 0; k < 160; ++k) {
    grip += 0.03125f * (1 / (1 + slip * slip) - grip);
    slip += 0.0625f * (grip - slip);
  }
  out[work_item()] = 100 * grip + slip;
}

double b(int variant) {
  float *heights = mixed<float>(kPoints, 32), *seen = mixed<float>(40 * kOthers, 64);
  float *speeds = mixed<float>(512, 100), *out = filled<float>(kPoints + kOthers + kRevolutions, 0);
  auto* picture = mixed<unsigned char>(4 * kLines * kWidth, 256);
  int *map = mixed<int>(768, kPlaces), *found = filled<int>(4 * kWidth + kPlaces, 0);
  hipStream_t streams[5];
  for (auto& stream : streams) HIP_CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  const auto on = [&](int job) { return streams[variant ? job : 0]; };
  HIP_CHECK(hipDeviceSynchronize());
  for (int time = 0; time < 3; ++time) {
    ground<<<kPoints / 256, 256, 0, on(0)>>>(heights, out);
    lanes<<<4, kWidth, 0, on(1)>>>(picture, found);
    follow<<<kOthers / 64, 64, 0, on(2)>>>(seen, out + kPoints);
    locate<<<kPlaces / 128, 128, 0, on(3)>>>(map, found + 4 * kWidth);
    tyres<<<kRevolutions / 152, 152, 0, on(4)>>>(speeds, out + kPoints + kOthers);
    HIP_CHECK(hipDeviceSynchronize());
  }
  return total(out, kPoints + kOthers + kRevolutions) + total(found, 4 * kWidth + kPlaces);
}

// c: outlines of 304 leaves at 512 places each, from 32 waves that go around them.
constexpr int kLeaves = 304, kAround = 512, kWaves = 32;

template <int kVariant>
__global__ __launch_bounds__(256) void outline(const float4* __restrict__ leaves,
                                               const float* __restrict__ places,
                                               float* __restrict__ out) {
  const float place = places[blockIdx.y * 256 + threadIdx.x] * 0.0009765625f;
  const float4* own = leaves + blockIdx.x * kWaves;
  float x = 0, y = 0, cosine = 1, sine = 0;
  const float turn_c = kVariant ? cosf(place) : 0, turn_s = kVariant ? sinf(place) : 0;
#pragma unroll 2
  for (int k = 0; k < kWaves; ++k) {
    if (kVariant) {
      const float next = cosine * turn_c - sine * turn_s;
      sine = cosine * turn_s + sine * turn_c;
      cosine = next;
    } else {
      sine = sinf((k + 1) * place);
      cosine = cosf((k + 1) * place);
    }
    x += own[k].x * cosine + own[k].y * sine;
    y += own[k].z * cosine + own[k].w * sine;
  }
  out[blockIdx.x * kAround + blockIdx.y * 256 + threadIdx.x] = sqrtf(x * x + y * y);
}

double c(int variant) {
  auto* leaves = reinterpret_cast<float4*>(mixed<float>(4 * kLeaves * kWaves, 16));
  float *places = mixed<float>(kAround, 6434), *out = filled<float>(kLeaves * kAround, 0);
  const dim3 grid(kLeaves, kAround / 256);
  VARIANT(variant, outline, <<<grid, 256>>>(leaves, places, out));
  return total(out, kLeaves * kAround);
}

// d: sound of 4864 voices that goes through an equalizer of 24 bands, 16 samples at a time.
constexpr int kVoices = 4864, kBands = 24, kSamples = 16;

struct Band {
  float now, before, back, further;
};

__device__ void filter(const Band& band, float* samples) {
  float in_1 = 0, in_2 = 0, out_1 = 0, out_2 = 0;
#pragma unroll
  for (int k = 0; k < kSamples; ++k) {
    const float in = samples[k], ahead = band.now * in + band.before * in_1 + 0.125f * in_2;
    const float out = ahead - band.back * out_1 - band.further * out_2;
    in_2 = in_1;
    in_1 = in;
    out_2 = out_1;
    out_1 = samples[k] = out;
  }
}

__global__ __launch_bounds__(64) void equalize(const Band* __restrict__ bands, int count,
                                               float* __restrict__ sound) {
  float samples[kSamples];
#pragma unroll
  for (int k = 0; k < kSamples; ++k) samples[k] = sound[k * kVoices + work_item()];
  for (int band = 0; band < count; ++band) filter(bands[band], samples);
#pragma unroll
  for (int k = 0; k < kSamples; ++k) sound[k * kVoices + work_item()] = samples[k];
}

double d(int variant) {
  float* sound = mixed<float>(kVoices * kSamples, 256);
  Band known[kBands];
  for (int k = 0; k < kBands; ++k) known[k] = {1, 0.25f, 0.125f + 0.015625f * k, 0.0625f};
  auto* bands = filled<Band>(kBands, 0);
  HIP_CHECK(hipMemcpy(bands, known, sizeof(known), hipMemcpyHostToDevice));
  HIP_CHECK(hipDeviceSynchronize());
  const int each = variant ? kBands : 1;
  for (int band = 0; band < kBands; band += each)
    equalize<<<kVoices / 64, 64>>>(bands + band, each, sound);
  return total(sound, kVoices * kSamples);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
