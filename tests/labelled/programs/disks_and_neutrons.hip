#include "data.h"

// a: what a lost disk held, from the four that are left.
constexpr int kDisk = 1 << 23;

__global__ void restore_one(const unsigned char* disks, unsigned char* out) {
  const int i = work_item();
  out[i] = disks[i] ^ disks[kDisk + i] ^ disks[2 * kDisk + i] ^ disks[3 * kDisk + i];
}

__global__ void restore_many(const uint4* disks, uint4* out) {
  constexpr int kEach = kDisk / 16;
  const int i = work_item();
  const uint4 p = disks[i], q = disks[kEach + i], r = disks[2 * kEach + i];
  const uint4 s = disks[3 * kEach + i];
  out[i] = {p.x ^ q.x ^ r.x ^ s.x, p.y ^ q.y ^ r.y ^ s.y, p.z ^ q.z ^ r.z ^ s.z,
            p.w ^ q.w ^ r.w ^ s.w};
}

double a(int variant) {
  auto* disks = reinterpret_cast<unsigned char*>(mixed<unsigned>(kDisk, 4294967291u));
  auto* out = filled<unsigned char>(kDisk, 0);
  if (variant)
    restore_many<<<kDisk / 16 / 256, 256>>>(reinterpret_cast<uint4*>(disks),
                                            reinterpret_cast<uint4*>(out));
  else restore_one<<<kDisk / 256, 256>>>(disks, out);
  return total(out, kDisk);
}

// b: packets of 64 neutrons go from cell to cell; one in 64 ends where it must be worked out what
// 160 nuclides do.
constexpr int kNeutrons = 304 * 2048, kCells = 1 << 14, kHops = 96, kNuclides = 160;

__global__ void prepare_cells(int* cells) {
  const int i = work_item();
  cells[i] = hashed(i / 64 + 5) % kCells | hashed(i) << 16;
}

__device__ int travel(const int* cells, int& cell) {
  int seen = 0;
#pragma unroll 1
  for (int hop = 0; hop < kHops; ++hop) {
    const int found = cells[cell * 64 + threadIdx.x % 64];
    cell = found & (kCells - 1);
    seen = seen * 3 + (found >> 16);
  }
  return seen & 0xffff;
}

__device__ bool is_rare(int cell) { return cell % 64 == 21; }

__device__ float resonate(float seen) {
  float own[kNuclides], sum = 0;
#pragma unroll
  for (int k = 0; k < kNuclides; ++k) own[k] = seen * (k + 1);
#pragma unroll 1
  for (int round = 0; round < 4; ++round) {
#pragma unroll
    for (int k = 0; k < kNuclides; ++k)
      own[k] = own[k] * 0.5f + own[(k * 7 + 1) % kNuclides] * 0.25f;
  }
#pragma unroll
  for (int k = 0; k < kNuclides; ++k) sum += own[k];
  return sum * 0.0078125f;
}

__global__ __launch_bounds__(256) void transport(const int* cells, float* out) {
  int cell = work_item() / 64 % kCells;
  float seen = travel(cells, cell);
  if (is_rare(cell)) seen = resonate(seen);
  out[work_item()] = seen;
}

__global__ __launch_bounds__(256) void transport_all(const int* cells, float* out, int* ends) {
  int cell = work_item() / 64 % kCells;
  out[work_item()] = travel(cells, cell);
  if (threadIdx.x % 64 == 0) ends[work_item() / 64] = cell;
}

__global__ __launch_bounds__(256) void finish_rare(const int* ends, float* out) {
  if (is_rare(ends[work_item() / 64])) out[work_item()] = resonate(out[work_item()]);
}

double b(int variant) {
  int* cells = filled<int>(kCells * 64, 0);
  prepare_cells<<<kCells * 64 / 256, 256>>>(cells);
  float* out = filled<float>(kNeutrons, 0);
  int* ends = filled<int>(kNeutrons / 64, 0);
  if (variant) {
    transport_all<<<kNeutrons / 256, 256>>>(cells, out, ends);
    finish_rare<<<kNeutrons / 256, 256>>>(ends, out);
  } else {
    transport<<<kNeutrons / 256, 256>>>(cells, out);
  }
  return total(out, kNeutrons);
}

