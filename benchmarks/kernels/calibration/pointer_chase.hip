// pointer_chase KIBIBYTES...: dependent loads by one wave along a random cycle through an array, one
// node in each line of 128 bytes. Three launches per size go on along the cycle where the one before
// stopped: the first warms the near caches; the difference of the others is the time of the steps.
#include <numeric>
#include <random>
#include <string>

#include "measure.h"

struct alignas(128) Node {
  Node* next;
};

constexpr int kUnroll = 16;

__global__ void prepare_cycle(Node* nodes, const unsigned* next, size_t count) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) nodes[i].next = nodes + next[i];
}

// The compiler would use scalar loads for an address that is the same in all lanes.
__global__ void chase(Node** place, int passes) {
  Node* node = *place;
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll
    for (int step = 0; step < kUnroll; ++step)
      asm volatile("global_load_dwordx2 %0, %0, off\n s_waitcnt vmcnt(0)" : "+v"(node));
  *place = node;
}

// Sattolo's shuffle: one cycle through all nodes.
std::vector<unsigned> random_cycle(size_t count) {
  std::vector<unsigned> next(count);
  std::iota(next.begin(), next.end(), 0u);
  std::mt19937_64 random(1);
  for (size_t i = count - 1; i > 0; --i) std::swap(next[i], next[random() % i]);
  return next;
}

size_t walk(const std::vector<unsigned>& next, size_t steps) {
  size_t at = 0;
  for (size_t step = 0; step < steps; ++step) at = next[at];
  return at;
}

void measure(size_t kibibytes) {
  const size_t count = kibibytes * 1024 / sizeof(Node);
  const std::vector<unsigned> next = random_cycle(count);
  unsigned* links = device_copy(next);
  Node* nodes = device_array<Node>(count);
  prepare_cycle<<<unsigned((count + 255) / 256), 256>>>(nodes, links, count);
  Node** place = device_copy(std::vector<Node*>{nodes});
  // Once round what fits into L2; a sample of what does not.
  const size_t steps = std::max<size_t>(std::min<size_t>(count, 32768), 2048);
  for (size_t share : {1, 1, 2}) {
    chase<<<1, 64>>>(place, int(share * steps / kUnroll));
    launched(("chase_" + std::to_string(kibibytes)).c_str(), double(share * steps));
  }
  require(host_copy(place, 1)[0] == nodes + walk(next, 4 * steps), "the cycle was followed");
  CHECK(hipFree(links));
  CHECK(hipFree(nodes));
  CHECK(hipFree(place));
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) measure(size_t(std::atoll(argv[i])));
}
