#include "data.h"

// a: where 311296 ships are, by landmarks that are looked up in a book of six chapters, 12 times;
// how sure each of 12 numbers is, and what two of them have to do with each other, is kept.
constexpr int kShips = 304 * 1024, kNumbers = 12, kSightings = 12, kChapters = 6;
constexpr int kLeaves = 1 << 13;

__global__ void prepare_leaves(int* leaves) {
  const int i = work_item();
  leaves[i] = hashed(i / 64 + 7) % kLeaves | (hashed(i) & 63) << 16;
}

__device__ int look_up(const int* __restrict__ leaves, int& leaf) {
  int found = 0;
#pragma unroll 1
  for (int k = 0; k < kChapters; ++k) {
    found = leaves[leaf * 64 + threadIdx.x % 64];
    leaf = found & (kLeaves - 1);
  }
  return found >> 16;
}

// All of a matrix whose halves are alike, or the lower one.
template <int kVariant>
struct Sureness {
  float values[kVariant ? kNumbers * (kNumbers + 1) / 2 : kNumbers * kNumbers];
  __device__ float& at(int i, int j) {
    return values[!kVariant ? i * kNumbers + j : i < j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j];
  }
};

template <int kVariant>
__global__ __launch_bounds__(256) void locate(const int* __restrict__ leaves,
                                              const float* __restrict__ start,
                                              float* __restrict__ out) {
  Sureness<kVariant> sure;
  const int from = work_item() % 4096;
  float where = 0;
#pragma unroll
  for (int i = 0; i < kNumbers; ++i)
#pragma unroll
    for (int j = 0; j < (kVariant ? i + 1 : kNumbers); ++j)
      sure.at(i, j) =
          start[(i < j ? j * kNumbers + i : i * kNumbers + j) * 4096 + from] + (i == j ? 48 : 0);
  int leaf = work_item() / 64 % kLeaves;
#pragma unroll 1
  for (int time = 0; time < kSightings; ++time) {
    const float seen = look_up(leaves, leaf);
    float gain[kNumbers];
#pragma unroll
    for (int i = 0; i < kNumbers; ++i) gain[i] = sure.at(i, 0) + seen * 0.015625f * sure.at(i, 1);
    const float scale = 1 / (gain[0] + gain[1] + seen + 16);
    where += gain[2] * scale * (seen - where);
#pragma unroll
    for (int i = 0; i < kNumbers; ++i)
#pragma unroll
      for (int j = 0; j < (kVariant ? i + 1 : kNumbers); ++j)
        sure.at(i, j) -= scale * (gain[i] * gain[j]);
  }
#pragma unroll
  for (int i = 0; i < kNumbers; ++i)
#pragma unroll
    for (int j = 0; j < kNumbers; ++j) where += sure.at(i, j);
  out[work_item()] = where;
}

double a(int variant) {
  int* leaves = filled<int>(kLeaves * 64, 0);
  prepare_leaves<<<kLeaves * 64 / 256, 256>>>(leaves);
  float* start = mixed<float>(kNumbers * kNumbers * 4096, 4);
  float* out = filled<float>(kShips, 0);
  VARIANT(variant, locate, <<<kShips / 256, 256>>>(leaves, start, out));
  return total(out, kShips);
}

// b: how a membrane of 256 x 256 points hangs, by 16 steps of conjugate gradients; products of
// vectors are in 64 parts.
constexpr int kEdge = 256, kPoints = kEdge * kEdge, kSteps = 16, kParts = 64;

__device__ float over_wave(float value) {
#pragma unroll
  for (int step = 32; step > 0; step /= 2) value += __shfl_xor(value, step);
  return value;
}

float over_parts(const float* parts) {
  std::vector<float> values(parts, parts + kParts);
  for (int step = kParts / 2; step > 0; step /= 2)
    for (int k = 0; k < step; ++k) values[k] += values[k + step];
  return values[0];
}

