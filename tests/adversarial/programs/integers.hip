// Integer kernels: division, hashing, prefix sums, gathers, counts, sums in 64 bits. Each is
// launched twice and checked on the host.
#include <hip/hip_runtime.h>

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

__global__ void split(const unsigned* keys, unsigned* page, unsigned* offset, int n,
                      unsigned size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  page[i] = keys[i] / size;
  offset[i] = keys[i] % size;
}

__global__ void mix(const unsigned* in, unsigned* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = in[i];
  for (int r = 0; r < rounds; ++r) {
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    h += static_cast<unsigned>(r);
  }
  out[i] = h;
}

__global__ void block_scan(const int* in, int* out, int n) {
  extern __shared__ int part[];
  const int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < size; step *= 2) {
    const int left = t >= step ? part[t - step] : 0;
    __syncthreads();
    part[t] += left;
    __syncthreads();
  }
  if (i < n) out[i] = part[t];
}

__global__ void lookup(const float* table, const int* index, float* out, int n, int entries) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int k = index[i];
  out[i] = k >= 0 && k < entries ? table[k] : 0.0f;
}

__global__ void count(const int* keys, int* bins, int n, int size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int k = keys[i];
    if (k >= 0 && k < size) atomicAdd(&bins[k], 1);
  }
}

__global__ void strided(const int* in, int* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long at = static_cast<long long>(i) * stride;
  out[i] = in[at % n] + static_cast<int>(at >> 20);
}

__global__ void row_totals(const int* in, long long* out, int columns) {
  const int* row = in + blockIdx.x * columns;
  long long sum = 0;
  for (int k = threadIdx.x; k < columns; k += blockDim.x) sum += row[k];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void keep_above(const int* in, int* out, int* kept, int n, int limit) {
  __shared__ int place;
  if (threadIdx.x == 0) place = 0;
  __syncthreads();
  for (int first = 0; first < n; first += 64) {
    const int i = first + threadIdx.x;
    const int value = i < n ? in[i] : 0;
    const bool keep = i < n && value > limit;
    const unsigned long long votes = __ballot(keep);
    const int before = __popcll(votes & ((1ull << threadIdx.x) - 1));
    if (keep) out[place + before] = value;
    __syncthreads();
    if (threadIdx.x == 0) place += __popcll(votes);
    __syncthreads();
  }
  if (threadIdx.x == 0) *kept = place;
}

template <class T>
T* device_copy(const std::vector<T>& from) {
  T* to = nullptr;
  CHECK(hipMalloc(&to, from.size() * sizeof(T)));
  CHECK(hipMemcpy(to, from.data(), from.size() * sizeof(T), hipMemcpyHostToDevice));
  return to;
}

template <class T>
std::vector<T> host_copy(const T* from, size_t count) {
  std::vector<T> to(count);
  CHECK(hipMemcpy(to.data(), from, count * sizeof(T), hipMemcpyDeviceToHost));
  return to;
}

unsigned mixed(unsigned h, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u + static_cast<unsigned>(r);
  }
  return h;
}

int main() {
  const int n = 2048, threads = 256, blocks = n / threads, columns = 128, rows = n / columns;
  std::vector<unsigned> keys(n);
  std::vector<int> small(n), places(n);
  std::vector<float> table(n);
  for (int i = 0; i < n; ++i) {
    keys[i] = static_cast<unsigned>(i * 7919 % 60000);
    small[i] = i * 31 % 1009;
    places[i] = i * 5 % n;  // each once
    table[i] = static_cast<float>(i) * 0.25f;
  }
  unsigned *dkeys = device_copy(keys), *dpage = device_copy(keys), *doffset = device_copy(keys);
  int *dsmall = device_copy(small), *dplaces = device_copy(places), *dout = device_copy(small);
  int *dbins = device_copy(std::vector<int>(n)), *dkept = device_copy(std::vector<int>(1));
  float *dtable = device_copy(table), *dfound = device_copy(table);
  long long* dtotals = device_copy(std::vector<long long>(rows));
  int wrong = 0;
  for (int round = 0; round < 2; ++round) {
    CHECK(hipMemset(dbins, 0, n * sizeof(int)));
    split<<<blocks, threads>>>(dkeys, dpage, doffset, n, 48u);
    std::vector<unsigned> page = host_copy(dpage, n), offset = host_copy(doffset, n);
    for (int i = 0; i < n; ++i) wrong += page[i] * 48u + offset[i] != keys[i] || offset[i] >= 48u;
    mix<<<blocks, threads>>>(dkeys, dpage, n, 4);
    page = host_copy(dpage, n);
    for (int i = 0; i < n; ++i) wrong += page[i] != mixed(keys[i], 4);
    block_scan<<<blocks, threads, threads * sizeof(int)>>>(dsmall, dout, n);
    std::vector<int> out = host_copy(dout, n);
    for (int i = 0, sum = 0; i < n; ++i) {
      sum = (i % threads ? sum : 0) + small[i];
      wrong += out[i] != sum;
    }
    lookup<<<blocks, threads>>>(dtable, dplaces, dfound, n, n);
    const std::vector<float> found = host_copy(dfound, n);
    for (int i = 0; i < n; ++i) wrong += found[i] != table[places[i]];
    count<<<4, threads>>>(dplaces, dbins, n, n);
    for (int bin : host_copy(dbins, n)) wrong += bin != 1;
    strided<<<blocks, threads>>>(dsmall, dout, n, 7);
    out = host_copy(dout, n);
    for (int i = 0, at = 0; i < n; ++i, at = (at + 7) % n) wrong += out[i] != small[at];
    row_totals<<<rows, 64>>>(dsmall, dtotals, columns);
    const std::vector<long long> totals = host_copy(dtotals, rows);
    for (int r = 0; r < rows; ++r) {
      long long sum = 0;
      for (int k = 0; k < columns; ++k) sum += small[r * columns + k];
      wrong += totals[r] != sum;
    }
    keep_above<<<1, 64>>>(dsmall, dout, dkept, n, 500);
    out = host_copy(dout, n);
    int kept = 0;
    for (int value : small) {
      if (value > 500) wrong += out[kept++] != value;
    }
    wrong += host_copy(dkept, 1)[0] != kept;
  }
  std::printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
  return wrong != 0;
}
