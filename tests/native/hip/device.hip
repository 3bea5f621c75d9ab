// Devices, occupancy, errors, modules, launches.
#include "cases.h"

#include <hip/hip_cooperative_groups.h>
#include <hip/hip_ext.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

__global__ void fill(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void __launch_bounds__(256) bounded(int* out) { out[threadIdx.x] = 1; }
__global__ void uses_lds(int* out) {
  __shared__ int tile[8192];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void dynamic_lds(int* out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void shape(unsigned* out) {
  if (threadIdx.x || threadIdx.y || threadIdx.z || blockIdx.x || blockIdx.y || blockIdx.z) return;
  out[0] = gridDim.x;
  out[1] = gridDim.y;
  out[2] = gridDim.z;
  out[3] = blockDim.x;
  out[4] = blockDim.y;
  out[5] = blockDim.z;
}
__global__ void across_the_grid(int* counts, int* valid) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  if (threadIdx.x == 0) counts[blockIdx.x] = blockIdx.x + 1;
  grid.sync();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += counts[i];
    counts[gridDim.x + blockIdx.x] = sum;
    if (blockIdx.x == 0) *valid = grid.is_valid();
  }
}

CASE(properties) {
  hipDeviceProp_t p;
  OK(hipGetDeviceProperties(&p, 0));
  CHECK(std::string(p.gcnArchName) == "gfx942:sramecc+:xnack-");
  CHECK(std::string(p.name) == "AMD Instinct MI300X (virtual)");
  CHECK(p.multiProcessorCount == 304 && p.warpSize == 64 && p.maxThreadsPerBlock == 1024);
  CHECK(p.maxThreadsPerMultiProcessor == 2048 && p.sharedMemPerBlock == 65536);
  CHECK(p.clockRate == 2100000 && p.memoryBusWidth == 8192 && p.l2CacheSize == 4 << 20);
  CHECK(p.totalGlobalMem > (size_t{180} << 30) && p.major == 9 && p.minor == 4);
  CHECK(p.arch.hasDoubles && !p.arch.hasDynamicParallelism && p.cooperativeLaunch);
  EXPECT(hipErrorInvalidDevice, hipGetDeviceProperties(&p, 9));
  int version;
  OK(hipRuntimeGetVersion(&version));
  CHECK(version / 10000000 == 7);
}

CASE(attributes_agree_with_properties) {
  hipDeviceProp_t p;
  int value;
  OK(hipGetDeviceProperties(&p, 0));
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
  CHECK(value == p.multiProcessorCount);
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxSharedMemoryPerBlock, 0));
  CHECK(value == 65536);
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeNumberOfXccs, 0));
  CHECK(value == 8);
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  CHECK(value == 64);
  EXPECT(hipErrorInvalidValue,
         hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(5000), 0));
}

CASE(bus_ids_lead_back) {
  char text[32];
  int device = -1;
  OK(hipDeviceGetPCIBusId(text, sizeof text, 0));
  OK(hipDeviceGetByPCIBusId(&device, text));
  CHECK(device == 0);
}

CASE(print_device_count) {
  int count = 0;
  hipError_t status = hipGetDeviceCount(&count);
  std::printf("%d %s\n", count, hipGetErrorName(status));
}

CASE(every_device_works) {
  int count = 0, access = 0, current = -1;
  OK(hipGetDeviceCount(&count));
  std::vector<int*> memory(count);
  for (int device = 0; device < count; ++device) {
    OK(hipSetDevice(device));
    OK(hipMalloc(&memory[device], 64 * sizeof(int)));
    fill<<<1, 64>>>(memory[device], device + 7);
    OK(hipDeviceSynchronize());
    CHECK(on_host(memory[device], 64)[63] == device + 7);
    hipPointerAttribute_t attributes;
    OK(hipPointerGetAttributes(&attributes, memory[device]));
    CHECK(attributes.device == device);
  }
  OK(hipGetDevice(&current));
  CHECK(current == count - 1);
  EXPECT(hipErrorInvalidDevice, hipSetDevice(count));
  if (count == 1) return;
  OK(hipDeviceCanAccessPeer(&access, 0, 1));
  CHECK(access == 1);
  OK(hipSetDevice(0));
  OK(hipDeviceEnablePeerAccess(1, 0));
  EXPECT(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(1, 0));
  OK(hipMemcpyPeer(memory[0], 0, memory[1], 1, 64 * sizeof(int)));
  CHECK(on_host(memory[0], 64)[0] == 8);
  // The host does not wait, but the default stream of the device that gets the data does.
  uint32_t* gate;
  OK(hipHostMalloc(&gate, 64, 0));
  *gate = 0;
  OK(hipMemset(memory[0], 1, 64 * sizeof(int)));
  OK(hipStreamWaitValue32(nullptr, gate, 1, hipStreamWaitValueEq, ~0u));
  OK(hipMemcpyPeer(memory[1], 1, memory[0], 0, 64 * sizeof(int)));
  OK(hipSetDevice(1));
  EXPECT(hipErrorNotReady, hipStreamQuery(nullptr));
  fill<<<1, 1>>>(memory[1], 5);
  __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
  const std::vector<int> got = on_host(memory[1], 64);
  CHECK(got[0] == 5 && got[1] == 0x01010101);
  // hipMemcpy from device to device waits where they are two.
  *gate = 0;
  OK(hipStreamWaitValue32(nullptr, gate, 1, hipStreamWaitValueEq, ~0u));
  std::atomic<bool> returned{false};
  std::thread caller([&] {
    OK(hipSetDevice(1));
    OK(hipMemcpy(memory[0], memory[1], 64 * sizeof(int), hipMemcpyDeviceToDevice));
    returned = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const bool early = returned;
  __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
  caller.join();
  CHECK(!early);
}

CASE(limits) {
  size_t value;
  OK(hipDeviceGetLimit(&value, hipLimitMallocHeapSize));
  CHECK(value >= 4 << 20);
  OK(hipDeviceSetLimit(hipLimitStackSize, 4096));
  OK(hipDeviceGetLimit(&value, hipLimitStackSize));
  CHECK(value == 4096);
  EXPECT(hipErrorUnsupportedLimit, hipDeviceSetLimit(static_cast<hipLimit_t>(99), 1));
}

CASE(occupancy) {
  int blocks, grid, block;
  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0));
  CHECK(blocks == 8);
  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 1024, 0));
  CHECK(blocks == 2);
  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 64, 16384));
  CHECK(blocks == 4);
  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, uses_lds, 256, 0));
  CHECK(blocks == 2);
  OK(hipOccupancyMaxPotentialBlockSize(&grid, &block, fill, 0, 0));
  CHECK(block == 1024 && grid == 2 * 304);
  OK(hipOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
  CHECK(block == 256 && grid == 8 * 304);
}

