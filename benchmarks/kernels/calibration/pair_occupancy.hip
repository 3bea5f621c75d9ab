// A gather whose time is memory latency, with as many waves as fit and with an LDS array that leaves
// room for one workgroup per CU. Names are pair:version.
#include "measure.h"

constexpr int kThreads = 256;
constexpr int kGroups = 304 * 8;
constexpr int kLinks = 1 << 22;
constexpr int kSteps = 16;

template <int lds_elements>
__global__ void gather(const int* links, int* out) {
  __shared__ int room[lds_elements];
  int at = int(blockIdx.x * kThreads + threadIdx.x);
  room[threadIdx.x % lds_elements] = at;
  for (int step = 0; step < kSteps; ++step) at = links[at];
  out[blockIdx.x * kThreads + threadIdx.x] = at;
  if (at < 0) out[0] = room[at % lds_elements];  // never: keeps the array at its size
}

int main() {
  std::vector<int> links(kLinks);
  for (int i = 0; i < kLinks; ++i) links[i] = int((i * 1664525u + 1013904223u) % kLinks);
  int* device_links = device_copy(links);
  int* out = device_array<int>(kGroups * kThreads);
  std::vector<int> expected(kGroups * kThreads);
  for (int i = 0; i < kGroups * kThreads; ++i) {
    int at = i;
    for (int step = 0; step < kSteps; ++step) at = links[at];
    expected[i] = at;
  }
  gather<65536 / sizeof(int)><<<kGroups, kThreads>>>(device_links, out);
  launched("occupancy:limited", double(kGroups) * kThreads * kSteps);
  require(host_copy(out, expected.size()) == expected, "the links were followed");
  gather<1><<<kGroups, kThreads>>>(device_links, out);
  launched("occupancy:free", double(kGroups) * kThreads * kSteps);
  require(host_copy(out, expected.size()) == expected, "the links were followed");
}
