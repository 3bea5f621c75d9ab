// More programs whose kernels are captured and replayed: shapes of grids, hidden arguments, and memory
// of many regions or mostly zeros. The first argument names one.
#include <map>
#include <string>

#include "case_support.h"

// --- A grid and workgroups of three dimensions, all of odd sizes -----------------------------------

__global__ void number_cells(int* cells) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  const int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  cells[(z * height + y) * width + x] += x * 10000 + y * 100 + z;
}

void grid_3d() {
  constexpr int kCells = 3 * 7 * 5 * 3 * 2 * 5;
  int* cells = device_memory<int>(kCells);
  CHECK(hipMemset(cells, 0, kCells * sizeof(int)));
  number_cells<<<dim3(3, 5, 2), dim3(7, 3, 5)>>>(cells);
  print("cells", cells, kCells);
}

// --- The shape of the launch, which kernels read from hidden arguments ------------------------------

__global__ void write_shape(unsigned* out) {
  if (threadIdx.x || threadIdx.y || threadIdx.z || blockIdx.x || blockIdx.y || blockIdx.z) return;
  const unsigned shape[] = {gridDim.x,  gridDim.y,  gridDim.z,
                            blockDim.x, blockDim.y, blockDim.z};
  for (int i = 0; i < 6; ++i) out[i] = shape[i];
}

void hidden_arguments() {
  unsigned* out = device_memory<unsigned>(6);
  CHECK(hipMemset(out, 0, 6 * sizeof(unsigned)));
  write_shape<<<dim3(11, 3, 2), dim3(16, 4, 1)>>>(out);
  print("out", out, 6);
}

// --- Variables of the code object that are used by name only ----------------------------------------

__device__ unsigned counted = 7;
__constant__ unsigned step = 3;

__global__ void count_up(unsigned* out) {
  if (threadIdx.x == 0) counted += step;
  __syncthreads();
  out[threadIdx.x] = counted + threadIdx.x;
}

void own_globals() {
  const unsigned other_step = 5;
  unsigned* out = device_memory<unsigned>(64);
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(step), &other_step, sizeof step));
  for (int round = 0; round < 3; ++round) count_up<<<1, 64>>>(out);
  print("out", out, 64);
}

// --- More than ten thousand regions -----------------------------------------------------------------

__global__ void increment_all(int** parts, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) parts[i][0] += i;
}

void many_regions() {
  constexpr int kCount = 10500;
  std::vector<int*> parts(kCount);
  for (int i = 0; i < kCount; ++i) {
    parts[i] = device_memory<int>(4);
    CHECK(hipMemcpy(parts[i], &i, sizeof i, hipMemcpyHostToDevice));
  }
  int** list = device_memory<int*>(kCount);
  CHECK(hipMemcpy(list, parts.data(), kCount * sizeof(int*), hipMemcpyHostToDevice));
  increment_all<<<(kCount + 255) / 256, 256>>>(list, kCount);
  print("last", parts.back(), 1);
}

// --- Memory that is mostly zeros --------------------------------------------------------------------

__global__ void touch_some(unsigned* data, size_t words, size_t stride) {
  const size_t at = (blockIdx.x * size_t{blockDim.x} + threadIdx.x) * stride;
  if (at < words) data[at] += 1 + threadIdx.x;
}

void mostly_zeros() {
  constexpr size_t kBytes = 256u << 20, kStride = 16u << 20;
  unsigned* data = device_memory<unsigned>(kBytes / 4);
  CHECK(hipMemset(data, 0, kBytes));
  CHECK(hipMemset(reinterpret_cast<char*>(data) + 5 * kStride, 1, 100000));
  touch_some<<<1, 64>>>(data, kBytes / 4, kStride / 4);
  CHECK(hipDeviceSynchronize());
}

// --- More than 32 bits can count ---------------------------------------------------------------------

void beyond_4_gib() {
  constexpr size_t kBytes = (4ull << 30) + (1u << 20), kStride = kBytes / 4 - 1024;
  unsigned* data = device_memory<unsigned>(kBytes / 4);
  touch_some<<<1, 64>>>(data, kBytes / 4, kStride);  // the first word, and one behind 4 GiB
  CHECK(hipDeviceSynchronize());
}

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> cases = {
      {"grid_3d", grid_3d},           {"hidden_arguments", hidden_arguments},
      {"own_globals", own_globals},   {"many_regions", many_regions},
      {"mostly_zeros", mostly_zeros}, {"beyond_4_gib", beyond_4_gib},
  };
  const auto found = cases.find(argc > 1 ? argv[1] : "");
  if (found == cases.end()) return 2;
  found->second();
  return 0;
}