CASE(launch_errors_are_kept_until_asked) {
  int* out = on_device(std::vector<int>(64));
  fill<<<1, 2048>>>(out, 1);
  EXPECT(hipErrorInvalidConfiguration, hipPeekAtLastError());
  OK(hipDeviceSynchronize());
  EXPECT(hipErrorInvalidConfiguration, hipGetLastError());
  OK(hipGetLastError());
  fill<<<0, 64>>>(out, 1);
  EXPECT(hipErrorInvalidValue, hipGetLastError());
  dynamic_lds<<<1, 64, 100000>>>(out);
  CHECK(hipGetLastError() != hipSuccess);
  bounded<<<1, 512>>>(out);
  CHECK(hipGetLastError() != hipSuccess);
  EXPECT(hipErrorInvalidDeviceFunction,
         hipLaunchKernel(out, dim3(1), dim3(1), nullptr, 0, nullptr));
  EXPECT(hipErrorInvalidDeviceFunction, hipGetLastError());
}

CASE(errors_have_names_and_texts) {
  CHECK(std::string(hipGetErrorName(hipErrorOutOfMemory)) == "hipErrorOutOfMemory");
  CHECK(std::string(hipGetErrorString(hipErrorOutOfMemory)) == "out of memory");
  CHECK(std::string(hipGetErrorString(hipSuccess)) == "no error");
}

CASE(launch_shapes_reach_the_kernel) {
  unsigned* out = on_device(std::vector<unsigned>(6));
  shape<<<dim3(3, 4, 5), dim3(2, 3, 4)>>>(out);
  CHECK((on_host(out, 6) == std::vector<unsigned>{3, 4, 5, 2, 3, 4}));
}

CASE(shared_memory_of_both_kinds) {
  int* out = on_device(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  dynamic_lds<<<1, 8, 32>>>(out);
  CHECK((on_host(out, 8) == std::vector<int>{7, 6, 5, 4, 3, 2, 1, 0}));
  uses_lds<<<1, 8>>>(out);
  CHECK((on_host(out, 8) == std::vector<int>{1, 0, 3, 2, 5, 4, 7, 6}));
}

CASE(grids_synchronize) {
  int blocks = 40, valid_host = 0;
  int* counts = on_device(std::vector<int>(80));
  int* valid = on_device<int>({0});
  void* arguments[] = {&counts, &valid};
  OK(hipLaunchCooperativeKernel(across_the_grid, dim3(blocks), dim3(128), arguments, 0, nullptr));
  std::vector<int> back = on_host(counts, 80);
  for (int i = 0; i < blocks; ++i) CHECK(back[blocks + i] == blocks * (blocks + 1) / 2);
  OK(hipMemcpy(&valid_host, valid, 4, hipMemcpyDeviceToHost));
  CHECK(valid_host == 1);
  EXPECT(hipErrorCooperativeLaunchTooLarge,
         hipLaunchCooperativeKernel(across_the_grid, dim3(100000), dim3(128), arguments, 0, nullptr));
}

CASE(kernel_handles) {
  hipFunction_t function;
  int* out = on_device(std::vector<int>(100));
  int value = 6;
  void* arguments[] = {&out, &value};
  OK(hipGetFuncBySymbol(&function, reinterpret_cast<const void*>(fill)));
  OK(hipModuleLaunchKernel(function, 1, 1, 1, 100, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(on_host(out, 100)[99] == 6);
  struct {
    int* out;
    int value;
  } packed{out, 8};
  size_t bytes = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   HIP_LAUNCH_PARAM_END};
  OK(hipModuleLaunchKernel(function, 1, 1, 1, 100, 1, 1, 0, nullptr, nullptr, extra));
  CHECK(on_host(out, 100)[0] == 8);
  hipFuncAttributes attributes;
  OK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(bounded)));
  CHECK(attributes.maxThreadsPerBlock == 256 && attributes.numRegs > 0);
  OK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(uses_lds)));
  CHECK(attributes.sharedSizeBytes == 32768);
  EXPECT(hipErrorInvalidHandle, hipModuleLaunchKernel(reinterpret_cast<hipFunction_t>(out), 1, 1, 1,
                                                     1, 1, 1, 0, nullptr, arguments, nullptr));
}

