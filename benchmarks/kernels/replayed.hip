// Applications for benchmarks/replay.py: `solve STEPS` relaxes a temperature field step by step,
// `memory ALLOCATED TOUCHED` (bytes) launches one small kernel on memory of which a part is not zero.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    hipError_t status = (call);                                            \
    if (status != hipSuccess) {                                            \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));  \
      std::exit(3);                                                        \
    }                                                                      \
  } while (0)

__global__ void relax(const float* from, float* to, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= width - 1 || y >= width - 1) return;
  const int at = y * width + x;
  to[at] = 0.25f * (from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);
}

void solve(int steps) {
  constexpr int kWidth = 512;
  constexpr size_t kBytes = kWidth * kWidth * sizeof(float);
  std::vector<float> host(kWidth * kWidth);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i % 977);
  float* fields[2];
  for (float*& field : fields) {
    CHECK(hipMalloc(reinterpret_cast<void**>(&field), kBytes));
    CHECK(hipMemcpy(field, host.data(), kBytes, hipMemcpyHostToDevice));
  }
  const dim3 threads(64, 4), blocks(kWidth / 64, kWidth / 4);
  for (int step = 0; step < steps; ++step) {
    relax<<<blocks, threads>>>(fields[step % 2], fields[(step + 1) % 2], kWidth);
  }
  CHECK(hipDeviceSynchronize());
}

__global__ void change_some(unsigned* data, size_t words) {
  const size_t at = threadIdx.x * size_t{16384};  // 64 pages
  if (at < words) data[at] += 1;
}

void memory(size_t allocated, size_t touched) {
  constexpr size_t kPiece = 16u << 20;
  std::vector<unsigned> host(kPiece / sizeof(unsigned));
  unsigned value = 1;
  for (unsigned& word : host) word = value = value * 1664525u + 1013904223u;
  char* data = nullptr;
  CHECK(hipMalloc(reinterpret_cast<void**>(&data), allocated));
  CHECK(hipMemset(data, 0, allocated));
  for (size_t at = 0; at < touched; at += kPiece) {
    CHECK(hipMemcpy(data + at, host.data(), kPiece, hipMemcpyHostToDevice));
  }
  change_some<<<1, 64>>>(reinterpret_cast<unsigned*>(data), touched / sizeof(unsigned));
  CHECK(hipDeviceSynchronize());
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "solve" && argc == 3) {
    solve(std::atoi(argv[2]));
  } else if (what == "memory" && argc == 4) {
    memory(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
  } else {
    std::fprintf(stderr, "usage: %s solve STEPS | memory ALLOCATED TOUCHED\n", argv[0]);
    return 2;
  }
  return 0;
}
