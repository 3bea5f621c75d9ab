// Kernels whose inputs have a shape of their own, of which a launch shows one: sparse rows, lists,
// hash tables, masks, rows with a pitch, keys that differ. Each is launched twice and checked on the host.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                       \
  do {                                                    \
    if ((call) != hipSuccess) {                           \
      std::fprintf(stderr, "line %d failed\n", __LINE__); \
      std::exit(2);                                       \
    }                                                     \
  } while (0)

__global__ void csr_product(const int* starts, const int* columns, const float* values,
                            const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 64, lane = threadIdx.x % 64;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = starts[row] + lane; k < starts[row + 1]; k += 64) sum += values[k] * x[columns[k]];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (lane == 0) y[row] = sum;
}

__global__ void list_lengths(const int* next, const int* heads, int* lengths, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int length = 0;
  for (int node = heads[i]; node >= 0; node = next[node]) ++length;
  lengths[i] = length;
}

__global__ void find_keys(const int* table, const int* queries, int* places, int n, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int slot = queries[i] & (size - 1), place = -1;
  for (int k = 0; k < size && table[slot] >= 0; ++k) {
    if (table[slot] == queries[i]) {
      place = slot;
      break;
    }
    slot = (slot + 1) & (size - 1);
  }
  places[i] = place;
}

__global__ void variances(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float mean = 0.0f, sum = 0.0f;
  for (int k = 0; k < columns; ++k) mean += in[k * rows + row];
  mean /= columns;
  for (int k = 0; k < columns; ++k) {
    const float apart = in[k * rows + row] - mean;
    sum += apart * apart;
  }
  out[row] = sum / columns;
}

__global__ void pack_rows(const float* in, float* out, int rows, int columns, int pitch) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[i] = 2.0f * in[i / columns * pitch + i % columns];
}

__global__ void window_of(const float* in, float* out, int n, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.0f * in[i + offset];
}

__global__ void chosen(const int* mask, const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = mask[i] ? 3.0f * in[i] : 1.0f;
}

__global__ void first_bits(const unsigned long long* words, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __ffsll(words[i]);
}

__global__ void largest_of(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* word = reinterpret_cast<int*>(out + i % 64);
  int seen = *word;
  while (__int_as_float(seen) < in[i]) {
    const int now = atomicCAS(word, seen, __float_as_int(in[i]));
    if (now == seen) break;
    seen = now;
  }
}

__global__ void key_counts(const int* keys, int* counts, int n) {
  __shared__ int own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[keys[i] & 63], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

__global__ void cube_roots(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float value = in[i];
  float root = value;
  for (int round = 0; round < 200; ++round) {
    const float next = root - (root * root * root - value) / (3.0f * root * root);
    const bool close = fabsf(next - root) <= 1e-6f * fabsf(root);
    root = next;
    if (close) break;
  }
  out[i] = root;
}

__global__ void averages(const int* a, const int* b, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (a[i] & b[i]) + ((a[i] ^ b[i]) >> 1);
}

__global__ void add_at(const int* places, const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[places[i]], in[i]);
}

__global__ void lengths_of(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = hypotf(x[i], y[i]);
}

__global__ void whole_logs(const unsigned* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] == 0 ? -1 : 31 - __clz(static_cast<int>(in[i]));
}

__global__ void byte_classes(const unsigned char* text, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = text[i] / 16;
}

__global__ void lower_bounds(const float* keys, const float* queries, int* out, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int low = 0, high = count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (keys[middle] < queries[i]) low = middle + 1;
    else high = middle;
  }
  out[i] = low;
}

template <class T>
T* device_copy(const std::vector<T>& from) {
  T* to = nullptr;
  CHECK(hipMalloc(&to, from.size() * sizeof(T)));
  CHECK(hipMemcpy(to, from.data(), from.size() * sizeof(T), hipMemcpyHostToDevice));
  return to;
}

int wrong = 0;

