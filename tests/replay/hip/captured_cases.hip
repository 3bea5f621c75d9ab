// Small programs whose kernels are captured and replayed; the first argument names one. Each prints
// what its memory holds at the end, so that a test can see that capturing changed nothing.
#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "case_support.h"

// --- A list whose nodes lie in different allocations, visited in place ----------------------------

struct Node {
  Node* next;
  int value;
};

__global__ void chase(Node* first, int* sum) {
  for (Node* node = first; node; node = node->next) {
    node->value += 1;
    *sum += node->value;
  }
}

void pointer_chase() {
  std::vector<Node*> nodes;
  for (int i = 0; i < 40; ++i) nodes.push_back(device_memory<Node>(1 + i % 3 * 1000));
  for (int i = 0; i < 40; ++i) {
    const Node node{i + 1 < 40 ? nodes[(i + 1)] : nullptr, i * i};
    CHECK(hipMemcpy(nodes[i], &node, sizeof node, hipMemcpyHostToDevice));
  }
  int* sum = device_memory<int>(1);
  CHECK(hipMemset(sum, 0, sizeof(int)));
  for (int round = 0; round < 3; ++round) chase<<<1, 1>>>(nodes[0], sum);
  print("sum", sum, 1);
}

// --- The output is the input ----------------------------------------------------------------------

__global__ void update(float* data, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = data[i] * factor + i;
}

void in_place() {
  constexpr int kCount = 10000;
  float* data = device_memory<float>(kCount);
  std::vector<float> host(kCount, 1.5f);
  CHECK(hipMemcpy(data, host.data(), kCount * sizeof(float), hipMemcpyHostToDevice));
  for (int round = 0; round < 4; ++round) update<<<40, 256>>>(data, kCount, 0.5f);
  print("data", data, kCount);
}

// --- Three kernels in one code object; the captured one is neither first nor last -----------------

__global__ void alpha_kernel(int* out) { out[threadIdx.x] = 1000 + threadIdx.x; }
__global__ void middle_kernel(int* out, const int* in) { out[threadIdx.x] = in[threadIdx.x] * 7; }
__global__ void omega_kernel(int* out) { out[threadIdx.x] -= 3; }

void three_kernels() {
  int* a = device_memory<int>(64);
  int* b = device_memory<int>(64);
  alpha_kernel<<<1, 64>>>(a);
  middle_kernel<<<1, 64>>>(b, a);
  omega_kernel<<<1, 64>>>(b);
  print("b", b, 64);
}

// --- Dynamic LDS and a three-dimensional grid ------------------------------------------------------

__global__ void reverse_rows(int* data, int width) {
  extern __shared__ int row[];
  const int at = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * width;
  row[threadIdx.x] = data[at + threadIdx.x];
  __syncthreads();
  data[at + threadIdx.x] = row[width - 1 - threadIdx.x] + blockIdx.z * 100 + blockIdx.y * 10;
}

void dynamic_lds() {
  constexpr int kWidth = 128, kRows = 3 * 4 * 5;
  std::vector<int> host(kWidth * kRows);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<int>(i * 2654435761u);
  int* data = device_memory<int>(host.size());
  CHECK(hipMemcpy(data, host.data(), host.size() * sizeof(int), hipMemcpyHostToDevice));
  reverse_rows<<<dim3(3, 4, 5), kWidth, kWidth * sizeof(int)>>>(data, kWidth);
  print("data", data, host.size());
}

// --- Variables of the code object, and pointers to them ---------------------------------------------

__device__ int counter = 5;
__device__ int table[256];
__constant__ int scale[4] = {2, 3, 5, 7};
__device__ int* pointer_to_table;

__global__ void use_globals(int* through_pointer, int* out) {
  const int i = threadIdx.x;
  pointer_to_table[i] += scale[i % 4];  // the same memory three times: by name,
  through_pointer[i] += counter;        // by an argument, and by a pointer in memory
  out[i] = table[i];
  __syncthreads();
  if (i == 0) counter += 11;
}

