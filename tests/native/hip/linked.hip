// linked WAY MEGABYTES [GROUPS]: kernels that move data between the device and memory of the host or
// of another device; the test reads the times from the recording.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#define CHECK(call) \
  if (hipError_t status = (call)) std::printf("%s\n", hipGetErrorString(status)), std::exit(1)

constexpr int kThreads = 256;

__global__ void move(const float4* from, float4* to, size_t count) {
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x)
    to[i] = from[i];
}

__device__ float4 variable[1 << 16];

__global__ void read_variable(float4* to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = variable[i];
}

__global__ void add(unsigned* words) {
  __hip_atomic_fetch_add(words + threadIdx.x / 16 * 32, 1u, __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_SYSTEM);
}

struct Memory {
  size_t bytes;
  float4* own() {
    float4* memory;
    CHECK(hipMalloc(&memory, bytes));
    return memory;
  }
  float4* host() {
    float4* memory;
    CHECK(hipHostMalloc(&memory, bytes, hipHostMallocDefault));
    return memory;
  }
  float4* managed() {
    float4* memory;
    CHECK(hipMallocManaged(&memory, bytes, hipMemAttachGlobal));
    return memory;
  }
  float4* of_peer(int device) {
    CHECK(hipSetDevice(device));
    float4* memory = own();
    CHECK(hipSetDevice(0));
    CHECK(hipDeviceEnablePeerAccess(device, 0));
    return memory;
  }
};

struct Mover {
  size_t count;
  unsigned groups;
  void operator()(const float4* from, float4* to, hipStream_t stream = nullptr) const {
    move<<<groups, kThreads, 0, stream>>>(from, to, count);
  }
};

void on_two_streams(Memory memory, const Mover& mover) {
  const float4* from[2] = {memory.host(), memory.host()};
  float4* to[2] = {memory.own(), memory.own()};
  hipStream_t streams[2];
  for (hipStream_t& stream : streams)
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  for (int n = 0; n < 2; ++n) mover(from[n], to[n], streams[n]);
}

// Where it is, half of it moved, all of it, and all of it back.
void prefetched(Memory memory, const Mover& mover) {
  float4 *managed = memory.managed(), *own = memory.own();
  mover(managed, own);
  CHECK(hipMemPrefetchAsync(managed, memory.bytes / 2, 0, nullptr));
  mover(managed, own);
  CHECK(hipMemPrefetchAsync(managed, memory.bytes, 0, nullptr));
  mover(managed, own);
  CHECK(hipMemPrefetchAsync(managed, memory.bytes, hipCpuDeviceId, nullptr));
  mover(managed, own);
}

// On the first device and on the second one, in memory of theirs.
void read_on_each_device(Memory memory) {
  for (int device = 0; device < 2; ++device) {
    CHECK(hipSetDevice(device));
    float4* own = memory.own();
    read_variable<<<(1 << 16) / kThreads, kThreads>>>(own);
    CHECK(hipDeviceSynchronize());
  }
}

void wait_for_prefetch(Memory memory) {
  float4* managed = memory.managed();
  hipEvent_t before, behind;
  CHECK(hipEventCreate(&before));
  CHECK(hipEventCreate(&behind));
  CHECK(hipEventRecord(before, nullptr));
  CHECK(hipMemPrefetchAsync(managed, memory.bytes, 0, nullptr));
  CHECK(hipEventRecord(behind, nullptr));
  CHECK(hipEventSynchronize(behind));
  float milliseconds;
  CHECK(hipEventElapsedTime(&milliseconds, before, behind));
  std::printf("%f\n", double(milliseconds));
}

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  Memory memory{size_t(argc > 2 ? std::atoi(argv[2]) : 1) << 20};
  const Mover mover{memory.bytes / sizeof(float4), argc > 3 ? unsigned(std::atoi(argv[3])) : 304};
  if (way == "own") mover(memory.own(), memory.own());
  if (way == "from_host") mover(memory.host(), memory.own());
  if (way == "to_host") mover(memory.own(), memory.host());
  if (way == "host_to_host") mover(memory.host(), memory.host());
  if (way == "from_peer") mover(memory.of_peer(1), memory.own());
  if (way == "to_peer") mover(memory.own(), memory.of_peer(1));
  if (way == "from_peer_to_peer") mover(memory.of_peer(1), memory.of_peer(2));
  if (way == "streams") on_two_streams(memory, mover);
  if (way == "prefetched") prefetched(memory, mover);
  if (way == "prefetch") wait_for_prefetch(memory);
  if (way == "variables") read_on_each_device(memory);
  if (way == "atomics") add<<<1, kThreads>>>(reinterpret_cast<unsigned*>(memory.host()));
  CHECK(hipDeviceSynchronize());
}
