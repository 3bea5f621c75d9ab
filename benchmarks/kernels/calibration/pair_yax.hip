// y^T A x in the versions of AMD's performance exercises (rows by threads, columns in a loop), scaled:
// as many waves per CU as on the recorded MI300A, the first part of each row, and the same share of x
// kept near. Rows lie as far apart as they did: 256 KiB, and 512 KiB in the large matrix. Names are
// pair:version.
#include <sys/prctl.h>

#include "measure.h"

constexpr int kWaves = 304 * 9 / 4;    // 2.25 waves per CU
constexpr int kRows = kWaves * 64;
constexpr int kColumns = 1024;         // that are looked at
constexpr int kGroups = 2048;          // most find no row left, as in the exercise

constexpr size_t kPitch = 32768;       // elements from row to row, twice as many in the large matrix
using Size = unsigned long long;   // as in the exercise, where no length is known to the compiler

__device__ double row_sum(const double* a, const double* x, Size columns) {
  double sum = 0;
  for (Size j = 0; j < columns; ++j) sum += a[j] * x[j];
  return sum;
}

__global__ void yax_rows(const double* y, const double* a, const double* x, Size rows, Size columns,
                         Size pitch, double* result) {
  double sum = 0;
  for (Size i = blockDim.x * blockIdx.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x)
    sum += y[i] * row_sum(a + i * pitch, x, columns);
  unsafeAtomicAdd(result, sum);
}

// The transposed matrix: neighbouring threads read neighbouring doubles.
__global__ void yax_columns(const double* y, const double* a, const double* x, Size rows, Size columns,
                            Size, double* result) {
  double sum = 0;
  for (Size i = blockDim.x * blockIdx.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
    double row = 0;
    for (Size j = 0; j < columns; ++j) row += a[j * rows + i] * x[j];
    sum += y[i] * row;
  }
  unsafeAtomicAdd(result, sum);
}

// Keeps `held` elements of x in an LDS array of `size`, which may bound the waves of a CU.
template <int size, int held>
__global__ void yax_lds(const double* y, const double* a, const double* x, Size rows, Size columns,
                        Size pitch, double* result) {
  __shared__ double near[size];
  for (int i = threadIdx.x; i < held; i += blockDim.x) near[i] = x[i];
  __syncthreads();
  double sum = 0;
  for (Size i = blockDim.x * blockIdx.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
    const double* row = a + i * pitch;
    double part = 0;
    for (Size j = 0; j < columns; ++j) part += row[j] * (j < held ? near[j] : x[j]);
    sum += y[i] * part;
  }
  if (sum == -1) result[1] = near[size - 1];  // never: keeps the array at its size
  unsafeAtomicAdd(result, sum);
}

// `registers` keeps a wave's share of the register file as large as the exercise's first version.
template <bool many_registers>
__global__ __launch_bounds__(256) void yax_registers(const double* y, const double* a, const double* x,
                                                     Size rows, Size columns, Size pitch,
                                                     double* result) {
  if (many_registers) asm volatile("" ::: "v91", "a131");
  double sum = 0;
  for (Size i = blockDim.x * blockIdx.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x)
    sum += y[i] * row_sum(a + i * pitch, x, columns);
  unsafeAtomicAdd(result, sum);
}

__global__ void prepare_ones(double* values, size_t count) {
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x)
    values[i] = 1;
}

__global__ void prepare_rows(double* values, size_t rows, size_t pitch) {
  for (size_t row = blockIdx.x; row < rows; row += gridDim.x)
    for (size_t i = threadIdx.x; i < kColumns; i += blockDim.x) values[row * pitch + i] = 1;
}

double* ones(size_t count) {
  double* values = device_array<double>(count);
  prepare_ones<<<4096, 256>>>(values, count);
  return values;
}

int main() {
  const int most_rows = 2 * kRows;
  double *y = ones(most_rows), *x = ones(kColumns), *a;
  // 46 GB, of which only what is looked at is ever written: on the host the rest is no memory, as long
  // as its pages are small.
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  CHECK(hipMalloc(&a, most_rows * 2 * kPitch * sizeof(double)));
  prepare_rows<<<4096, 256>>>(a, kRows, kPitch);
  prepare_rows<<<4096, 256>>>(a, most_rows, 2 * kPitch);
  prepare_ones<<<4096, 256>>>(a, size_t(most_rows) * kColumns);
  double* result = device_array<double>(2);
  const auto measure = [&](const char* name, auto kernel, int groups, int rows, size_t pitch = kPitch) {
    CHECK(hipMemset(result, 0, sizeof(double)));
    kernel<<<groups, 64>>>(y, a, x, Size(rows), Size(kColumns), Size(pitch), result);
    launched(name, double(rows) * kColumns);
    require(host_copy(result, 1)[0] == double(rows) * kColumns, name);
  };
  measure("launch:4_waves", yax_rows, 4, kRows / 4);
  measure("launch:2048_waves", yax_rows, kGroups, kRows / 4);
  measure("lds:full", yax_lds<8192, kColumns / 4>, kGroups, kRows);
  measure("lds:none", yax_rows, kGroups, kRows);
  measure("lds:small", yax_lds<256, kColumns / 128>, kGroups, kRows);
  measure("registers:many", yax_registers<true>, kGroups, kRows);
  measure("registers:few", yax_registers<false>, kGroups, kRows);
  measure("stride_small:rows", yax_rows, kGroups, kRows);
  measure("stride_small:columns", yax_columns, kGroups, kRows);
  measure("stride_large:rows", yax_rows, kGroups, most_rows, 2 * kPitch);
  measure("stride_large:columns", yax_columns, kGroups, most_rows);
}