void device_globals() {
  void* address = nullptr;
  CHECK(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
  std::vector<int> host(256);
  for (int i = 0; i < 256; ++i) host[i] = i * 3;
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(table), host.data(), 256 * sizeof(int)));
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(pointer_to_table), &address, sizeof address));
  const int factors[4] = {20, 30, 50, 70};
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(scale), factors, sizeof factors));
  int* out = device_memory<int>(256);
  for (int round = 0; round < 2; ++round)
    use_globals<<<1, 256>>>(static_cast<int*>(address), out);
  print("out", out, 256);
}

// --- Many allocations --------------------------------------------------------------------------------

__global__ void gather(int** parts, int count, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = ++*parts[i];
}

void many_allocations() {
  constexpr int kCount = 300;
  std::vector<int*> parts;
  for (int i = 0; i < kCount; ++i) {
    parts.push_back(device_memory<int>(i % 7 == 0 ? 700000 : 16));  // small and large pages
    CHECK(hipMemcpy(parts.back(), &i, sizeof i, hipMemcpyHostToDevice));
  }
  int** list = device_memory<int*>(kCount);
  CHECK(hipMemcpy(list, parts.data(), kCount * sizeof(int*), hipMemcpyHostToDevice));
  int* out = device_memory<int>(kCount);
  gather<<<2, 256>>>(list, kCount, out);
  print("out", out, kCount);
}

// --- Host memory that the device reaches: pinned, registered, managed --------------------------------

__global__ void add_all(int* pinned, int* registered, int* managed, int* out) {
  const int i = threadIdx.x;
  out[i] = pinned[i] + registered[i] + managed[i];
  registered[i] = out[i] * 2;
  managed[i] -= 1;
}

void host_memory() {
  int *pinned = nullptr, *managed = nullptr;
  CHECK(hipHostMalloc(&pinned, 64 * sizeof(int)));
  CHECK(hipMallocManaged(&managed, 64 * sizeof(int)));
  std::vector<int> own(1064);
  int* registered = own.data() + 500;
  CHECK(hipHostRegister(registered, 64 * sizeof(int), hipHostRegisterDefault));
  for (int i = 0; i < 64; ++i) {
    pinned[i] = i;
    registered[i] = 100 * i;
    managed[i] = 10000 * i;
  }
  void* mapped = nullptr;
  CHECK(hipHostGetDevicePointer(&mapped, registered, 0));
  int* out = device_memory<int>(64);
  add_all<<<1, 64>>>(pinned, static_cast<int*>(mapped), managed, out);
  print("out", out, 64);
  CHECK(hipHostUnregister(registered));
}

// --- Virtual memory with several mappings in one reservation -----------------------------------------

void virtual_memory() {
  hipMemAllocationProp properties{};
  properties.type = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  size_t granule = 0;
  CHECK(hipMemGetAllocationGranularity(&granule, &properties,
                                       hipMemAllocationGranularityMinimum));
  void* base = nullptr;
  CHECK(hipMemAddressReserve(&base, 8 * granule, 0, nullptr, 0));
  hipMemAccessDesc access{};
  access.location = properties.location;
  access.flags = hipMemAccessFlagsProtReadWrite;
  for (int part : {1, 2, 5}) {
    hipMemGenericAllocationHandle_t handle;
    CHECK(hipMemCreate(&handle, granule, &properties, 0));
    char* at = static_cast<char*>(base) + part * granule;
    CHECK(hipMemMap(at, granule, 0, handle, 0));
    CHECK(hipMemSetAccess(at, granule, &access, 1));
    CHECK(hipMemset(at, part, granule / 2));
  }
  auto* first = reinterpret_cast<float*>(static_cast<char*>(base) + granule);
  const int count = static_cast<int>(2 * granule / sizeof(float));  // across two mappings
  update<<<(count + 255) / 256, 256>>>(first, count, 2.0f);
  auto* last = reinterpret_cast<float*>(static_cast<char*>(base) + 5 * granule);
  update<<<1, 256>>>(last, 256, 3.0f);
  print("first", first, count / 2);
  print("last", last, 256);
}

