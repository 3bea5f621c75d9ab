#include "data.h"

// a: how wide the spots of light are that particles make in a picture of 1216 x 512; a place that is
// not bright, as seven of eight, is no spot.
constexpr int kPicture = 1216 * 512, kOfGroup = 1024, kRounds = 24;

__global__ void prepare_picture(float* picture) {
  const unsigned chance = hashed(work_item());
  picture[work_item()] = chance % 8 ? chance / 8 % 64 : 100 + chance / 8 % 100;
}

__device__ float width_of(const float* __restrict__ picture, int i) {
  const float peak = picture[i], side = picture[i ^ 1] + 1, next = picture[i ^ 64] + 1;
  float width = 1, tail = 0.5f;
#pragma unroll 1
  for (int k = 0; k < kRounds; ++k) {
    const float model = peak / (1 + width * tail), slope = peak / (1 + width * width);
    width += 0.125f * (model - side) / (slope + 8);
    tail += 0.0625f * (next - model * tail) / (model + peak);
  }
  return width + tail;
}

template <int kVariant>
__global__ __launch_bounds__(256) void widths(const float* __restrict__ picture,
                                              float* __restrict__ out) {
  __shared__ int bright[kOfGroup], count;
  const int first = blockIdx.x * kOfGroup;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < kOfGroup; i += 256) {
    const bool is = picture[first + i] >= 100;
    out[first + i] = 0;
    if (is && kVariant) bright[atomicAdd(&count, 1)] = i;
    if (is && !kVariant) out[first + i] = width_of(picture, first + i);
  }
  __syncthreads();
#pragma unroll 1
  for (int k = threadIdx.x; k < count; k += 256)
    out[first + bright[k]] = width_of(picture, first + bright[k]);
}

double a(int variant) {
  float *picture = filled<float>(kPicture, 0), *out = filled<float>(kPicture, 0);
  prepare_picture<<<kPicture / 256, 256>>>(picture);
  VARIANT(variant, widths, <<<kPicture / kOfGroup, 256>>>(picture, out));
  return total(out, kPicture);
}

// b: how many of the 32768 rooms of a cave 64 people find who look into a room each from where they
// are, and then all go where the first of them went, 40 times, in 4864 caves.
constexpr int kCaves = 4864, kRooms = 32768, kPlaces = 1024, kTimes = 40;

template <int kVariant>
__global__ __launch_bounds__(64) void explore(const unsigned short* __restrict__ doors,
                                              int* __restrict__ out) {
  __shared__ __attribute__((aligned(16))) unsigned found[kRooms / (kVariant ? 32 : 4)];
  constexpr int kWords = kRooms / (kVariant ? 32 : 4);
  auto* rooms = reinterpret_cast<unsigned char*>(found);
#pragma unroll 8
  for (int i = threadIdx.x; i < kWords / 4; i += 64)
    reinterpret_cast<uint4*>(found)[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  const unsigned short* own = doors + blockIdx.x % 16 * kPlaces * 64;
  int place = blockIdx.x % kPlaces;
#pragma unroll 1
  for (int k = 0; k < kTimes; ++k) {
    const int room = own[place * 64 + threadIdx.x];
    place = __builtin_amdgcn_readfirstlane(room) % kPlaces;
    if (kVariant) atomicOr(found + room / 32, 1u << room % 32);
    else rooms[room] = 1;
  }
  __syncthreads();
  int count = 0;
#pragma unroll 8
  for (int i = threadIdx.x; i < kWords; i += 64) count += __popc(found[i]);
  for (int step = 32; step > 0; step /= 2) count += __shfl_xor(count, step);
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}

double b(int variant) {
  auto* doors = mixed<unsigned short>(16 * kPlaces * 64, kRooms);
  int* out = filled<int>(kCaves, 0);
  VARIANT(variant, explore, <<<kCaves, 64>>>(doors, out));
  return total(out, kCaves);
}

// c: a slice of a body of 512 x 304 places, from the shadows that it threw in 64 directions on a
// line of 768 sensors.
constexpr int kSliceX = 512, kSliceY = 304, kTurns = 64, kSensors = 768;

__host__ __device__ int shadow_at(int variant, int turn, int sensor) {
  return variant ? turn * kSensors + sensor : sensor * kTurns + turn;
}

__global__ void prepare_shadows(int* shadows, int variant) {
  const int i = work_item();
  shadows[shadow_at(variant, i / kSensors, i % kSensors)] = hashed(i) % 4096;
}

template <int kVariant>
__global__ __launch_bounds__(256) void throw_back(const int* __restrict__ shadows,
                                                  const float2* __restrict__ turns,
                                                  int* __restrict__ out) {
  const int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
  int sum = 0;
#pragma unroll 8
  for (int k = 0; k < kTurns; ++k) {
    const float2 turn = turns[k];
    const float place = (x - kSliceX / 2) * turn.x + (y - kSliceY / 2) * turn.y;
    sum += shadows[shadow_at(kVariant, k, static_cast<int>(place) + kSensors / 2)];
  }
  out[y * kSliceX + x] = sum;
}

double c(int variant) {
  int *shadows = filled<int>(kTurns * kSensors, 0), *out = filled<int>(kSliceX * kSliceY, 0);
  prepare_shadows<<<kTurns * kSensors / 256, 256>>>(shadows, variant);
  float2 known[kTurns];
  for (int k = 0; k < kTurns; ++k) known[k] = {1 - k / 32.0f, 1 - abs(k - 32) / 32.0f};
  auto* turns = filled<float2>(kTurns, 0);
  HIP_CHECK(hipMemcpy(turns, known, sizeof(known), hipMemcpyHostToDevice));
  const dim3 grid(kSliceX / 256, kSliceY);
  if (variant) throw_back<1><<<grid, 256>>>(shadows, turns, out);
  else throw_back<0><<<grid, 256>>>(shadows, turns, out);
  return total(out, kSliceX * kSliceY);
}

// d: how far 155648 small planets are from the sun on six days; what they have gone since they
// were the nearest to it tells where on their ways they are.
constexpr int kPlanets = 304 * 512, kDays = 6, kGuesses = 4;

template <typename Real>
__global__ __launch_bounds__(256) void distances(const float* __restrict__ ways,
                                                 const float* __restrict__ gone,
                                                 int* __restrict__ out) {
  const Real flat = ways[work_item()] * Real(0.0009765625), far = 100 + gone[work_item()];
  int sum = 0;
#pragma unroll 1
  for (int day = 0; day < kDays; ++day) {
    const Real mean = (gone[work_item()] + day * 9) * Real(0.005);
    Real angle = mean;
#pragma unroll 1
    for (int k = 0; k < kGuesses; ++k) {
      angle -= (angle - flat * sin(angle) - mean) / (1 - flat * cos(angle));
    }
    sum += static_cast<int>(16 * far * (1 - flat * cos(angle)));
  }
  out[work_item()] = sum;
}

double d(int variant) {
  float *ways = mixed<float>(kPlanets, 700), *gone = mixed<float>(kPlanets, 1250);
  int* out = filled<int>(kPlanets, 0);
  if (variant) distances<float><<<kPlanets / 256, 256>>>(ways, gone, out);
  else distances<double><<<kPlanets / 256, 256>>>(ways, gone, out);
  return total(out, kPlanets);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
