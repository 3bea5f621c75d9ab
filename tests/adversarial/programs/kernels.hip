// Five kernels, each launched three times and checked on the host. The cases of this corpus replace
// one kernel, or edit the file around it.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                          \
  do {                                                                       \
    if ((call) != hipSuccess) {                                              \
      std::fprintf(stderr, "line %d failed\n", __LINE__);                    \
      std::exit(2);                                                          \
    }                                                                        \
  } while (0)

#define PAUSE() asm volatile("s_sleep 1")

constexpr int kThreads = 256;
constexpr int kBins = 64;
constexpr int kRounds = 3;

__device__ int launches;  // counted by histogram only

__device__ void report(float value) {
  if (value < -1e30f) printf("very small: %f\n", value);
}

__global__ void scale_add(const float* a, const float* b, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = 2.0f * a[i] + b[i];
  }
}

__global__ void __launch_bounds__(256) block_sum(const float* in, float* out, int n) {
  extern __shared__ float part[];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void histogram(const int* in, int* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) atomicAdd(&launches, 1);
  if (i < n) atomicAdd(&bins[in[i] % kBins], 1);
}

__global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float shared[kThreads];
  const int t = threadIdx.x;
  const float* row = in + blockIdx.x * columns;
  float largest = -INFINITY;
  for (int i = t; i < columns; i += kThreads) largest = fmaxf(largest, row[i]);
  shared[t] = largest;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) shared[t] = fmaxf(shared[t], shared[t + half]);
    __syncthreads();
  }
  largest = shared[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = t; i < columns; i += kThreads) sum += expf(row[i] - largest);
  shared[t] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) shared[t] += shared[t + half];
    __syncthreads();
  }
  sum = shared[0];
  for (int i = t; i < columns; i += kThreads) {
    out[blockIdx.x * columns + i] = expf(row[i] - largest) / sum;
  }
}

__global__ void dot(const double* a, const double* b, double* out, int n) {
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += a[i] * b[i];
  atomicAdd(out, sum);
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

bool near(double value, double expected) {
  return std::fabs(value - expected) <= 1e-4 * std::fmax(1.0, std::fabs(expected));
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 4096;
  const int columns = 512, rows = n / columns, blocks = (n + kThreads - 1) / kThreads;
  std::vector<float> a(n), b(n);
  std::vector<int> keys(n);
  std::vector<double> wide(n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i * 37 % 101) * 0.05f - 2.0f;
    b[i] = static_cast<float>(i * 53 % 97) * 0.03f;
    keys[i] = i * 31 % 1009;
    wide[i] = a[i] * 0.5;
  }
  float *da = device_copy(a), *db = device_copy(b), *dout = device_copy(a);
  float* dsums = device_copy(std::vector<float>(blocks));
  int *dkeys = device_copy(keys), *dbins = device_copy(std::vector<int>(kBins));
  double *dwide = device_copy(wide), *ddot = device_copy(std::vector<double>(1));

  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    CHECK(hipMemset(dbins, 0, kBins * sizeof(int)));
    CHECK(hipMemset(ddot, 0, sizeof(double)));
    scale_add<<<blocks / 2, kThreads>>>(da, db, dout, n);
    block_sum<<<blocks, kThreads, kThreads * sizeof(float)>>>(da, dsums, n);
    histogram<<<blocks, kThreads>>>(dkeys, dbins, n);
    dot<<<1, kThreads>>>(dwide, dwide, ddot, n);
    CHECK(hipGetLastError());
    const std::vector<float> out = host_copy(dout, n), sums = host_copy(dsums, blocks);
    const std::vector<int> bins = host_copy(dbins, kBins);
    softmax<<<rows, kThreads>>>(da, dout, columns);
    const std::vector<float> soft = host_copy(dout, n);

    std::vector<int> expected_bins(kBins);
    double total = 0.0, square = 0.0;
    for (int i = 0; i < n; ++i) {
      wrong += !near(out[i], 2.0 * a[i] + b[i]);
      expected_bins[keys[i] % kBins] += 1;
      total += a[i];
      square += wide[i] * wide[i];
    }
    for (int i = 0; i < kBins; ++i) wrong += bins[i] != expected_bins[i];
    for (int block = 0; block < blocks; ++block) total -= sums[block];
    wrong += !near(total, 0.0);
    wrong += !near(host_copy(ddot, 1)[0], square);
    for (int row = 0; row < rows; ++row) {
      double sum = 0.0;
      for (int i = 0; i < columns; ++i) sum += std::exp(static_cast<double>(a[row * columns + i]));
      for (int i = 0; i < columns; ++i) {
        const int at = row * columns + i;
        wrong += !near(soft[at], std::exp(static_cast<double>(a[at])) / sum);
      }
    }
  }
  std::printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
  return wrong != 0;
}
