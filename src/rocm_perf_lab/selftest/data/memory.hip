// Caches, device memory, local memory, atomics and memory of the host. The parameter is the size in
// KiB, of rows called lds_* and atomics_* the distance of neighbouring lanes in words.
#include <algorithm>
#include <numeric>
#include <random>

#include "bench.h"

using Quad = __attribute__((ext_vector_type(4))) uint32_t;

constexpr int kThreads = 256;
constexpr int kLoads = 4;                     // in flight per work-item
constexpr size_t kWindow = kThreads * kLoads;  // quads that a workgroup reads in one pass
constexpr unsigned kGroups = 1216;

__global__ void prepare_words(uint32_t* words, size_t count) {
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x)
    words[i] = uint32_t(i) & 1023;
}

// Workgroup g reads window g, g + step, g + 2 step ... of the footprint.
__global__ __launch_bounds__(kThreads) void bench_read(const Quad* data, unsigned windows,
                                                       unsigned step, unsigned passes,
                                                       uint32_t* sums) {
  Quad sum = {};
  unsigned window = blockIdx.x % windows;
  for (unsigned pass = 0; pass < passes; ++pass) {
    const Quad* at = data + size_t(window) * kWindow + threadIdx.x;
#pragma unroll
    for (int load = 0; load < kLoads; ++load) sum += at[load * kThreads];
    asm volatile("" ::: "memory");  // what was read in one pass has to be read again in the next
    window += step;
    if (window >= windows) window -= windows;
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum.x + sum.y + sum.z + sum.w;
}

__global__ void bench_write(Quad* to, uint32_t value) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const uint32_t own = uint32_t(i) ^ value;
  to[i] = Quad{own, own, own, own};
}

__global__ void bench_copy(const Quad* from, Quad* to) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

struct alignas(128) Node {
  Node* next;
};

__global__ void prepare_cycle(Node* nodes, const uint32_t* next, size_t count) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) nodes[i].next = nodes + next[i];
}

// Written out: the compiler would use scalar loads for an address that is the same in all lanes.
__global__ void bench_chase(Node** place, int steps) {
  Node* node = *place;
  for (int step = 0; step < steps; ++step)
    asm volatile("global_load_dwordx2 %0, %0, off\n s_waitcnt vmcnt(0)" : "+v"(node));
  *place = node;
}

__global__ __launch_bounds__(kThreads) void bench_lds(int distance, int passes, uint32_t* sums) {
  __shared__ uint32_t words[8192];
  for (int i = threadIdx.x; i < 8192; i += kThreads) words[i] = uint32_t(i) & 1023;
  __syncthreads();
  uint32_t sum = 0;
  unsigned at = (threadIdx.x * distance) & 8191;
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll
    for (int turn = 0; turn < 8; ++turn) sum += words[(at + turn * 32) & 8191];
    asm volatile("" ::: "memory");
    at = (at + 32) & 8191;
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
}

__global__ void bench_atomics(uint32_t* counters, int distance, int passes) {
  const unsigned lane = blockIdx.x * kThreads + threadIdx.x;
  uint32_t* own = counters + size_t(lane & 16383) * distance;
  for (int pass = 0; pass < passes; ++pass) atomicAdd(own, 1u);
}

uint32_t window_sum(unsigned window, unsigned thread) {
  uint32_t sum = 0;
  for (int load = 0; load < kLoads; ++load) {
    const size_t quad = size_t(window) * kWindow + size_t(load) * kThreads + thread;
    for (int part = 0; part < 4; ++part) sum += uint32_t(quad * 4 + part) & 1023;
  }
  return sum;
}

void check_reads(Bench& bench, const uint32_t* sums, unsigned windows, unsigned step,
                 unsigned passes) {
  const std::vector<uint32_t> found = host_copy(sums, size_t(kGroups) * kThreads);
  for (unsigned group = 0; group < kGroups; group += 37) {
    const unsigned thread = group % kThreads;
    unsigned window = group % windows;
    uint32_t expected = 0;
    for (unsigned pass = 0; pass < passes; ++pass) {
      expected += window_sum(window, thread);
      window = window + step >= windows ? window + step - windows : window + step;
    }
    bench.require(found[group * kThreads + thread] == expected);
  }
}

// A small footprint is read in another order by every group, so that no nearer cache helps; a large
// one in order, and once, so that nothing of it is still in a cache.
void read_words(Bench& bench, const Quad* data, size_t kibibytes) {
  const unsigned windows = unsigned(kibibytes * 1024 / sizeof(Quad) / kWindow);
  const bool large = windows > kGroups;
  const unsigned step = large ? kGroups : (windows > 1 ? 37 % windows : 0);
  const unsigned passes = large ? (windows + kGroups - 1) / kGroups : 24;
  uint32_t* sums = device_array<uint32_t>(size_t(kGroups) * kThreads);
  bench.measure([&] { bench_read<<<kGroups, kThreads>>>(data, windows, step, passes, sums); });
  check_reads(bench, sums, windows, step, passes);
  CHECK(hipFree(sums));
}

