// Waves that follow links from line to line, so that their time is memory latency: with as many waves
// as fit, and with an LDS array that leaves room for one workgroup per CU. Names are pair:version.
#include "measure.h"

constexpr int kThreads = 256;
constexpr int kGroups = 304 * 8;
constexpr int kWaves = kGroups * kThreads / 64;
constexpr int kWords = 32;       // in a line of 128 bytes, all of them the number of the next line
constexpr int kLines = 1 << 17;
constexpr int kSteps = 16;

template <int lds_elements>
__global__ void follow(const int* lines, int* out) {
  __shared__ int room[lds_elements];
  const int wave = int(blockIdx.x * kThreads + threadIdx.x) / 64;
  int line = wave;
  room[threadIdx.x % lds_elements] = line;
  for (int step = 0; step < kSteps; ++step) line = lines[line * kWords + int(threadIdx.x) % kWords];
  if (line < 0) out[0] = room[-line % lds_elements];  // never: keeps the array at its size
  if (threadIdx.x % 64 == 0) out[wave] = line;
}

int next_line(int line) { return int((unsigned(line) * 1664525u + 1013904223u) % kLines); }

int main() {
  std::vector<int> lines(size_t(kLines) * kWords), expected(kWaves);
  for (size_t i = 0; i < lines.size(); ++i) lines[i] = next_line(int(i / kWords));
  for (int wave = 0; wave < kWaves; ++wave) {
    expected[wave] = wave;
    for (int step = 0; step < kSteps; ++step) expected[wave] = next_line(expected[wave]);
  }
  int *device_lines = device_copy(lines), *out = device_array<int>(kWaves);
  follow<65536 / sizeof(int)><<<kGroups, kThreads>>>(device_lines, out);
  launched("occupancy:limited", double(kWaves) * kSteps);
  require(host_copy(out, kWaves) == expected, "the links were followed");
  follow<1><<<kGroups, kThreads>>>(device_lines, out);
  launched("occupancy:free", double(kWaves) * kSteps);
  require(host_copy(out, kWaves) == expected, "the links were followed");
}
