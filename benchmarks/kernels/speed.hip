// speed WHAT SIZE: runs one kernel twice on the device and prints the host's seconds for the second
// run, by the wall clock and of processor time, so that code loading and decoding are not part of
// it. Checks its result. `speed host 0` prints how fast the host itself is at the moment: billions of
// steps per second of a chain of multiplications, and GB/s of a copy, both in processor time.
#include <hip/hip_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// Sixteen outputs per work-item in registers, as a tuned product (and the peer's) keeps them.
__global__ void product(const float* a, const float* b, float* c, int n) {
  const int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  float sum[4][4] = {};
  for (int k = 0; k < n; ++k) {
    const float4 right = *reinterpret_cast<const float4*>(b + k * n + col);
    for (int i = 0; i < 4; ++i) {
      const float left = a[(row + i) * n + k];
      sum[i][0] = fmaf(left, right.x, sum[i][0]);
      sum[i][1] = fmaf(left, right.y, sum[i][1]);
      sum[i][2] = fmaf(left, right.z, sum[i][2]);
      sum[i][3] = fmaf(left, right.w, sum[i][3]);
    }
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row + i) * n + col + j] = sum[i][j];
}

// Integer and float arithmetic, compares, LDS and global memory, with a divergent branch.
__global__ void mixed(const float* a, const float* b, float* c, int n) {
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i], y = b[i];
  unsigned h = i * 2654435761u;
  for (int k = 0; k < 32; ++k) {
    tile[threadIdx.x] = x;
    __syncthreads();
    x = fmaf(tile[(threadIdx.x + 17 * k) & 255], 0.75f, y);
    h ^= h << 13, h ^= h >> 17, h ^= h << 5;
    if (h & 64) y += 0.125f * x;
    else x -= a[(i + k) & (n - 1)];
    __syncthreads();
  }
  c[i] = x + y;
}

struct Seconds {
  double wall, processor;
};

static Seconds run(const char* what, int n, const float* a, const float* b, float* c) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t started = std::clock();
  if (!std::strcmp(what, "add")) add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  else if (!std::strcmp(what, "product")) product<<<dim3(n / 64, n / 64), dim3(16, 16)>>>(a, b, c, n);
  else mixed<<<n / 256, 256>>>(a, b, c, n);
  if (hipDeviceSynchronize() != hipSuccess) std::exit(1);
  const double processor = double(std::clock() - started) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return {wall.count(), processor};
}

static int host_speed() {
  constexpr int steps = 1 << 25;
  constexpr size_t bytes = size_t(1) << 26;
  std::vector<char> from(bytes, 1), to(bytes, 2);
  const std::clock_t started = std::clock();
  unsigned long long value = started;
  for (int step = 0; step < steps; ++step) value = (value ^ value >> 29) * 6364136223846793005ull;
  const std::clock_t chained = std::clock();
  std::memcpy(to.data(), from.data(), bytes);
  const std::clock_t copied = std::clock();
  const double chain = double(chained - started) / CLOCKS_PER_SEC;
  const double copy = double(copied - chained) / CLOCKS_PER_SEC;
  std::printf("%.3f %.3f\n", steps / chain / 1e9, double(bytes) / copy / 1e9);
  return to[value % bytes] == 1 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* what = argv[1];
  if (!std::strcmp(what, "host")) return host_speed();
  const int n = std::atoi(argv[2]);
  const bool square = !std::strcmp(what, "product");
  const size_t count = square ? size_t(n) * n : n;
  std::vector<float> host(count), result(count);
  for (size_t i = 0; i < count; ++i) host[i] = float(i % 97) / 97;
  float *a, *b, *c;
  const size_t bytes = count * sizeof(float);
  if (hipMalloc(&a, bytes) || hipMalloc(&b, bytes) || hipMalloc(&c, bytes)) return 1;
  if (hipMemcpy(a, host.data(), bytes, hipMemcpyHostToDevice)) return 1;
  if (hipMemcpy(b, host.data(), bytes, hipMemcpyHostToDevice)) return 1;
  run(what, n, a, b, c);
  const Seconds seconds = run(what, n, a, b, c);
  if (hipMemcpy(result.data(), c, bytes, hipMemcpyDeviceToHost)) return 1;
  if (!std::strcmp(what, "add"))
    for (size_t i = 0; i < count; ++i)
      if (result[i] != host[i] + host[i]) return 1;
  if (square)
    for (int row = 0; row < n; row += 37)
      for (int col = 0; col < n; col += 41) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum = fmaf(host[row * n + k], host[k * n + col], sum);
        if (result[row * n + col] != sum) return 1;
      }
  std::printf("%.9f %.9f\n", seconds.wall, seconds.processor);
  return 0;
}
