#include "data.h"

// a: where the stars of 32 frames lie on the whole, which steers a satellite; frame by frame.
constexpr int kFrames = 32, kParts = 64, kPart = 2048;

__global__ __launch_bounds__(256) void find(const int* __restrict__ frame, int* __restrict__ out) {
  __shared__ int parts[4];
  int sum = 0;
#pragma unroll
  for (int k = 0; k < kPart; k += 256) {
    const int i = blockIdx.x * kPart + k + threadIdx.x, pixel = frame[i];
    sum += pixel > 240 ? (i & 255) * (pixel - 240) : 0;
  }
  for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  if (threadIdx.x % 64 == 0) parts[threadIdx.x / 64] = sum;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
}

double middle_of(const int* parts) { return std::accumulate(parts, parts + kParts, 0.0); }

double a(int variant) {
  int *frames = mixed<int>(kParts * kPart + kFrames * 256, 256), *host = nullptr;
  int* found = filled<int>(kFrames * kParts, 0);
  HIP_CHECK(hipHostMalloc(&host, sizeof(int) * kFrames * kParts));
  HIP_CHECK(hipDeviceSynchronize());
  double sum = 0;
  for (int k = 0; k < kFrames; ++k) {
    const int at = k * kParts;
    find<<<kParts, 256>>>(frames + k * 256, found + at);
    HIP_CHECK(hipMemcpyAsync(host + at, found + at, sizeof(int) * kParts, hipMemcpyDeviceToHost));
    if (variant) continue;
    HIP_CHECK(hipStreamSynchronize(nullptr));
    sum += middle_of(host + at);
  }
  HIP_CHECK(hipDeviceSynchronize());
  for (int k = 0; variant && k < kFrames; ++k) sum += middle_of(host + k * kParts);
  return sum;
}

// b: whether packets of 128 bytes came unharmed: a cyclic check of each.
constexpr int kPackets = 304 * 1024, kWords = 32;
constexpr unsigned kPolynomial = 0xedb88320u;

__device__ unsigned shifted(unsigned check, int bits) {
#pragma unroll
  for (int bit = 0; bit < bits; ++bit) check = check >> 1 ^ (check & 1 ? kPolynomial : 0);
  return check;
}

__global__ __launch_bounds__(256) void check_bits(const unsigned* __restrict__ words,
                                                  unsigned* __restrict__ out) {
  unsigned check = ~0u;
#pragma unroll 1
  for (int k = 0; k < kWords; ++k) {
    check ^= words[k * kPackets + work_item()];
    check = shifted(check, 32);
  }
  out[work_item()] = ~check >> 8;
}

__global__ __launch_bounds__(256) void check_bytes(const unsigned* __restrict__ words,
                                                   unsigned* __restrict__ out) {
  __shared__ unsigned tables[4][256];
  unsigned check = shifted(threadIdx.x, 8);
#pragma unroll
  for (int k = 3; k >= 0; --k) {
    tables[k][threadIdx.x] = check;
    check = shifted(check, 8);
  }
  __syncthreads();
  check = ~0u;
#pragma unroll 2
  for (int k = 0; k < kWords; ++k) {
    check ^= words[k * kPackets + work_item()];
    check = tables[0][check & 255] ^ tables[1][check >> 8 & 255] ^ tables[2][check >> 16 & 255] ^
            tables[3][check >> 24];
  }
  out[work_item()] = ~check >> 8;
}

double b(int variant) {
  auto* words = mixed<unsigned>(kPackets * kWords, 4294967291u);
  auto* out = filled<unsigned>(kPackets, 0);
  if (variant) check_bytes<<<kPackets / 256, 256>>>(words, out);
  else check_bits<<<kPackets / 256, 256>>>(words, out);
  return total(out, kPackets);
}

// c: the cheapest way from top to bottom through each of 2432 strips of a picture, 256 wide and 60
// high, one pixel to the side at most from row to row.
constexpr int kStrips = 2432, kWide = 256, kHigh = 60;