// --- Memory of a pool ---------------------------------------------------------------------------------

void pool_memory() {
  hipStream_t stream;
  CHECK(hipStreamCreate(&stream));
  float* data = nullptr;
  CHECK(hipMallocAsync(reinterpret_cast<void**>(&data), 5000 * sizeof(float), stream));
  CHECK(hipMemsetAsync(data, 0, 5000 * sizeof(float), stream));
  update<<<20, 256, 0, stream>>>(data, 5000, 1.0f);
  update<<<20, 256, 0, stream>>>(data, 5000, 1.0f);
  CHECK(hipStreamSynchronize(stream));
  print("data", data, 5000);
}

// --- Two streams: what the captured kernel reads is written by a slow kernel that still runs ----------

__global__ void slow_fill(unsigned* out, int rounds) {
  unsigned value = threadIdx.x + 1;
  for (int i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  out[threadIdx.x] = value;
}
__global__ void quick_read(const unsigned* in, unsigned* out) { out[threadIdx.x] = in[threadIdx.x]; }

void two_streams() {
  hipStream_t slow, quick;
  CHECK(hipStreamCreateWithFlags(&slow, hipStreamNonBlocking));
  CHECK(hipStreamCreateWithFlags(&quick, hipStreamNonBlocking));
  unsigned* shared = device_memory<unsigned>(64);
  unsigned* out = device_memory<unsigned>(64);
  unsigned* warm = device_memory<unsigned>(64);
  CHECK(hipMemset(shared, 0, 256));
  quick_read<<<1, 64, 0, quick>>>(warm, out);  // the queue exists before the race starts
  CHECK(hipStreamSynchronize(quick));
  slow_fill<<<1, 64, 0, slow>>>(shared, 8000000);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it was submitted, and runs
  quick_read<<<1, 64, 0, quick>>>(shared, out);  // a race in the program: only a drain decides it
  CHECK(hipDeviceSynchronize());
  print("shared", shared, 64);
}

// --- A race that replays with other orders of waves uncover -------------------------------------------

__global__ void last_one_wins(int* out) { *out = blockIdx.x * blockDim.x + threadIdx.x; }

void write_race() {
  int* out = device_memory<int>(1);
  last_one_wins<<<64, 256>>>(out);
  CHECK(hipDeviceSynchronize());
}

// --- Memory of another GPU ------------------------------------------------------------------------------

__global__ void from_neighbour(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }

void peer_memory() {
  CHECK(hipSetDevice(1));
  int* far = device_memory<int>(64);
  CHECK(hipMemset(far, 1, 64 * sizeof(int)));
  CHECK(hipDeviceSynchronize());
  CHECK(hipSetDevice(0));
  CHECK(hipDeviceEnablePeerAccess(1, 0));
  int* out = device_memory<int>(64);
  from_neighbour<<<1, 64>>>(far, out);
  print("out", out, 64);
}

__global__ void trailing_failure(int* out) { *out = 1; }

void fails_later() {
  int* out = device_memory<int>(1);
  trailing_failure<<<1, 1>>>(out);
  CHECK(hipDeviceSynchronize());
  std::fprintf(stderr, "giving up\n");
  std::exit(9);
}

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> cases = {
      {"pointer_chase", pointer_chase}, {"in_place", in_place},
      {"three_kernels", three_kernels}, {"dynamic_lds", dynamic_lds},
      {"device_globals", device_globals}, {"many_allocations", many_allocations},
      {"host_memory", host_memory},     {"virtual_memory", virtual_memory},
      {"pool_memory", pool_memory},     {"two_streams", two_streams},
      {"peer_memory", peer_memory},
      {"write_race", write_race},       {"fails_later", fails_later},
  };
  const auto found = cases.find(argc > 1 ? argv[1] : "");
  if (found == cases.end()) return 2;
  found->second();
  return 0;
}
