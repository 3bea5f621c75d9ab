// Kernels whose threads, waves or workgroups depend on each other. Each is launched twice and
// checked on the host.
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

__global__ void last_adds(const int* in, int* parts, unsigned* done, int* out, int n) {
  __shared__ bool last;
  __shared__ int own[256];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  own[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < blockDim.x; ++k) sum += own[k];
    parts[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  int total = 0;
  for (int k = 0; k < gridDim.x; ++k) total += parts[k];
  *out = total;
  *done = 0;
}

__global__ void tickets(const int* tasks, int* next, int* out, int n) {
  __shared__ int mine;
  for (;;) {
    if (threadIdx.x == 0) mine = atomicAdd(next, 1);
    __syncthreads();
    const int task = mine;
    __syncthreads();
    if (task >= n) return;
    out[task * blockDim.x + threadIdx.x] = tasks[task] * int(threadIdx.x);
  }
}

__global__ void tree_sums(const int* in, int* out, int n) {
  extern __shared__ int own[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  own[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) own[threadIdx.x] += own[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = own[0];
}

__global__ void planes(const float* in, float* out, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int at = (blockIdx.z * ny + y) * nx + x;
  out[at] = in[at] * 0.5f;
}

__global__ void group_sums(const int* in, int* out, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = i < n ? in[i] : 0;
  for (int step = width / 2; step > 0; step /= 2) sum += __shfl_down(sum, step, width);
  if (i % width == 0 && i < n) out[i / width] = sum;
}

__global__ void next_level(const int* starts, const int* edges, const int* from, int count,
                           int* level, int* next, int* found, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int node = from[i];
  for (int k = starts[node]; k < starts[node + 1]; ++k) {
    const int other = edges[k];
    if (atomicCAS(&level[other], -1, depth) == -1) next[atomicAdd(found, 1)] = other;
  }
}

__global__ void running_sums(const int* in, int* out, int* ends, int* ready, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int own[256];
  __shared__ int before;
  own[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < blockDim.x; ++k) own[k] += own[k - 1];
    if (blockIdx.x > 0)
      while (__hip_atomic_load(&ready[blockIdx.x - 1], __ATOMIC_ACQUIRE,
                               __HIP_MEMORY_SCOPE_AGENT) == 0) {
      }
    before = blockIdx.x > 0 ? ends[blockIdx.x - 1] : 0;
    ends[blockIdx.x] = before + own[blockDim.x - 1];
    __hip_atomic_store(&ready[blockIdx.x], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
  __syncthreads();
  if (i < n) out[i] = before + own[threadIdx.x];
}

__global__ void blurred(const int* in, int* out, int n) {
  __shared__ int own[258];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  own[threadIdx.x + 1] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) own[0] = i > 0 ? in[i - 1] : 0;
  if (threadIdx.x == blockDim.x - 1) own[blockDim.x + 1] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = own[threadIdx.x] + 2 * own[threadIdx.x + 1] + own[threadIdx.x + 2];
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
void expect(T* device, const std::vector<T>& wanted) {
  std::vector<T> got(wanted.size());
  CHECK(hipMemcpy(got.data(), device, got.size() * sizeof(T), hipMemcpyDeviceToHost));
  for (size_t i = 0; i < got.size(); ++i) wrong += got[i] != wanted[i];
  CHECK(hipMemset(device, 0, got.size() * sizeof(T)));
}

template <class T, class F>
std::vector<T> made(int n, F of) {
  std::vector<T> all(n);
  for (int i = 0; i < n; ++i) all[i] = of(i);
  return all;
}

constexpr int kN = 4096, kThreads = 256, kBlocks = kN / kThreads, kSide = 64;

int sum_of(const std::vector<int>& all, int from, int to) {
  int sum = 0;
  for (int i = from; i < to; ++i) sum += all[i];
  return sum;
}

void workgroups(const std::vector<int>& a, int* da, int* out) {
  int *parts = device_copy(std::vector<int>(kN)), *zero = device_copy(std::vector<int>(kN));
  last_adds<<<kBlocks, kThreads>>>(da, parts, reinterpret_cast<unsigned*>(zero), out, kN);
  expect(out, std::vector<int>(1, sum_of(a, 0, kN)));
  tickets<<<kBlocks, kThreads>>>(da, zero, out, kBlocks);
  expect(out, made<int>(kN, [&](int i) { return a[i / kThreads] * (i % kThreads); }));
  CHECK(hipMemset(zero, 0, kN * sizeof(int)));
  running_sums<<<kBlocks, kThreads>>>(da, out, parts, zero, kN);
  expect(out, made<int>(kN, [&](int i) { return sum_of(a, 0, i + 1); }));
}

void waves(const std::vector<int>& a, int* da, int* out) {
  tree_sums<<<kSide, kSide, kSide * sizeof(int)>>>(da, out, kN);
  expect(out, made<int>(kSide, [&](int b) { return sum_of(a, b * kSide, (b + 1) * kSide); }));
  group_sums<<<kBlocks, kThreads>>>(da, out, kN, 64);
  expect(out, made<int>(kSide, [&](int b) { return sum_of(a, b * kSide, (b + 1) * kSide); }));
  blurred<<<kBlocks, kThreads>>>(da, out, kN);
  expect(out, made<int>(kN, [&](int i) {
           return (i ? a[i - 1] : 0) + 2 * a[i] + (i + 1 < kN ? a[i + 1] : 0);
         }));
}

void others(int* out) {
  const auto numbers = made<float>(kN, [](int i) { return float(i % 97); });
  float *from = device_copy(numbers), *to = device_copy(numbers);
  planes<<<dim3(kSide / 16, kSide / 16, 1), dim3(16, 16)>>>(from, to, kSide, kSide);
  expect(to, made<float>(kN, [&](int i) { return numbers[i] * 0.5f; }));
  // A tree: the nodes 0 to 255 have sixteen children each, 256 to 4095 and then none.
  const auto starts = made<int>(kN + 1, [](int i) { return std::min(i, 240) * 16; });
  const auto edges = made<int>(kN, [](int i) { return std::min(i + 256, kN - 1); });
  const auto roots = made<int>(240, [](int i) { return i; });
  const auto levels = made<int>(kN, [](int i) { return i < 256 ? 0 : -1; });
  int *level = device_copy(levels), *found = device_copy(std::vector<int>(1));
  next_level<<<1, kThreads>>>(device_copy(starts), device_copy(edges), device_copy(roots), 240,
                              level, out, found, 1);
  expect(found, std::vector<int>(1, 3840));
  expect(level, made<int>(kN, [](int i) { return i < 256 ? 0 : 1; }));
  CHECK(hipMemset(out, 0, kN * sizeof(int)));
}

int main() {
  const auto a = made<int>(kN, [](int i) { return i * 37 % 1000; });
  int *da = device_copy(a), *out = device_copy(std::vector<int>(kN));
  for (int round = 0; round < 2; ++round) {
    workgroups(a, da, out);
    waves(a, da, out);
    others(out);
  }
  std::printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
  return wrong != 0;
}
