#include "data.h"

// a: how many of 8191 wells lie within a box around each of 311296 houses. The wells stand in a
// tree that is split by turns from west to east and from south to north; a house remembers which
// branches it has yet to go down.
constexpr int kHouses = 4864 * 64, kWells = 8191, kLand = 1 << 16, kNear = 700;

__global__ void prepare_wells(int2* wells) {
  const int node = work_item() + 1;
  int low[2] = {0, 0}, high[2] = {kLand, kLand}, axis = 0;
  for (int bit = 30 - __clz(node); bit >= 0; --bit, axis ^= 1) {
    const int middle = (low[axis] + high[axis]) / 2;
    if (node >> bit & 1) low[axis] = middle;
    else high[axis] = middle;
  }
  int place[2];
  place[axis] = (low[axis] + high[axis]) / 2;
  place[1 - axis] = low[1 - axis] + hashed(node) % (high[1 - axis] - low[1 - axis]);
  wells[node] = make_int2(place[0], place[1]);
}

template <int kVariant>
__global__ __launch_bounds__(64) void wells_near(const int2* __restrict__ wells,
                                                 int* __restrict__ out) {
  constexpr int kStack = kVariant ? 16 : 64;
  __shared__ int stack[kStack][64];
  const int lane = threadIdx.x, spot = hashed(blockIdx.x);
  const int x = (spot & 255) * 256 + lane % 8 * 32, y = (spot >> 8 & 255) * 256 + lane / 8 * 32;
  int height = 0, count = 0;
  stack[height++][lane] = 1;
  while (height > 0) {
    const int node = stack[--height][lane];
    const int2 well = wells[node];
    const int east = well.x - x, north = well.y - y;
    count += abs(east) <= kNear && abs(north) <= kNear;
    if (node > kWells / 2) continue;
    const int across = (31 - __clz(node)) % 2 == 0 ? east : north;
    if (across >= -kNear) stack[height++][lane] = 2 * node;
    if (across <= kNear) stack[height++][lane] = 2 * node + 1;
  }
  out[work_item()] = count;
}

double a(int variant) {
  auto* wells = filled<int2>(kWells + 2, 0);
  prepare_wells<<<(kWells + 1) / 256, 256>>>(wells);
  int* out = filled<int>(kHouses, 0);
  VARIANT(variant, wells_near, <<<kHouses / 64, 64>>>(wells, out));
  return total(out, kHouses);
}

// b: 311296 ants on boards of 8 by 8 squares whose edges meet, 64 steps each: an ant turns right on
// white and left on black, gives its square the other colour and goes on; how much is black then?
constexpr int kAnts = 1216 * 256, kSteps = 64;

struct Ant {
  int x, y, way;
  __device__ void go(bool black) {
    way = way + (black ? 3 : 1) & 3;
    x = x + (way == 1) - (way == 3) & 7;
    y = y + (way == 2) - (way == 0) & 7;
  }
};

template <int kVariant>
__global__ __launch_bounds__(256) void ants(const unsigned* __restrict__ starts,
                                            int* __restrict__ out) {
  const unsigned start = starts[work_item()];
  Ant ant = {static_cast<int>(start & 7), static_cast<int>(start >> 3 & 7), 0};
  const int row = start >> 6 & 7;
  if (kVariant) {
    unsigned long long board = static_cast<unsigned long long>(start >> 9 & 255) << row * 8;
#pragma unroll 1
    for (int step = 0; step < kSteps; ++step) {
      const int square = ant.y * 8 + ant.x;
      const bool black = board >> square & 1;
      board ^= 1ull << square;
      ant.go(black);
    }
    out[work_item()] = __popcll(board);
  } else {
    bool board[64] = {};
    for (int k = 0; k < 8; ++k) board[row * 8 + k] = start >> (9 + k) & 1;
#pragma unroll 1
    for (int step = 0; step < kSteps; ++step) {
      bool& square = board[ant.y * 8 + ant.x];
      const bool black = square;
      square = !black;
      ant.go(black);
    }
    int count = 0;
    for (int k = 0; k < 64; ++k) count += board[k];
    out[work_item()] = count;
  }
}

double b(int variant) {
  auto* starts = mixed<unsigned>(kAnts, 1u << 31);
  int* out = filled<int>(kAnts, 0);
  VARIANT(variant, ants, <<<kAnts / 256, 256>>>(starts, out));
  return total(out, kAnts);
}

