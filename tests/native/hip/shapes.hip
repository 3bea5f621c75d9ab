// Dispatches whose workgroups or phases differ much: what the timing simulation has to notice although
// it looks at parts only. The first argument chooses, others are numbers; times come from the trace.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

__device__ float steps(float x, int count) {
  for (int i = 0; i < count; ++i) x = x * 0.999f + 1.0f;
  return x;
}

// A row per wave.
__global__ void rows(const int* length, float* out, int count) {
  const int row = blockIdx.x * (blockDim.x / 64) + threadIdx.x / 64;
  if (row < count) out[row * 64 + threadIdx.x % 64] = steps(threadIdx.x, length[row]);
}

// Workgroup `heavy` does more than the others.
__global__ void groups(float* out, int heavy, int many, int few) {
  const int count = int(blockIdx.x) == heavy ? many : few;
  out[blockIdx.x * blockDim.x + threadIdx.x] = steps(threadIdx.x, count);
}

// Of the workgroups of each XCD every so many-th does more.
__global__ void spaced(float* out, int every, int many, int few) {
  const int count = int(blockIdx.x) / 8 % every == 0 ? many : few;
  out[blockIdx.x * blockDim.x + threadIdx.x] = steps(threadIdx.x, count);
}

// Every workgroup does a little more than the one before.
__global__ void growing(float* out, int groups_per_step) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = steps(threadIdx.x, blockIdx.x / groups_per_step);
}

__device__ float gather(const float* data, unsigned size, unsigned at, int loads) {
  float sum = 0;
  for (int i = 0; i < loads; ++i) {
    sum += data[at % size];
    at = at * 1664525u + 1013904223u;
  }
  return sum;
}

// Arithmetic and scattered loads, one after the other.
__global__ void phases(const float* data, unsigned size, float* out, int count, int loads,
                       int arithmetic_first) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  float x = id;
  for (int phase = 0; phase < 2; ++phase)
    x = phase != arithmetic_first ? steps(x, count)
                                  : x + gather(data, size, id * 2654435761u, loads);
  out[id] = x;
}

// Arithmetic and then scattered loads, more of both in every sixteenth workgroup: on an XCD that is not
// the first.
__global__ void tails(const float* data, unsigned size, float* out, int count, int loads,
                      int percent) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  const int part = blockIdx.x % 16 == 3 ? percent : 100;
  float x = steps(id, count * part / 100);
  out[id] = x + gather(data, size, id * 2654435761u, loads * part / 100);
}

// As many scattered loads as a workgroup draws by its number.
__global__ void drawn(const float* data, unsigned size, float* out, int most) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x,
                 lot = (blockIdx.x + 1) * 2654435761u >> 16;
  out[id] = gather(data, size, id * 2654435761u, most / 6 + lot % (most - most / 6));
}

// Lanes read the LDS from few of its banks.
__global__ void conflicts(float* out, int rounds, int stride) {
  __shared__ float data[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) data[i] = i;
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < rounds; ++round)
    sum += data[(threadIdx.x * stride + round * 33) % 4096];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Each workgroup reads its own memory again and again, the same for all lanes, with some arithmetic
// between: a loop that is longer than what is looked at in one go.
__global__ void again(const float* __restrict__ data, float* out, int lines, int rounds) {
  const float* mine = data + blockIdx.x * lines * 16;
  float x = threadIdx.x;
  unsigned at = 0;
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < lines; ++i) {
      const float found = mine[i * 16 + at];
      at = __builtin_amdgcn_readfirstlane(unsigned(found));
#pragma unroll
      for (int n = 0; n < 12; ++n) x = x * 0.999f + found;
    }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Scattered loads, each of which waits for the one before: many in workgroup `heavy`.
__global__ void chases(const float* data, unsigned size, float* out, int heavy, int many, int few) {
  const int count = int(blockIdx.x) == heavy ? many : few;
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = id * 2654435761u;
  for (int i = 0; i < count; ++i) at = (at + unsigned(data[at % size])) * 1664525u + 1013904223u;
  out[id] = at;
}

