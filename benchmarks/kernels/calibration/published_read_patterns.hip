// A wave reads 1 KiB at a time, 16 bytes per lane: of one row, or squares of several rows that lie a
// mebibyte apart. All patterns read the same bytes: the beginning of each row.
#include "measure.h"

constexpr size_t kPitch = 1 << 20, kRead = 16384, kRows = 304 * 64;
constexpr int kWave = 64, kWaves = 4;
enum class Order { kRowByRow, kColumnByColumn };  // the second is that of matrix operands

template <int Rows, Order Lanes>
__global__ __launch_bounds__(256, 8) void pattern_read(const char* from, int* out) {
  constexpr int kPerRow = kWave / Rows;
  const int lane = threadIdx.x % kWave, wave = threadIdx.x / kWave;
  const bool by_rows = Lanes == Order::kRowByRow;
  const size_t row = by_rows ? lane / kPerRow : lane % Rows;
  const size_t column = by_rows ? lane % kPerRow : lane / Rows;
  const size_t first = size_t(blockIdx.x * kWaves + wave) * Rows;
  const char* at = from + (first + row) * kPitch + column * sizeof(int4);
  int mixed = 0;
#pragma unroll 16
  for (size_t done = 0; done < kRead; done += kPerRow * sizeof(int4)) {
    const int4 value = *reinterpret_cast<const int4*>(at + done);
    mixed ^= value.x ^ value.y ^ value.z ^ value.w;
  }
  if (mixed == 1) *out = mixed;  // never
}

template <int Rows, Order Lanes>
void read(const char* from, int* out, const char* name) {
  pattern_read<Rows, Lanes><<<kRows / Rows / kWaves, kWave * kWaves>>>(from, out);
  launched(name, double(kRows) * kRead);
}

int main() {
  char* from = nullptr;
  CHECK(hipMalloc(&from, kRows * kPitch));
  int* out = device_array<int>(1);
  read<1, Order::kRowByRow>(from, out, "rows_1");
  read<4, Order::kRowByRow>(from, out, "rows_4");
  read<8, Order::kRowByRow>(from, out, "rows_8");
  read<16, Order::kRowByRow>(from, out, "rows_16");
  read<16, Order::kColumnByColumn>(from, out, "rows_16_matrix");
}