void read(Bench& bench, size_t kibibytes) {
  const size_t words = kibibytes * 256;
  uint32_t* data = device_array<uint32_t>(words);
  prepare_words<<<kGroups, kThreads>>>(data, words);
  read_words(bench, reinterpret_cast<Quad*>(data), kibibytes);
  CHECK(hipFree(data));
}

void read_host(Bench& bench, size_t kibibytes) {
  const size_t words = kibibytes * 256;
  uint32_t* data = nullptr;
  CHECK(hipHostMalloc(reinterpret_cast<void**>(&data), words * sizeof(uint32_t), hipHostMallocDefault));
  for (size_t i = 0; i < words; ++i) data[i] = uint32_t(i) & 1023;
  read_words(bench, reinterpret_cast<Quad*>(data), kibibytes);
  CHECK(hipHostFree(data));
}

void write(Bench& bench, size_t kibibytes) {
  const size_t quads = kibibytes * 64;
  Quad* data = device_array<Quad>(quads);
  bench.measure([&] { bench_write<<<unsigned(quads / kThreads), kThreads>>>(data, 0x5a5a5a5a); });
  const std::vector<Quad> end = host_copy(data + quads - 64, 64);
  for (size_t i = 0; i < 64; ++i)
    bench.require(end[i].w == (uint32_t(quads - 64 + i) ^ 0x5a5a5a5a));
  CHECK(hipFree(data));
}

void copy(Bench& bench, size_t kibibytes) {
  const size_t quads = kibibytes * 64;
  Quad *from = device_array<Quad>(quads), *to = device_array<Quad>(quads);
  prepare_words<<<kGroups, kThreads>>>(reinterpret_cast<uint32_t*>(from), quads * 4);
  bench.measure([&] { bench_copy<<<unsigned(quads / kThreads), kThreads>>>(from, to); });
  const std::vector<Quad> end = host_copy(to + quads - 64, 64);
  for (size_t i = 0; i < 64; ++i)
    bench.require(end[i].x == (uint32_t((quads - 64 + i) * 4) & 1023));
  CHECK(hipFree(from));
  CHECK(hipFree(to));
}

// Sattolo's shuffle: one cycle through all nodes. Launches go on where the one before stopped.
void chase(Bench& bench, size_t kibibytes) {
  const size_t count = kibibytes * 1024 / sizeof(Node);
  std::vector<uint32_t> next(count);
  std::iota(next.begin(), next.end(), 0u);
  std::mt19937_64 random(1);
  for (size_t i = count - 1; i > 0; --i) std::swap(next[i], next[random() % i]);
  uint32_t* links = device_copy(next);
  Node* nodes = device_array<Node>(count);
  prepare_cycle<<<unsigned((count + 255) / 256), 256>>>(nodes, links, count);
  Node** place = device_copy(std::vector<Node*>{nodes});
  const size_t steps = 2048;
  bench.measure([&] { bench_chase<<<1, 64>>>(place, int(steps)); });
  size_t at = 0;
  for (size_t step = 0; step < steps * bench.launches(); ++step) at = next[at];
  bench.require(host_copy(place, 1)[0] == nodes + at);
  CHECK(hipFree(links));
  CHECK(hipFree(nodes));
  CHECK(hipFree(place));
}

void lds(Bench& bench, size_t distance) {
  const int passes = 24;
  uint32_t* sums = device_array<uint32_t>(size_t(kGroups) * kThreads);
  bench.measure([&] { bench_lds<<<kGroups, kThreads>>>(int(distance), passes, sums); });
  const std::vector<uint32_t> found = host_copy(sums, size_t(kGroups) * kThreads);
  for (size_t i = 0; i < found.size(); i += 97) {
    uint32_t expected = 0, at = uint32_t(i % kThreads * distance) & 8191;
    for (int pass = 0; pass < passes; ++pass, at = (at + 32) & 8191)
      for (uint32_t turn = 0; turn < 8; ++turn) expected += ((at + turn * 32) & 8191) & 1023;
    bench.require(found[i] == expected);
  }
  CHECK(hipFree(sums));
}

void atomics(Bench& bench, size_t distance) {
  const int passes = distance ? 8 : 1;
  const unsigned groups = distance ? kGroups : 16;
  const size_t words = 16384 * std::max<size_t>(distance, 1);
  uint32_t* counters = device_array<uint32_t>(words);
  bench.measure([&] { bench_atomics<<<groups, kThreads>>>(counters, int(distance), passes); });
  const std::vector<uint32_t> found = host_copy(counters, words);
  const uint64_t total = std::accumulate(found.begin(), found.end(), uint64_t(0));
  bench.require(total == uint64_t(groups) * kThreads * passes * bench.launches());
  CHECK(hipFree(counters));
}

int main(int count, char** words) {
  return run_rows(count, words,
                  {{"read", read},
                   {"write", write},
                   {"copy", copy},
                   {"chase", chase},
                   {"lds_read", lds},
                   {"atomics", atomics},
                   {"read_host", read_host}});
}