__device__ int cheapest(const int* row) {
  const int x = threadIdx.x;
  return min(row[x], min(row[max(x - 1, 0)], row[min(x + 1, kWide - 1)]));
}

__global__ __launch_bounds__(kWide) void cut(const int* __restrict__ picture,
                                             int* __restrict__ out) {
  __shared__ int costs[kHigh][kWide];
  const int* strip = picture + blockIdx.x * kHigh * kWide;
#pragma unroll 10
  for (int y = 0; y < kHigh; ++y) costs[y][threadIdx.x] = strip[y * kWide + threadIdx.x];
  __syncthreads();
#pragma unroll 1
  for (int y = 1; y < kHigh; ++y) {
    costs[y][threadIdx.x] += cheapest(costs[y - 1]);
    __syncthreads();
  }
  out[work_item()] = costs[kHigh - 1][threadIdx.x];
}

__global__ __launch_bounds__(kWide) void cut_two_rows(const int* __restrict__ picture,
                                                      int* __restrict__ out) {
  __shared__ int costs[2][kWide];
  const int* strip = picture + blockIdx.x * kHigh * kWide;
  int own = strip[threadIdx.x];
#pragma unroll 10
  for (int y = 1; y < kHigh; ++y) {
    const int cost = strip[y * kWide + threadIdx.x];
    costs[y & 1][threadIdx.x] = own;
    __syncthreads();
    own = cost + cheapest(costs[y & 1]);
  }
  out[work_item()] = own;
}

double c(int variant) {
  int* picture = mixed<int>(kStrips * kHigh * kWide, 256);
  int* out = filled<int>(kStrips * kWide, 0);
  if (variant) cut_two_rows<<<kStrips, kWide>>>(picture, out);
  else cut<<<kStrips, kWide>>>(picture, out);
  return total(out, kStrips * kWide);
}

// d: 160 overtones of each tone; how loud they are is found along a chain of 64 modules.
constexpr int kTones = 304 * 2048, kOvertones = 160, kModules = 1 << 14, kChain = 64;

__global__ void prepare_modules(int* modules) {
  const int i = work_item();
  modules[i] = hashed(i / 64 + 9) % kModules | hashed(i) << 16;
}

__device__ float loudness(const int* __restrict__ modules) {
  int module = work_item() / 64 % kModules, seen = 0;
#pragma unroll 1
  for (int k = 0; k < kChain; ++k) {
    const int found = modules[module * 64 + threadIdx.x % 64];
    module = found & (kModules - 1);
    seen = seen * 3 + (found >> 16);
  }
  return (seen & 255) * 0.00390625f;
}

__global__ __launch_bounds__(256) void sound(const int* __restrict__ modules,
                                             const float* __restrict__ parts,
                                             float* __restrict__ out) {
  float own[kOvertones], sum = 0;
  const float* from = parts + work_item() % 4096;
#pragma unroll
  for (int k = 0; k < kOvertones; ++k) own[k] = from[k * 64];
  const float loud = loudness(modules);
#pragma unroll
  for (int k = 0; k < kOvertones; ++k) sum += fminf(own[k] * loud, 48);
  out[work_item()] = sum;
}

__global__ __launch_bounds__(256) void sound_late(const int* __restrict__ modules,
                                                  const float* __restrict__ parts,
                                                  float* __restrict__ out) {
  const float loud = loudness(modules);
  const float* from = parts + work_item() % 4096;
  float sum = 0;
#pragma unroll 8
  for (int k = 0; k < kOvertones; ++k) sum += fminf(from[k * 64] * loud, 48);
  out[work_item()] = sum;
}

double d(int variant) {
  int* modules = filled<int>(kModules * 64, 0);
  prepare_modules<<<kModules * 64 / 256, 256>>>(modules);
  float* parts = mixed<float>(4096 + kOvertones * 64, 64);
  float* out = filled<float>(kTones, 0);
  if (variant) sound_late<<<kTones / 256, 256>>>(modules, parts, out);
  else sound<<<kTones / 256, 256>>>(modules, parts, out);
  return total(out, kTones);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