// Far more workgroups than there is work: those behind it end at once.
__global__ void surplus(const float* data, unsigned size, float* out, unsigned items, int loads) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= items) return;
  unsigned at = id * 2654435761u;
  for (int i = 0; i < loads; ++i) at = (at + unsigned(data[at % size])) * 1664525u + 1013904223u;
  out[id] = at;
}

// Each wave comes back to a few lines of its own some times before it goes on to others: a loop that
// is longer than what is looked at in one go.
__global__ void stays(const float* data, float* out, int phases, int rounds) {
  constexpr int kLines = 10;
  const int wave = blockIdx.x * (blockDim.x / 64) + threadIdx.x / 64;
  const float* mine = data + wave * phases * kLines * 32 + threadIdx.x % 32;
  float x = threadIdx.x;
  for (int phase = 0; phase < phases; ++phase, mine += kLines * 32)
    for (int round = 0; round < rounds; ++round)
      for (int i = 0; i < kLines; ++i) {
        const float found = mine[i * 32 + unsigned(x) / 0x10000000];
#pragma unroll
        for (int n = 0; n < 24; ++n) x = x * 0.5f + found;
      }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Waves of a workgroup meet again and again; the second half of them has done something before that.
__global__ void meetings(const float* data, float* out, int before, int rounds, int loads) {
  __shared__ float tile[512];
  const float* mine = data + blockIdx.x * rounds * loads * 256 + threadIdx.x / 64 * 32;
  float x = threadIdx.x < 256 ? 0 : steps(threadIdx.x, before);
  for (int round = 0; round < rounds; ++round) {
    tile[threadIdx.x] = x;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < loads; ++i) {
      x += mine[threadIdx.x % 32] * tile[i];
      mine += 256;
    }
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Workgroups of every other XCD do more.
__global__ void halves(float* out, int many, int few) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = steps(threadIdx.x, blockIdx.x % 2 ? many : few);
}

// Workgroups do the more the nearer to the middle of the grid they are, and one of their waves most of it.
__global__ void hill(float* out, int many, int few) {
  const int from_middle = abs(int(blockIdx.x) - int(gridDim.x / 2));
  const bool is_first = threadIdx.x / 64 == blockIdx.x % 4;
  const int count = is_first ? max(few, many - int(3l * many * from_middle / gridDim.x)) : few;
  out[blockIdx.x * blockDim.x + threadIdx.x] = steps(threadIdx.x, count);
}

// A row of memory per lane, as far as there are rows: the last workgroups find none.
__global__ void strides(const float* data, float* out, unsigned long rows, unsigned long columns) {
  const unsigned long row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (unsigned long i = 0; row < rows && i < columns; ++i) sum += data[row * columns + i];
  out[row] = sum;
}

// Workgroups that hardly live longer than their waves take to launch, two to a CU, one after the other.
__global__ void crowds(const float* table, int words, float* out) {
  extern __shared__ float lds[];
  const int i = (threadIdx.x + blockIdx.x * blockDim.x) % words;
  const float value = table[i];
  if (value == 123.0f) out[i] = value + lds[i & 63];
}

// Writes 4 KiB of memory that is new per workgroup.
__global__ void fills(float4* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = {1, 2, 3, 4}; }
// 1 KiB.
__global__ void narrow_fills(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  auto number = [&](int n) { return argc > n ? atoi(argv[n]) : 0; };
  float* out;
  if (hipMalloc(&out, 64 << 20) != hipSuccess) return 1;
  if (!strcmp(argv[1], "rows")) {
    const int count = number(2);
    std::vector<int> length(count, 50);
    length[number(3)] = number(4);
    int* lengths;
    if (hipMalloc(&lengths, count * sizeof(int)) != hipSuccess) return 1;
    if (hipMemcpy(lengths, length.data(), count * sizeof(int), hipMemcpyHostToDevice)) return 1;
    rows<<<(count + 3) / 4, 256>>>(lengths, out, count);
  } else if (!strcmp(argv[1], "groups")) {
    groups<<<number(2), 256>>>(out, number(3), number(4), 100);
  } else if (!strcmp(argv[1], "spaced")) {
    spaced<<<number(2), 256>>>(out, number(3), number(4), 100);
  } else if (!strcmp(argv[1], "growing")) {
    growing<<<number(2), 256>>>(out, number(3));
  } else if (!strcmp(argv[1], "phases")) {
    const unsigned size = 16u << 20;
    float* data;
    if (hipMalloc(&data, size * sizeof(float)) != hipSuccess) return 1;
    phases<<<number(2), 256>>>(data, size, out, number(3), number(4), number(5));
  }
  if (!strcmp(argv[1], "tails")) {
    const unsigned size = 16u << 20;
    float* data;
    if (hipMalloc(&data, size * sizeof(float)) != hipSuccess) return 1;
    tails<<<number(2), 64>>>(data, size, out, number(3), number(4), number(5));
  }
  if (!strcmp(argv[1], "drawn")) {
    const unsigned size = 1u << 20;
    float* data;
    if (hipMalloc(&data, size * sizeof(float)) != hipSuccess) return 1;
    drawn<<<number(2), 512>>>(data, size, out, number(3));
  }
  if (!strcmp(argv[1], "chases")) {
    const unsigned size = 16u << 20;
    float* data;
    if (hipMalloc(&data, size * sizeof(float)) != hipSuccess) return 1;
    chases<<<number(2), 64>>>(data, size, out, number(3), number(4), 4);
  } else if (!strcmp(argv[1], "surplus")) {
    const unsigned size = 16u << 20;
    float* data;
    if (hipMalloc(&data, size * sizeof(float)) != hipSuccess) return 1;
    surplus<<<number(2), 256>>>(data, size, out, number(3), number(4));
  } else if (!strcmp(argv[1], "again")) {
    const size_t bytes = size_t(number(2)) * number(3) * 64;
    float* data;
    if (hipMalloc(&data, bytes) != hipSuccess || hipMemset(data, 0, bytes) != hipSuccess) return 1;
    again<<<number(2), 64>>>(data, out, number(3), number(4));
  } else if (!strcmp(argv[1], "meetings")) {
    const size_t bytes = size_t(number(2)) * number(4) * number(5) * 1024;
    float* data;
    if (hipMalloc(&data, bytes) != hipSuccess) return 1;
    meetings<<<number(2), 512>>>(data, out, number(3), number(4), number(5));
  } else if (!strcmp(argv[1], "stays")) {
    const size_t bytes = size_t(number(2)) * 4 * number(3) * 10 * 128;
    float* data;
    if (hipMalloc(&data, bytes) != hipSuccess || hipMemset(data, 0, bytes) != hipSuccess) return 1;
    stays<<<number(2), 256>>>(data, out, number(3), number(4));
  } else if (!strcmp(argv[1], "strides")) {
    const size_t rows = size_t(number(3)) * 64, columns = number(4);
    float* data;
    if (hipMalloc(&data, rows * columns * sizeof(float)) != hipSuccess) return 1;
    strides<<<number(2), 64>>>(data, out, rows, columns);
  } else if (!strcmp(argv[1], "fills")) {
    fills<<<number(2), 256>>>(reinterpret_cast<float4*>(out));
  } else if (!strcmp(argv[1], "narrow_fills")) {
    narrow_fills<<<number(2), 256>>>(out);
  } else if (!strcmp(argv[1], "crowds")) {
    const int words = number(4);
    float* table;
    if (hipMalloc(&table, words * sizeof(float)) != hipSuccess) return 1;
    if (hipMemset(table, 0, words * sizeof(float)) != hipSuccess) return 1;
    crowds<<<number(2), number(3), 32768>>>(table, words, out);
  } else if (!strcmp(argv[1], "halves")) {
    halves<<<number(2), 256>>>(out, number(3), number(4));
  } else if (!strcmp(argv[1], "hill")) {
    hill<<<number(2), 256>>>(out, number(3), number(4));
  } else if (!strcmp(argv[1], "conflicts")) {
    conflicts<<<number(2), 256>>>(out, number(3), number(4));
  }
  return hipDeviceSynchronize() != hipSuccess;
}