// Of two products: from the host, or of their parts where the GPU left them.
struct Ratio {
  const float *upper, *lower;
  float value;
  __device__ float get() const {
    if (!upper) return value;
    return over_wave(upper[threadIdx.x % kParts]) / over_wave(lower[threadIdx.x % kParts]);
  }
};

__global__ __launch_bounds__(kEdge) void pull(const float* __restrict__ way,
                                              float* __restrict__ out) {
  const int x = threadIdx.x, y = blockIdx.x, i = y * kEdge + x;
  const float west = x ? way[i - 1] : 0, east = x < kEdge - 1 ? way[i + 1] : 0;
  const float north = y ? way[i - kEdge] : 0, south = y < kEdge - 1 ? way[i + kEdge] : 0;
  out[i] = 4.125f * way[i] - west - east - north - south;
}

__global__ __launch_bounds__(256) void multiply(const float* __restrict__ one,
                                                const float* __restrict__ two,
                                                float* __restrict__ parts) {
  __shared__ float waves[4];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kPoints; k += kParts * 256)
    sum += one[k + work_item()] * two[k + work_item()];
  sum = over_wave(sum);
  if (threadIdx.x % 64 == 0) waves[threadIdx.x / 64] = sum;
  __syncthreads();
  if (threadIdx.x == 0) parts[blockIdx.x] = waves[0] + waves[1] + waves[2] + waves[3];
}

__global__ __launch_bounds__(256) void advance(const float* __restrict__ way,
                                               const float* __restrict__ pulled, Ratio ratio,
                                               float* __restrict__ place,
                                               float* __restrict__ rest) {
  const float much = ratio.get();
  place[work_item()] += much * way[work_item()];
  rest[work_item()] -= much * pulled[work_item()];
}

__global__ __launch_bounds__(256) void turn(const float* __restrict__ rest, Ratio ratio,
                                            float* __restrict__ way) {
  way[work_item()] = rest[work_item()] + ratio.get() * way[work_item()];
}

Ratio ratio_of(const float* upper, const float* lower, int variant) {
  if (variant) return {upper, lower, 0};
  float one[kParts], two[kParts];
  HIP_CHECK(hipMemcpy(one, upper, sizeof(one), hipMemcpyDeviceToHost));
  HIP_CHECK(hipMemcpy(two, lower, sizeof(two), hipMemcpyDeviceToHost));
  return {nullptr, nullptr, over_parts(one) / over_parts(two)};
}

double b(int variant) {
  constexpr int kGroups = kPoints / 256;
  float *rest = mixed<float>(kPoints, 16), *way = mixed<float>(kPoints, 16);
  float *pulled = filled<float>(kPoints, 0), *place = filled<float>(kPoints, 0);
  float *now = filled<float>(kParts, 0), *then = filled<float>(kParts, 0);
  float* bent = filled<float>(kParts, 0);
  HIP_CHECK(hipDeviceSynchronize());
  multiply<<<kParts, 256>>>(rest, rest, now);
  for (int step = 0; step < kSteps; ++step) {
    pull<<<kEdge, kEdge>>>(way, pulled);
    multiply<<<kParts, 256>>>(way, pulled, bent);
    advance<<<kGroups, 256>>>(way, pulled, ratio_of(now, bent, variant), place, rest);
    multiply<<<kParts, 256>>>(rest, rest, then);
    turn<<<kGroups, 256>>>(rest, ratio_of(then, now, variant), way);
    std::swap(now, then);
  }
  return total(place, kPoints);
}

// c: the rest of 311296 equations with 32 unknowns each, and the greatest rest of each 64.
constexpr int kRows = 304 * 1024, kEntries = 32, kUnknowns = 65536;

struct Entry {
  int unknown;
  float factor;
};

template <int kVariant>
__host__ __device__ int entry_at(int row, int k) {
  return kVariant ? k * kRows + row : row * kEntries + k;
}

