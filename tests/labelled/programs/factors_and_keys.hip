#include "data.h"

// a: factors of 4096 matrices of 32 x 32, two in each wave. Mended: a row in LDS has one element
// more.
constexpr int kSize = 32, kMatrices = 1 << 12;

template <int kVariant>
__global__ __launch_bounds__(64) void factor(const float* in, float* out) {
  constexpr int kPitch = kVariant ? kSize + 1 : kSize;
  __shared__ float room[2 * kSize * kPitch];
  float* matrix = room + threadIdx.x / kSize * kSize * kPitch;
  const int own = threadIdx.x % kSize;
  const size_t from = static_cast<size_t>(work_item() / kSize) * kSize * kSize;
  for (int row = 0; row < kSize; ++row)
    matrix[row * kPitch + own] = in[from + row * kSize + own] + (row == own ? 512.0f : 0.0f);
  for (int pivot = 0; pivot < kSize - 1; ++pivot) {
    __syncthreads();
    if (own <= pivot) continue;
    const float scale = matrix[own * kPitch + pivot] / matrix[pivot * kPitch + pivot];
    matrix[own * kPitch + pivot] = scale;
    for (int k = pivot + 1; k < kSize; ++k)
      matrix[own * kPitch + k] -= scale * matrix[pivot * kPitch + k];
  }
  __syncthreads();
  for (int row = 0; row < kSize; ++row) out[from + row * kSize + own] = matrix[row * kPitch + own];
}

double a(int variant) {
  constexpr int kCount = kMatrices * kSize * kSize;
  float* in = mixed<float>(kCount, 16);
  float* out = filled<float>(kCount, 0);
  VARIANT(variant, factor, <<<kMatrices / 2, 64>>>(in, out));
  return total(out, kCount);
}

// b: the best of 512 keys for each query, vectors of 64 bytes. Mended: products by matrix
// instructions.
constexpr int kQueries = 1 << 16, kKeys = 512, kWords = 16;

__global__ void best_plain(const int* queries, const int* keys, int* best) {
  int own[kWords], most = -(1 << 30);
#pragma unroll
  for (int w = 0; w < kWords; ++w) own[w] = queries[work_item() * kWords + w];
  for (int key = 0; key < kKeys; ++key) {
    int sum = 0;
#pragma unroll
    for (int w = 0; w < kWords; ++w)
      sum = __builtin_amdgcn_sdot4(own[w], keys[key * kWords + w], sum, false);
    most = max(most, sum);
  }
  best[work_item()] = most;
}

typedef int Quad __attribute__((ext_vector_type(4)));

__global__ void best_tiled(const long* queries, const long* keys, int* best) {
  const int lane = threadIdx.x & 63, wave = work_item() / 64;
  const int line = lane % 16, part = lane / 16;
  const long* own = queries + (wave * 16 + line) * 8 + part;
  const long low = own[0], high = own[4];
  Quad most = {-(1 << 30), -(1 << 30), -(1 << 30), -(1 << 30)};
#pragma unroll 4
  for (int key = 0; key < kKeys; key += 16) {
    const long* row = keys + (key + line) * 8 + part;
    Quad sum = {0, 0, 0, 0};
    sum = __builtin_amdgcn_mfma_i32_16x16x32_i8(low, row[0], sum, 0, 0, 0);
    sum = __builtin_amdgcn_mfma_i32_16x16x32_i8(high, row[4], sum, 0, 0, 0);
#pragma unroll
    for (int k = 0; k < 4; ++k) most[k] = max(most[k], sum[k]);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    for (int step = 1; step < 16; step *= 2) most[k] = max(most[k], __shfl_xor(most[k], step));
    if (line == 0) best[wave * 16 + part * 4 + k] = most[k];
  }
}

double b(int variant) {
  int* queries = mixed<int>(kQueries * kWords, ~0u);
  int* keys = mixed<int>(kKeys * kWords, 251 << 23);
  int* best = filled<int>(kQueries, 0);
  if (variant)
    best_tiled<<<kQueries / 64, 256>>>(reinterpret_cast<long*>(queries),
                                       reinterpret_cast<long*>(keys), best);
  else best_plain<<<kQueries / 256, 256>>>(queries, keys, best);
  return total(best, kQueries);
}

// c: a filter applied 24 times, each time measured. Mended: the times are read when all is done.
__global__ void relax(const int* in, int* out, int count) {
  const int i = work_item();
  int value = in[i];
  for (int k = 1; k < 24; ++k) value += in[(i + k * 64) % count] & k;
  out[i] = value & 1023;
}

double c(int variant) {
  constexpr int kCount = 1 << 18, kSteps = 24;
  int* now = mixed<int>(kCount, 1024);
  int* next = filled<int>(kCount, 0);
  std::vector<hipEvent_t> marks(kSteps + 1);
  for (auto& mark : marks) HIP_CHECK(hipEventCreate(&mark));
  float spent = 0, one = 0;
  HIP_CHECK(hipEventRecord(marks[0]));
  for (int step = 0; step < kSteps; ++step) {
    relax<<<kCount / 256, 256>>>(now, next, kCount);
    HIP_CHECK(hipEventRecord(marks[step + 1]));
    if (!variant) {
      HIP_CHECK(hipEventSynchronize(marks[step + 1]));
      HIP_CHECK(hipEventElapsedTime(&one, marks[step], marks[step + 1]));
      spent += one;
    }
    std::swap(now, next);
  }
  if (variant) {
    HIP_CHECK(hipEventSynchronize(marks[kSteps]));
    for (int step = 0; step < kSteps; ++step) {
      HIP_CHECK(hipEventElapsedTime(&one, marks[step], marks[step + 1]));
      spent += one;
    }
  }
  std::fprintf(stderr, "%.3f ms\n", spent);
  return total(now, kCount);
}

// d: sums down the columns of 128 images. Mended: eight rows are read before the first is written.
constexpr int kColumns = 512, kLines = 256, kImages = 128;

template <int kVariant>
__global__ void add_down(const int* in, int* out) {
  const int from = blockIdx.y * kLines * kColumns + work_item();
  constexpr int kStep = kVariant ? 8 : 1;
  int sum = 0;
  for (int line = 0; line < kLines; line += kStep) {
    int values[kStep];
#pragma unroll
    for (int k = 0; k < kStep; ++k) values[k] = in[from + (line + k) * kColumns];
#pragma unroll
    for (int k = 0; k < kStep; ++k) out[from + (line + k) * kColumns] = sum += values[k];
  }
}

double d(int variant) {
  constexpr int kCount = kColumns * kLines * kImages;
  int* in = filled<int>(kCount, 1);
  int* out = filled<int>(kCount, 0);
  const dim3 grid(kColumns / 64, kImages);
  VARIANT(variant, add_down, <<<grid, 64>>>(in, out));
  return total(out, kCount);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
