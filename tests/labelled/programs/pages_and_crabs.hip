#include "data.h"

// a: how often 2432 pages are come to in the long run, by 64 links to each: 16 rounds, in which
// numbers are made half as large until the largest of the round before is below 65536.
constexpr int kPages = 2432, kLinks = 64, kRounds = 16, kAtOnce = 16;

__host__ __device__ inline int halvings(unsigned most) {
  return most < 65536 ? 0 : 16 - __builtin_clz(most);
}

__device__ void come(const int* __restrict__ links, const unsigned* __restrict__ often, int times,
                     unsigned* __restrict__ next, unsigned* __restrict__ most) {
  __shared__ unsigned largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  const int page = work_item() / kLinks, lane = threadIdx.x % kLinks;
  unsigned sum = often[links[page * kLinks + lane]] >> times;
  for (int k = 32; k > 0; k /= 2) sum += __shfl_xor(sum, k);
  if (lane == 0) {
    next[page] = sum + 1;
    atomicMax(&largest, sum + 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(most, largest);
}

__global__ __launch_bounds__(kAtOnce* kLinks) void follow(const int* __restrict__ links,
                                                          const unsigned* __restrict__ often,
                                                          int times, unsigned* __restrict__ next,
                                                          unsigned* __restrict__ most) {
  come(links, often, times, next, most);
}

// The largest of this round is written behind that of the round before.
__global__ __launch_bounds__(kAtOnce* kLinks) void follow_on(const int* __restrict__ links,
                                                             const unsigned* __restrict__ often,
                                                             unsigned* __restrict__ next,
                                                             unsigned* most) {
  come(links, often, halvings(*most), next, most + 1);
}

double a(int variant) {
  int* links = mixed<int>(kPages * kLinks, kPages);
  unsigned *often = filled<unsigned>(kPages, 1), *next = filled<unsigned>(kPages, 0);
  unsigned *most = filled<unsigned>(kRounds + 1, 0), largest = 0;
  const int groups = kPages / kAtOnce, team = kAtOnce * kLinks;
  for (int round = 0; round < kRounds; ++round) {
    if (variant) {
      follow_on<<<groups, team>>>(links, often, next, most + round);
    } else {
      follow<<<groups, team>>>(links, often, halvings(largest), next, most + round + 1);
      HIP_CHECK(hipMemcpy(&largest, most + round + 1, sizeof(largest), hipMemcpyDeviceToHost));
    }
    std::swap(often, next);
  }
  HIP_CHECK(hipDeviceSynchronize());
  return total(often, kPages);
}

// b: 256 telephones on one frequency, in 1216 moments: what each of them was sent stands in 160
// values that all hear, to be turned by the code of the telephone, and comes three times, as the
// walls are far.
constexpr int kCalls = 1216, kPhones = 256, kChips = 160, kWalls = 3, kEcho = 12;
constexpr int kHeld = kChips + kWalls * kEcho;

template <int kVariant>
__global__ __launch_bounds__(kPhones) void telephone(const int* __restrict__ heard,
                                                     const unsigned* __restrict__ codes,
                                                     int* __restrict__ out) {
  extern __shared__ int room[];
  int *chips = room, *sums = room + kHeld + threadIdx.x, own[kWalls] = {};
  unsigned code = codes[threadIdx.x];
  if (threadIdx.x < kHeld) chips[threadIdx.x] = heard[blockIdx.x * kHeld + threadIdx.x];
  for (int wall = 0; wall < kWalls; ++wall) sums[wall * kPhones] = 0;
  __syncthreads();
#pragma unroll 8
  for (int k = 0; k < kChips; ++k) {
    const int turn = code & 1 ? -1 : 1;
    code = code << 31 | code >> 1;
#pragma unroll
    for (int wall = 0; wall < kWalls; ++wall) {
      int& sum = kVariant ? own[wall] : sums[wall * kPhones];
      sum += __mul24(chips[k + wall * kEcho], turn);
    }
  }
  int most = 0;
  for (int wall = 0; wall < kWalls; ++wall)
    most = max(most, kVariant ? own[wall] : sums[wall * kPhones]);
  out[blockIdx.x * kPhones + threadIdx.x] = most;
}

double b(int variant) {
  constexpr int kAll = kCalls * kPhones, kRoom = (kHeld + kWalls * kPhones) * sizeof(int);
  int *heard = mixed<int>(kCalls * kHeld, 1000), *out = filled<int>(kAll, 0);
  auto* codes = mixed<unsigned>(kPhones, 1u << 31);
  VARIANT(variant, telephone, <<<kCalls, kPhones, kRoom>>>(heard, codes, out));
  return total(out, kAll);
}

// c: how alike 128 poems and 128 songs are, by how often each of 4096 words is in both: tiles of 32
// by 32 of them, 32 words at a time.
constexpr int kPoems = 128, kWords = 4096, kTile = 32, kParts = 32;

__global__ __launch_bounds__(256) void alike(const short* __restrict__ poems,
                                             const short* __restrict__ songs, int words,
                                             int* __restrict__ out) {
  __shared__ int left[kTile][kTile + 1], right[kTile][kTile + 1];
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile, first = blockIdx.z * words;
  const int poem = blockIdx.x * kTile, song = blockIdx.y * kTile;
  int sums[4] = {};
  for (int word = first; word < first + words; word += kTile) {
    for (int k = y; k < kTile; k += 8) {
      left[k][x] = poems[(poem + k) * kWords + word + x];
      right[k][x] = songs[(song + k) * kWords + word + x];
    }
    __syncthreads();
#pragma unroll 8
    for (int w = 0; w < kTile; ++w)
      for (int k = 0; k < 4; ++k) sums[k] += __mul24(left[y + k * 8][w], right[x][w]);
    __syncthreads();
  }
  for (int k = 0; k < 4; ++k) atomicAdd(out + (poem + y + k * 8) * kPoems + song + x, sums[k]);
}

double c(int variant) {
  auto *poems = mixed<short>(kPoems * kWords, 9), *songs = mixed<short>(kPoems * kWords, 7);
  int* out = filled<int>(kPoems * kPoems, 0);
  const int parts = variant ? kParts : 1;
  const dim3 grid(kPoems / kTile, kPoems / kTile, parts);
  alike<<<grid, 256>>>(poems, songs, kWords / parts, out);
  return total(out, kPoems * kPoems);
}

// d: 12 joints of each of 12160 crabs: where they are after 40 frames, each drawn by the joint
// before it and by its own joint of the frame before.
constexpr int kCrabs = 12160, kJoints = 12, kFrames = 40;

template <int kVariant>
__global__ __launch_bounds__(64) void grasp(const float* __restrict__ joints,
                                            float* __restrict__ out) {
  constexpr int kOf = kVariant ? 5 : 1;
  const int crab = blockIdx.x * kOf + threadIdx.x / kJoints, joint = threadIdx.x % kJoints;
  if (static_cast<int>(threadIdx.x) >= kOf * kJoints) return;
  const int own = crab * kJoints + joint, parent = threadIdx.x - (joint % 4 == 0 ? joint : 1);
  float x = joints[own], y = joints[own + kCrabs * kJoints];
#pragma unroll 4
  for (int frame = 0; frame < kFrames; ++frame) {
    const float px = __shfl(x, parent), py = __shfl(y, parent);
    const float dx = x - px, dy = y - py, far = 1 + fabsf(dx) + fabsf(dy);
    const float pull = 0.25f - 0.0625f * __builtin_amdgcn_rcpf(far);
    const float turn = pull * pull + 0.5f, back = 1 - turn * 0.25f;
    x = px + dx * back + dy * pull * 0.125f;
    y = py + dy * back - dx * pull * 0.125f;
  }
  out[own] = x;
  out[own + kCrabs * kJoints] = y;
}

double d(int variant) {
  constexpr int kAll = kCrabs * kJoints * 2;
  float *joints = mixed<float>(kAll, 64), *out = filled<float>(kAll, 0);
  if (variant) grasp<1><<<kCrabs / 5, 64>>>(joints, out);
  else grasp<0><<<kCrabs, kJoints>>>(joints, out);
  return total(out, kAll);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