__global__ void prepare_rows(Entry* entries, int variant) {
  const int i = work_item(), row = i % kRows, k = i / kRows;
  const int away = static_cast<int>(hashed(i) % 512) + row;
  entries[variant ? entry_at<1>(row, k) : entry_at<0>(row, k)] = {
      away % kUnknowns, static_cast<float>(hashed(i + 9) % 16) - 8};
}

template <int kVariant>
__global__ __launch_bounds__(128) void put_in(const Entry* __restrict__ entries,
                                              const float* __restrict__ unknowns,
                                              const float* __restrict__ wanted,
                                              float* __restrict__ rest) {
  const int row = work_item();
  float sum = wanted[row];
#pragma unroll 4
  for (int k = 0; k < kEntries; ++k) {
    const Entry entry = entries[entry_at<kVariant>(row, k)];
    sum -= entry.factor * unknowns[entry.unknown];
  }
  rest[row] = fabsf(sum);
}

__global__ __launch_bounds__(64) void greatest(const float* __restrict__ rest,
                                               float* __restrict__ out) {
  float most = rest[work_item()];
  for (int step = 32; step > 0; step /= 2) most = fmaxf(most, __shfl_xor(most, step));
  if (threadIdx.x == 0) out[blockIdx.x] = most;
}

double c(int variant) {
  auto* entries = filled<Entry>(kRows * kEntries, 0);
  prepare_rows<<<kRows * kEntries / 256, 256>>>(entries, variant);
  float *unknowns = mixed<float>(kUnknowns, 64), *wanted = mixed<float>(kRows, 128);
  float *rest = filled<float>(kRows, 0), *out = filled<float>(kRows / 64, 0);
  VARIANT(variant, put_in, <<<kRows / 128, 128>>>(entries, unknowns, wanted, rest));
  greatest<<<kRows / 64, 64>>>(rest, out);
  return total(out, kRows / 64);
}

// d: which digits are left for the 81 cells of 6912 puzzles, after five rounds of looking at what
// stands in their rows, columns and boxes.
constexpr int kPuzzles = 6912, kSide = 9, kRounds = 5, kMostPuzzles = 3;

__global__ void look_around(const int* __restrict__ given, int* __restrict__ out) {
  __shared__ int cells[kMostPuzzles][kSide][kSide];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, box_x = x / 3 * 3, box_y = y / 3 * 3;
  const int at = ((blockIdx.x * blockDim.z + z) * kSide + y) * kSide + x;
  int left = given[at] % 4 ? 511 : 1 << given[at] % 9;
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    cells[z][y][x] = left;
    __syncthreads();
    int seen = 0, often = 0;
#pragma unroll
    for (int k = 0; k < kSide; ++k) {
      const int row = k == x ? 0 : cells[z][y][k], column = k == y ? 0 : cells[z][k][x];
      const int box_at =
          k / 3 + box_y == y && k % 3 + box_x == x ? 0 : cells[z][box_y + k / 3][box_x + k % 3];
      const int row_one = __popc(row) == 1 ? row : 0;
      const int column_one = __popc(column) == 1 ? column : 0;
      const int box_one = __popc(box_at) == 1 ? box_at : 0;
      often += __popc(row & column) + __popc(column & box_at);
      seen |= row_one | column_one | box_one;
    }
    __syncthreads();
    const int rest = left & ~seen;
    left = rest && often & 3 ? rest : rest | 1 << often % 9;
  }
  out[at] = left;
}

double d(int variant) {
  constexpr int kCells = kPuzzles * kSide * kSide;
  int *given = mixed<int>(kCells, 65521), *out = filled<int>(kCells, 0);
  const int puzzles = variant ? kMostPuzzles : 1;
  look_around<<<kPuzzles / puzzles, dim3(kSide, kSide, puzzles)>>>(given, out);
  return total(out, kCells);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