// c: 4194304 complex numbers brought into the order in which a transform begins, where the bits of
// the place stand in reverse.
constexpr int kBits = 22, kNumbers = 1 << kBits, kSide = 32;

__device__ inline int reversed(int place, int bits) { return __brev(place) >> (32 - bits); }

__device__ inline float2 mirrored(float2 number) { return make_float2(number.x, -number.y); }

__global__ __launch_bounds__(256) void reorder(const float2* __restrict__ in,
                                               float2* __restrict__ out) {
  const int i = blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 1024; k += 256) out[reversed(i + k, kBits)] = mirrored(in[i + k]);
}

__global__ __launch_bounds__(256) void reorder_tiles(const float2* __restrict__ in,
                                                     float2* __restrict__ out) {
  __shared__ float2 tile[kSide][kSide + 1];
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide, middle = blockIdx.x * kSide;
  const int rows = kNumbers / kSide, turned = reversed(blockIdx.x, kBits - 10) * kSide;
#pragma unroll
  for (int k = 0; k < kSide; k += 8)
    tile[reversed(y + k, 5)][x] = mirrored(in[(y + k) * rows + middle + x]);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kSide; k += 8) out[reversed(y + k, 5) * rows + turned + x] = tile[x][y + k];
}

double c(int variant) {
  auto* in = reinterpret_cast<float2*>(mixed<float>(2 * kNumbers, 1000));
  auto* out = filled<float2>(kNumbers, 0);
  if (variant) reorder_tiles<<<kNumbers / 1024, 256>>>(in, out);
  else reorder<<<kNumbers / 1024, 256>>>(in, out);
  return total(reinterpret_cast<const float*>(out), 32768);
}

// d: where each of 524288 letters of unlike length begins in a book: a running sum of lengths.
constexpr int kLetters = 1 << 19, kReaders = 1024, kPiece = 4 * kReaders;

// Of four lengths of each work-item of a workgroup; `before` is what came earlier.
__device__ int4 running(int4 own, int before, int& all) {
  __shared__ int waves[kReaders / 64];
  own.y += own.x;
  own.z += own.y;
  own.w += own.z;
  const int lane = threadIdx.x % 64, wave = threadIdx.x / 64;
  int sum = own.w;
#pragma unroll
  for (int k = 1; k < 64; k *= 2) {
    const int other = __shfl_up(sum, k);
    if (lane >= k) sum += other;
  }
  __syncthreads();
  if (lane == 63) waves[wave] = sum;
  __syncthreads();
  int start = before + sum - own.w;
  all = 0;
#pragma unroll
  for (int k = 0; k < kReaders / 64; ++k) {
    if (k < wave) start += waves[k];
    all += waves[k];
  }
  return make_int4(own.x + start, own.y + start, own.z + start, own.w + start);
}

__global__ __launch_bounds__(kReaders) void begin(const int4* __restrict__ lengths, int pieces,
                                                  const int* __restrict__ sums,
                                                  int4* __restrict__ out) {
  int before = 0, all = 0;
  if (sums)
    for (unsigned k = 0; k < blockIdx.x; ++k) before += sums[k];
  for (int piece = 0; piece < pieces; ++piece, before += all) {
    const int i = (blockIdx.x * pieces + piece) * kReaders + threadIdx.x;
    out[i] = running(lengths[i], before, all);
  }
}

__global__ __launch_bounds__(kReaders) void add_up(const int4* __restrict__ lengths,
                                                   int* __restrict__ sums) {
  int all = 0;
  running(lengths[work_item()], 0, all);
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

double d(int variant) {
  auto* lengths = reinterpret_cast<int4*>(mixed<int>(kLetters, 50));
  auto* out = filled<int4>(kLetters / 4, 0);
  int* sums = filled<int>(kLetters / kPiece, 0);
  if (variant) {
    add_up<<<kLetters / kPiece, kReaders>>>(lengths, sums);
    begin<<<kLetters / kPiece, kReaders>>>(lengths, 1, sums, out);
  } else {
    begin<<<1, kReaders>>>(lengths, kLetters / kPiece, nullptr, out);
  }
  return total(reinterpret_cast<const int*>(out), kLetters);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
