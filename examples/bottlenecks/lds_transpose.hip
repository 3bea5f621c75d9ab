// lds_transpose: every workgroup transposes a tile of 32 x 32 in shared memory, several times.
// Lesson: the lanes that read a column all hit one of the 32 banks and take turns. A row of 33
// instead of 32 elements cures it.
#include "example.h"

constexpr int kTile = 32, kRows = 8, kTiles = 1216, kRounds = 9;

__global__ void transpose(float* tiles) {
  __shared__ float tile[kTile][kTile];
  float mine[kTile / kRows];
  float* here = tiles + blockIdx.x * kTile * kTile;
  const int x = threadIdx.x, y = threadIdx.y;
  for (int i = 0; i < kTile / kRows; ++i) mine[i] = (y + i * kRows) * kTile + x;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kTile / kRows; ++i) tile[y + i * kRows][x] = mine[i];
    __syncthreads();
    for (int i = 0; i < kTile / kRows; ++i) mine[i] = tile[x][y + i * kRows];
    __syncthreads();
  }
  for (int i = 0; i < kTile / kRows; ++i) here[(y + i * kRows) * kTile + x] = mine[i];
}

int main() {
  float* tiles = device_array<float>(kTiles * kTile * kTile);
  transpose<<<kTiles, dim3(kTile, kRows)>>>(tiles);
  const auto result = sample(tiles, kTile * kTile);
  int wrong = 0;
  for (int y = 0; y < kTile; ++y)  // an odd number of times
    for (int x = 0; x < kTile; ++x) wrong += result[y * kTile + x] != x * kTile + y;
  HIP_CHECK(hipFree(tiles));
  return report("lds_transpose", wrong);
}