template <class T>
void expect(T* device, const std::vector<T>& wanted, double relative = 0.0) {
  std::vector<T> got(wanted.size());
  CHECK(hipMemcpy(got.data(), device, got.size() * sizeof(T), hipMemcpyDeviceToHost));
  for (size_t i = 0; i < got.size(); ++i) {
    const double apart = std::fabs(double(got[i]) - double(wanted[i]));
    wrong += !(apart <= relative * std::max(1.0, std::fabs(double(wanted[i]))));
  }
  CHECK(hipMemset(device, 0, got.size() * sizeof(T)));
}

template <class T, class F>
std::vector<T> made(int n, F of) {
  std::vector<T> all(n);
  for (int i = 0; i < n; ++i) all[i] = of(i);
  return all;
}

constexpr int kN = 4096, kThreads = 256, kBlocks = kN / kThreads;

void sparse() {
  const int rows = 256;
  auto starts = made<int>(rows + 1, [](int) { return 0; });
  for (int i = 0; i < rows; ++i) starts[i + 1] = starts[i] + 5 + i * 7 % 40;
  const auto columns = made<int>(starts[rows], [](int k) { return k * 13 % 256; });
  const auto values = made<float>(starts[rows], [](int k) { return 0.5f + k % 5; });
  const auto x = made<float>(rows, [](int i) { return 1.0f + i % 3; });
  const auto y = made<float>(rows, [&](int row) {
    float sum = 0.0f;
    for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
    return sum;
  });
  float* out = device_copy(std::vector<float>(rows));
  csr_product<<<rows * 64 / kThreads, kThreads>>>(device_copy(starts), device_copy(columns),
                                                  device_copy(values), device_copy(x), out, rows);
  expect(out, y, 1e-5);
}

void lists() {
  const auto next = made<int>(kN, [](int i) { return i % 12 == 11 || i == kN - 1 ? -1 : i + 1; });
  const auto heads = made<int>(kN, [](int i) { return i; });
  int* lengths = device_copy(std::vector<int>(kN));
  list_lengths<<<kBlocks, kThreads>>>(device_copy(next), device_copy(heads), lengths, kN);
  expect(lengths, made<int>(kN, [](int i) { return std::min(12 - i % 12, kN - i); }));
}

void hashed() {
  const int size = 8192;
  std::vector<int> table(size, -1);
  const auto queries = made<int>(kN, [](int i) { return i % 2 ? i * 5 : i * 5 % 1000; });
  for (int query : queries) {
    if (query % 3 == 0) continue;
    int slot = query & (size - 1);
    while (table[slot] >= 0 && table[slot] != query) slot = (slot + 1) & (size - 1);
    table[slot] = query;
  }
  const auto places = made<int>(kN, [&](int i) {
    int slot = queries[i] & (size - 1);
    while (table[slot] >= 0 && table[slot] != queries[i]) slot = (slot + 1) & (size - 1);
    return table[slot] < 0 ? -1 : slot;
  });
  int* out = device_copy(std::vector<int>(kN));
  find_keys<<<kBlocks, kThreads>>>(device_copy(table), device_copy(queries), out, kN, size);
  expect(out, places);
}

void rows_and_windows(const std::vector<float>& a, float* da, float* out) {
  const int rows = 64, columns = 64;
  variances<<<1, rows>>>(da, out, rows, columns);
  expect(out,
         made<float>(rows,
                     [&](int row) {
                       double mean = 0.0, sum = 0.0;
                       for (int k = 0; k < columns; ++k)
                         mean += a[k * rows + row] / double(columns);
                       for (int k = 0; k < columns; ++k)
                         sum += (a[k * rows + row] - mean) * (a[k * rows + row] - mean);
                       return float(sum / columns);
                     }),
         1e-3);
  const auto doubled = made<float>(kN, [&](int i) { return 2.0f * a[i]; });
  pack_rows<<<kBlocks, kThreads>>>(da, out, rows, columns, columns);
  expect(out, doubled);
  window_of<<<kBlocks, kThreads>>>(da, out, kN, 0);
  expect(out, doubled);
}

