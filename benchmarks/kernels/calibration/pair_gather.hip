// A gather in which each lane follows links of its own, so that every lane reads another line: with as
// many waves as fit, and with an LDS array that leaves room for one workgroup per CU. Names are
// pair:version.
#include "measure.h"

constexpr int kThreads = 256;
constexpr int kGroups = 304 * 8;
constexpr int kItems = kGroups * kThreads;
constexpr int kLinks = 1 << 22;
constexpr int kSteps = 16;

template <int lds_elements>
__global__ void gather(const int* links, int* out) {
  __shared__ int room[lds_elements];
  const int item = int(blockIdx.x * kThreads + threadIdx.x);
  int at = item;
  room[threadIdx.x % lds_elements] = at;
  for (int step = 0; step < kSteps; ++step) at = links[at];
  if (at < 0) out[0] = room[-at % lds_elements];  // never: keeps the array at its size
  out[item] = at;
}

int main() {
  std::vector<int> links(kLinks), expected(kItems);
  for (int i = 0; i < kLinks; ++i) links[i] = int((unsigned(i) * 1664525u + 1013904223u) % kLinks);
  for (int item = 0; item < kItems; ++item) {
    expected[item] = item;
    for (int step = 0; step < kSteps; ++step) expected[item] = links[expected[item]];
  }
  int *device_links = device_copy(links), *out = device_array<int>(kItems);
  gather<65536 / sizeof(int)><<<kGroups, kThreads>>>(device_links, out);
  launched("gather:limited", double(kItems) * kSteps);
  require(host_copy(out, kItems) == expected, "the links were followed");
  gather<1><<<kGroups, kThreads>>>(device_links, out);
  launched("gather:free", double(kItems) * kSteps);
  require(host_copy(out, kItems) == expected, "the links were followed");
}