// c: what visitors looked at, a list of 40 to 63 things for each, as a sum of vectors of 64.
constexpr int kVisitors = 304 * 8, kThings = 1 << 16, kRoom = 64, kAtOnce = 8;

__global__ void prepare_lists(int* lists) {
  const unsigned i = work_item(), length = 40 + hashed(i / kRoom + 3) % 24;
  lists[i] = i % kRoom < length ? hashed(i) % kThings : -1;
}

__device__ int visitor() {
  return blockIdx.x * 4 + __builtin_amdgcn_readfirstlane(threadIdx.x / 64);
}

__global__ __launch_bounds__(256) void describe(const int* __restrict__ lists,
                                                const float* __restrict__ things,
                                                float* __restrict__ out) {
  const int* list = lists + visitor() * kRoom;
  float sum = 0;
  for (int thing = *list; thing >= 0; thing = *++list) sum += things[thing * 64 + threadIdx.x % 64];
  out[work_item()] = sum;
}

__global__ __launch_bounds__(256) void describe_eight(const int* __restrict__ lists,
                                                      const float* __restrict__ things,
                                                      float* __restrict__ out) {
  const int* list = lists + visitor() * kRoom;
  float sum = 0;
#pragma unroll 1
  for (int from = 0; from < kRoom && list[from] >= 0; from += kAtOnce) {
    float found[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
      found[k] = things[max(list[from + k], 0) * 64 + threadIdx.x % 64];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) sum += list[from + k] >= 0 ? found[k] : 0;
  }
  out[work_item()] = sum;
}

double c(int variant) {
  int* lists = filled<int>(kVisitors * kRoom, 0);
  prepare_lists<<<kVisitors * kRoom / 256, 256>>>(lists);
  float* things = mixed<float>(kThings * 64, 256);
  float* out = filled<float>(kVisitors * 64, 0);
  const auto kernel = variant ? describe_eight : describe;
  kernel<<<kVisitors / 4, 256>>>(lists, things, out);
  return total(out, kVisitors * 64);
}

// d: a column of a table, kept as runs: a value, what is added from row to row, and how many rows.
constexpr int kRuns = 1 << 13, kLongest = 200000, kChunk = 1024;

__device__ int opened(int value, int row) { return value + (value & 7) * row; }

__global__ __launch_bounds__(256) void open_runs(const int* starts, const int* values, int* out) {
  const int run = work_item() / 64, first = starts[run], end = starts[run + 1];
  const int value = values[run];
#pragma unroll 4
  for (int i = first + threadIdx.x % 64; i < end; i += 64) out[i] = opened(value, i - first);
}

__global__ __launch_bounds__(256) void open_chunks(const int* starts, const int* values, int* out,
                                                   int rows) {
  const int first = __builtin_amdgcn_readfirstlane(work_item() / 64) * kChunk;
  if (first >= rows) return;
  int run = 0;
  for (int step = kRuns / 2; step > 0; step /= 2)
    if (starts[run + step] <= first) run += step;
  const int end = min(first + kChunk, rows);
  for (int i = first + threadIdx.x % 64; i < end; i += 64) {
    while (starts[run + 1] <= i) ++run;
    out[i] = opened(values[run], i - starts[run]);
  }
}

double d(int variant) {
  std::vector<int> starts(kRuns + 1);
  for (int run = 0; run < kRuns; ++run)
    starts[run + 1] = starts[run] + (run % 171 == 100 ? kLongest : 32 + run * 37 % 64);
  int* device = filled<int>(kRuns + 1, 0);
  HIP_CHECK(hipMemcpy(device, starts.data(), sizeof(int) * (kRuns + 1), hipMemcpyHostToDevice));
  int* values = mixed<int>(kRuns, 4096);
  const int rows = starts[kRuns], chunks = (rows + kChunk - 1) / kChunk;
  int* out = filled<int>(rows, 0);
  if (variant) open_chunks<<<(chunks + 3) / 4, 256>>>(device, values, out, rows);
  else open_runs<<<kRuns / 4, 256>>>(device, values, out);
  return total(out, rows);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