void bits(const std::vector<float>& a, float* da, float* out, int* whole) {
  const auto mask = made<int>(kN, [](int i) { return int(i % 3 == 0); });
  chosen<<<kBlocks, kThreads>>>(device_copy(mask), da, out, kN);
  expect(out, made<float>(kN, [&](int i) { return mask[i] ? 3.0f * a[i] : 1.0f; }));
  const auto words = made<unsigned long long>(kN, [](int i) { return 8ull << i % 20; });
  first_bits<<<kBlocks, kThreads>>>(device_copy(words), whole, kN);
  expect(whole, made<int>(kN, [](int i) { return 4 + i % 20; }));
  const auto numbers = made<unsigned>(kN, [](int i) { return unsigned(i); });
  whole_logs<<<kBlocks, kThreads>>>(device_copy(numbers), whole, kN);
  expect(whole,
         made<int>(kN, [](int i) { return i ? int(std::floor(std::log2(double(i)))) : -1; }));
  const auto text = made<unsigned char>(kN, [](int i) { return (unsigned char)(32 + i % 90); });
  byte_classes<<<kBlocks, kThreads>>>(device_copy(text), whole, kN);
  expect(whole, made<int>(kN, [&](int i) { return text[i] / 16; }));
  const auto high = made<int>(kN, [](int i) { return i * 3; });
  const auto low = made<int>(kN, [](int i) { return i; });
  averages<<<kBlocks, kThreads>>>(device_copy(high), device_copy(low), whole, kN);
  expect(whole, made<int>(kN, [](int i) { return i * 2; }));
}

void together(const std::vector<float>& a, float* da, float* out, int* whole) {
  largest_of<<<kBlocks, kThreads>>>(da, out, kN);
  expect(out, made<float>(64, [&](int i) {
           float most = 0.0f;
           for (int k = i; k < kN; k += 64) most = std::max(most, a[k]);
           return most;
         }));
  const auto keys = made<int>(20000, [](int i) { return i * 7; });
  key_counts<<<2, kThreads>>>(device_copy(keys), whole, 20000);
  auto counts = made<int>(64, [](int) { return 0; });
  for (int key : keys) ++counts[key & 63];
  expect(whole, counts);
  const auto places = made<int>(kN, [](int i) { return i * 5 % kN; });
  add_at<<<kBlocks, kThreads>>>(device_copy(places), da, out, kN);
  auto moved = made<float>(kN, [](int) { return 0.0f; });
  for (int i = 0; i < kN; ++i) moved[places[i]] += a[i];
  expect(out, moved);
}

void numbers(const std::vector<float>& a, float* da, float* out, int* whole) {
  cube_roots<<<kBlocks, kThreads>>>(da, out, kN);
  expect(out, made<float>(kN, [&](int i) { return std::cbrt(a[i]); }), 1e-5);
  lengths_of<<<kBlocks, kThreads>>>(da, da, out, kN);
  expect(out, made<float>(kN, [&](int i) { return std::hypot(a[i], a[i]); }), 1e-5);
  const auto keys = made<float>(1000, [](int i) { return i * 0.005f; });
  lower_bounds<<<kBlocks, kThreads>>>(device_copy(keys), da, whole, kN, 1000);
  expect(whole, made<int>(kN, [&](int i) {
           return int(std::lower_bound(keys.begin(), keys.end(), a[i]) - keys.begin());
         }));
}

int main() {
  const auto a = made<float>(kN, [](int i) { return 1.0f + i * 37 % 1000 * 0.003f; });
  float *da = device_copy(a), *out = device_copy(std::vector<float>(kN));
  int* whole = device_copy(std::vector<int>(kN));
  for (int round = 0; round < 2; ++round) {
    sparse();
    lists();
    hashed();
    rows_and_windows(a, da, out);
    bits(a, da, out, whole);
    together(a, da, out, whole);
    numbers(a, da, out, whole);
  }
  std::printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
  return wrong != 0;
}
