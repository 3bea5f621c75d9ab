// meeting KIND COUNT [OTHER]: waves that wait for each other through memory, atomics on a hot line, cold
// reads on several streams; the test reads the times from the recording.
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call) \
  if (hipError_t status = (call)) std::printf("%s\n", hipGetErrorString(status)), std::exit(1)

constexpr int kApart = 64;  // flags, each in a line of its own
constexpr int kBins = 256, kGroups = 304, kThreads = 256, kKeysEach = 4;

__device__ int load(const int* flag) {
  return __hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ void store(int* flag, int value) {
  __hip_atomic_store(flag, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ void wait_for(const int* flag, int value) {
  while (load(flag) < value) {
  }
}

// Each workgroup waits for the one before it; `wanted` says which comes first.
__global__ void chain(int* flags, int backwards) {
  const int place = backwards ? int(gridDim.x - 1 - blockIdx.x) : int(blockIdx.x);
  if (threadIdx.x != 0) return;
  if (place > 0) wait_for(flags + (place - 1) * kApart, 1);
  store(flags + place * kApart, 1);
}

__global__ void ping_pong(int* flags, int rounds, int partner) {
  if (threadIdx.x != 0 || (blockIdx.x != 0 && int(blockIdx.x) != partner)) return;
  for (int round = 1; round <= rounds; ++round) {
    if (blockIdx.x != 0) wait_for(flags, round);
    store(flags + (blockIdx.x == 0 ? 0 : kApart), round);
    if (blockIdx.x == 0) wait_for(flags + kApart, round);
  }
}

__global__ void barrier(int* counter, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __hip_atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
      wait_for(counter, round * int(gridDim.x));
    }
    __syncthreads();
  }
}

__global__ void grid_sync(int* out, int rounds) {
  for (int round = 0; round < rounds; ++round) cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) out[blockIdx.x] = rounds;
}

// Nobody stores what it reads again and again.
__global__ void read_again(volatile int* flags, int rounds) {
  int sum = 0;
  for (int round = 0; round < rounds; ++round) sum += flags[0];
  if (threadIdx.x == 0) flags[kApart] = sum;
}

__global__ void histogram(const unsigned* keys, unsigned* bins) {
  const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int n = 0; n < kKeysEach; ++n)
    atomicAdd(&bins[keys[first + size_t(n) * gridDim.x * blockDim.x]], 1u);
}

__global__ void read(const float4* from, float* to, size_t count) {
  float sum = 0;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x) {
    const float4 v = from[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 12345.f) *to = sum;
}

__global__ void compute(float* out, int rounds) {
  float a = float(threadIdx.x);
  for (int i = 0; i < rounds; ++i) a = a * 0.999f + 0.5f;
  out[threadIdx.x] = a;
}

__global__ void touch(const unsigned* words, unsigned* to, size_t apart) {
  if (words[(size_t(blockIdx.x) * blockDim.x + threadIdx.x) * apart] == 1) *to = 1;
}

// One load behind the other, at places that nobody can foresee; all words are 0.
__global__ void chase(const unsigned* words, unsigned* to, unsigned lines, int steps) {
  unsigned at = 0;
  for (int step = 0; step < steps; ++step)
    at = (at * 1664525u + 1013904223u + words[size_t(at / 7 % lines) * 32]);
  *to = at;
}

std::vector<hipStream_t> streams(int count) {
  std::vector<hipStream_t> all(size_t(count), nullptr);
  for (hipStream_t& stream : all) CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  return all;
}

// Four parts of `megabytes` each that nobody has touched.
void read_on_streams(int* memory, int count, int megabytes) {
  constexpr int kParts = 4, kGroupsOfPart = 76 * 8;
  const size_t bytes = size_t(megabytes) << 20;
  char* cold;
  CHECK(hipMalloc(&cold, kParts * bytes));
  auto* out = reinterpret_cast<float*>(memory);
  const std::vector<hipStream_t> all = streams(count);
  for (int part = 0; part < kParts; ++part)
    read<<<kGroupsOfPart, kThreads, 0, all[size_t(part % count)]>>>(
        reinterpret_cast<const float4*>(cold + size_t(part) * bytes), out, bytes / sizeof(float4));
}

void chase_over(int* memory, int megabytes) {
  constexpr size_t kPage = 64 << 10, kLine = 128;
  constexpr int kSteps = 20000;
  const size_t bytes = size_t(megabytes) << 20;
  unsigned* words;
  auto* out = reinterpret_cast<unsigned*>(memory);
  CHECK(hipMalloc(&words, bytes));
  touch<<<unsigned(bytes / kPage / 64), 64>>>(words, out, kPage / sizeof(unsigned));
  chase<<<1, 1>>>(words, out, unsigned(bytes / kLine), kSteps);
}

void count_keys(int* memory, int hot_percent) {
  const size_t count = size_t(kGroups) * kThreads * kKeysEach;
  std::vector<unsigned> drawn(count);
  unsigned state = 1;
  const auto draw = [&state] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (unsigned& key : drawn) {
    const unsigned any = draw() % kBins;
    key = int(draw() % 100) < hot_percent ? 7 : any;
  }
  unsigned* keys;
  CHECK(hipMalloc(&keys, count * sizeof(unsigned)));
  CHECK(hipMemcpy(keys, drawn.data(), count * sizeof(unsigned), hipMemcpyHostToDevice));
  histogram<<<kGroups, kThreads>>>(keys, reinterpret_cast<unsigned*>(memory));
}

void copy(const std::string& way, size_t bytes) {
  char *device, *pinned;
  std::vector<char> pageable(bytes);
  CHECK(hipMalloc(&device, bytes));
  CHECK(hipHostMalloc(&pinned, bytes, 0));
  char* const host = way == "pinned" ? pinned : pageable.data();
  if (way == "registered") CHECK(hipHostRegister(host, bytes, 0));
  CHECK(hipMemcpy(device, host, bytes, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(host, device, bytes, hipMemcpyDeviceToHost));
}

int main(int argc, char** arguments) {
  const std::string kind = arguments[1];
  const int count = argc > 2 ? std::atoi(arguments[2]) : 0;
  int other = argc > 3 ? std::atoi(arguments[3]) : 0;
  int* memory;
  CHECK(hipMalloc(&memory, 1 << 20));
  CHECK(hipMemset(memory, 0, 1 << 20));
  if (kind == "chain") chain<<<count, 64>>>(memory, other);
  if (kind == "ping_pong") ping_pong<<<16, 64>>>(memory, count, other);
  if (kind == "barrier") barrier<<<other, kThreads>>>(memory, count);
  if (kind == "grid_sync") {
    int rounds = count;
    void* passed[] = {&memory, &rounds};
    CHECK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(grid_sync), dim3(unsigned(other)),
                                     dim3(kThreads), passed, 0, nullptr));
  }
  if (kind == "read_again") read_again<<<other, 64>>>(memory, count);
  if (kind == "histogram") count_keys(memory, count);
  if (kind == "read") read_on_streams(memory, count, other);
  if (kind == "chase") chase_over(memory, count);
  if (kind == "compute")
    for (hipStream_t stream : streams(count))
      compute<<<8, 64, 0, stream>>>(reinterpret_cast<float*>(memory), 20000);
  if (kind == "pinned" || kind == "pageable" || kind == "registered") copy(kind, size_t(count) << 20);
  CHECK(hipDeviceSynchronize());
  std::puts("done");
}
