#include "data.h"

// a: haze taken out of a picture of 1024 x 1024, each pixel by what is above and below it.
constexpr int kAcross = 1024, kDown = 1024, kPixels = kAcross * kDown;

__global__ __launch_bounds__(256) void clear(const float* __restrict__ picture,
                                             float* __restrict__ out) {
  for (int i = work_item(); i < kPixels; i += gridDim.x * 256) {
    float haze = 1024, light = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
      const float pixel = picture[i + k * kAcross];
      haze = fminf(haze, pixel);
      light += pixel;
    }
    const float own = picture[i + 4 * kAcross];
    out[i] = (own - 0.5f * haze) / (light - haze + 1) * 64;
  }
}

double a(int variant) {
  float* picture = mixed<float>(kPixels + 8 * kAcross, 256);
  float* out = filled<float>(kPixels, 0);
  clear<<<variant ? kPixels / 256 : 60, 256>>>(picture, out);
  return total(out, kPixels);
}

// b: six steps of waves on a lake of 2048 x 2048 places.
constexpr int kLakeX = 2048, kLakeY = 2048, kLake = kLakeX * kLakeY, kSteps = 6;

__global__ __launch_bounds__(256) void ripple(const float* __restrict__ now,
                                              float* __restrict__ then) {
  const int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
  const int west = (x + kLakeX - 1) % kLakeX, east = (x + 1) % kLakeX;
  const int north = (y + kLakeY - 1) % kLakeY, south = (y + 1) % kLakeY;
  const float* row = now + y * kLakeX;
  const float around = row[west] + row[east] + now[north * kLakeX + x] + now[south * kLakeX + x];
  then[y * kLakeX + x] = 0.5f * row[x] + 0.125f * around;
}

double b(int variant) {
  float *now = mixed<float>(kLake, 64), *then = filled<float>(kLake, 0);
  HIP_CHECK(hipDeviceSynchronize());
  for (int step = 0; step < kSteps; ++step) {
    ripple<<<dim3(kLakeX / 256, kLakeY), 256>>>(now, then);
    if (variant) std::swap(now, then);
    else HIP_CHECK(hipMemcpyAsync(now, then, sizeof(float) * kLake, hipMemcpyDeviceToDevice));
  }
  return total(now, kLake);
}

// c: 9728 messages of 160 signs that came over a noisy line; of the 64 states that the sender may
// be in, each keeps the likelier of the two before it.
constexpr int kMessages = 9728, kSigns = 160, kStates = 64, kTogether = 16;

template <int kVariant>
__device__ void meet() {
  if (kVariant) {  // a wave has all states of its message
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
  } else {
    __syncthreads();
  }
}

template <int kVariant>
__global__ __launch_bounds__(kTogether * kStates) void decode(const int* __restrict__ signs,
                                                              int* __restrict__ out) {
  __shared__ int costs[kTogether][kStates];
  const int state = threadIdx.x % kStates, message = threadIdx.x / kStates;
  const int parity = __popc(state & 0x2d) & 1, other = __popc(state & 0x39) & 1;
  int cost = state ? 1000 : 0, odd = 0;
#pragma unroll 1
  for (int from = 0; from < kSigns; from += kStates) {
    const int sign = signs[(blockIdx.x * kTogether + message) * kStates * 3 + from + state];
#pragma unroll 1
    for (int k = 0; k < min(kStates, kSigns - from); ++k) {
      costs[message][state] = cost;
      meet<kVariant>();
      const int came = __builtin_amdgcn_readlane(sign, k);
      const int one = costs[message][state / 2] + (parity ? came & 7 : 7 - (came & 7));
      const int two = costs[message][state / 2 + 32] + (other ? came >> 3 : 7 - (came >> 3));
      cost = min(one, two);
      odd += two < one;
      meet<kVariant>();
    }
  }
  out[work_item()] = cost + odd;
}

double c(int variant) {
  int* signs = mixed<int>(kMessages * kStates * 3, 64);
  int* out = filled<int>(kMessages * kStates, 0);
  VARIANT(variant, decode, <<<kMessages / kTogether, kTogether * kStates>>>(signs, out));
  return total(out, kMessages * kStates);
}

// d: the shortest ways between 1024 and 1216 towns by way of one of 256 bridges.
constexpr int kHere = 1024, kThere = 1216, kBridges = 256, kTile = 32;

template <int kDeep, int kWide>
__global__ __launch_bounds__(1024 / kDeep / kWide) void shortest(const int* __restrict__ here,
                                                                 const int* __restrict__ there,
                                                                 int* __restrict__ out) {
  constexpr int kItems = kTile * kTile / kDeep / kWide, kPerRow = kTile / kWide;
  __shared__ __attribute__((aligned(16))) int to[kTile][kTile], from[kTile][kTile];
  const int t = threadIdx.x, row = t / kPerRow * kDeep, column = t % kPerRow * kWide;
  const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  int best[kDeep][kWide];
#pragma unroll
  for (auto& line : best)
#pragma unroll
    for (int& value : line) value = 1 << 30;
#pragma unroll 1
  for (int first = 0; first < kBridges; first += kTile) {
#pragma unroll
    for (int k = 0; k < kTile * kTile / kItems; ++k) {
      const int bridge = (k * kItems + t) / kTile, town = t % kTile;
      to[bridge][town] = here[(first + bridge) * kHere + row0 + town];
      from[bridge][town] = there[(first + bridge) * kThere + column0 + town];
    }
    __syncthreads();
#pragma unroll 1
    for (int piece = 0; piece < kTile; piece += 4)
#pragma unroll
      for (int k = piece; k < piece + 4; ++k)
#pragma unroll
        for (int i = 0; i < kDeep; ++i)
#pragma unroll
          for (int j = 0; j < kWide; ++j)
            best[i][j] = min(best[i][j], to[k][row + i] + from[k][column + j]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kDeep; ++i)
#pragma unroll
    for (int j = 0; j < kWide; ++j)
      out[(row0 + row + i) * kThere + column0 + column + j] = best[i][j];
}

double d(int variant) {
  int *here = mixed<int>(kBridges * kHere, 4096), *there = mixed<int>(kBridges * kThere, 4093);
  int* out = filled<int>(kHere * kThere, 0);
  const dim3 grid(kThere / kTile, kHere / kTile);
  if (variant) shortest<4, 2><<<grid, 128>>>(here, there, out);
  else shortest<1, 1><<<grid, 1024>>>(here, there, out);
  return total(out, kHere * kThere);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