CASE(a_grid_in_work_items) {
  hipFunction_t function;
  int* out = on_device(std::vector<int>(128, -1));
  int value = 3;
  void* arguments[] = {&out, &value};
  hipEvent_t start, stop;
  float time;
  OK(hipEventCreate(&start));
  OK(hipEventCreate(&stop));
  OK(hipGetFuncBySymbol(&function, reinterpret_cast<const void*>(fill)));
  const auto launch = [&](uint32_t items, uint32_t block, uint32_t rows = 1, uint32_t high = 1) {
    return hipExtModuleLaunchKernel(function, items, rows, 1, block, high, 1, 0, nullptr, arguments,
                                    nullptr, start, stop, 0);
  };
  OK(launch(100, 50));
  std::vector<int> back = on_host(out, 128);
  CHECK(back[99] == 3 && back[100] == -1);
  OK(hipEventElapsedTime(&time, start, stop));
  CHECK(time > 0);
  // The compiler relied on whole workgroups; one that is larger than the grid is made smaller.
  EXPECT(hipErrorInvalidValue, launch(100, 64));
  EXPECT(hipErrorInvalidValue, launch(64, 64, 3, 2));
  value = 4;
  OK(launch(10, 64));
  back = on_host(out, 128);
  CHECK(back[9] == 4 && back[10] == 3);
}

// HIP_TEST_MODULE is compiled for workgroups that may be partly filled.
CASE(a_grid_of_workgroups_that_are_not_all_full) {
  hipModule_t module;
  hipFunction_t function;
  OK(hipModuleLoad(&module, std::getenv("HIP_TEST_MODULE")));
  OK(hipModuleGetFunction(&function, module, "twice"));
  int* values = on_device(std::vector<int>(64, 1));
  void* arguments[] = {&values};
  OK(hipExtModuleLaunchKernel(function, 100, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr,
                              nullptr, nullptr, 0));
  const std::vector<int> back = on_host(values, 64);
  CHECK(back[35] == 4 && back[36] == 2 && back[63] == 2);   // 36 items in the second one
}

CASE(modules_load_from_a_file) {
  const char* path = std::getenv("HIP_TEST_MODULE");
  CHECK(path != nullptr);
  hipModule_t module;
  hipFunction_t function;
  OK(hipModuleLoad(&module, path));
  OK(hipModuleGetFunction(&function, module, "twice"));
  int* values = on_device(std::vector<int>{1, 2, 3, 4});
  void* arguments[] = {&values};
  OK(hipModuleLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK((on_host(values, 4) == std::vector<int>{2, 4, 6, 8}));
  hipDeviceptr_t global;
  size_t bytes;
  OK(hipModuleGetGlobal(&global, &bytes, module, "answer"));
  int answer = 0;
  OK(hipMemcpyDtoH(&answer, global, bytes));
  CHECK(bytes == 4 && answer == 42);
  EXPECT(hipErrorNotFound, hipModuleGetFunction(&function, module, "thrice"));
  OK(hipModuleUnload(module));
  EXPECT(hipErrorNotFound, hipModuleUnload(module));
  EXPECT(hipErrorFileNotFound, hipModuleLoad(&module, "/no/such/file"));
  EXPECT(hipErrorInvalidImage, hipModuleLoadData(&module, "not a code object, just some text"));
}

CASE(functions_by_name) {
  void* found = nullptr;
  hipDriverProcAddressQueryResult status;
  OK(hipGetProcAddress("hipMalloc", &found, 70000000, 0, &status));
  CHECK(found != nullptr && status == HIP_GET_PROC_ADDRESS_SUCCESS);
  EXPECT(hipErrorInvalidValue, hipGetProcAddress("hipNoSuchThing", &found, 7, 0, &status));
  CHECK(status == HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

CASE(what_is_not_supported_says_so) {
  hipExternalMemory_t memory;
  hipExternalMemoryHandleDesc description{};
  EXPECT(hipErrorNotSupported, hipImportExternalMemory(&memory, &description));
  EXPECT(hipErrorNotSupported, hipImportExternalMemory(&memory, &description));
  EXPECT(hipErrorNotSupported, hipGetLastError());
}
