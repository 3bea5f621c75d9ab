// Kinds of memory, copies of lines, rectangles and boxes, fills, symbols.
#include "cases.h"

__global__ void increment(int* values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += 1;
}

__device__ int counter = 40;
__constant__ int factors[4];
__managed__ int shared_value = 5;
__global__ void use_symbols(int* out) {
  counter += 2;
  out[threadIdx.x] = factors[threadIdx.x] * 10;
  if (threadIdx.x == 0) shared_value *= 3;
}

std::vector<int> numbers(int count) {
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = i;
  return values;
}

CASE(every_kind_of_memory_is_reachable) {
  int *device, *pinned, *managed;
  std::vector<int> plain = numbers(256);
  OK(hipMalloc(&device, 1024));
  OK(hipHostMalloc(&pinned, 1024, hipHostMallocMapped));
  OK(hipMallocManaged(&managed, 1024));
  OK(hipHostRegister(plain.data(), 1024, hipHostRegisterDefault));
  OK(hipMemcpy(device, plain.data(), 1024, hipMemcpyDefault));
  for (int i = 0; i < 256; ++i) pinned[i] = managed[i] = i;
  for (int* memory : {device, pinned, managed, plain.data()})
    increment<<<1, 256>>>(memory, 256);
  OK(hipDeviceSynchronize());
  std::vector<int> back = on_host(device, 256);
  for (int i = 0; i < 256; ++i)
    CHECK(back[i] == i + 1 && pinned[i] == i + 1 && managed[i] == i + 1 && plain[i] == i + 1);
  OK(hipHostUnregister(plain.data()));
  OK(hipHostFree(pinned));
  OK(hipFree(managed));
  OK(hipFree(device));
}

CASE(attributes_of_pointers) {
  void *device, *pinned, *managed;
  int local;
  hipPointerAttribute_t attributes;
  OK(hipMalloc(&device, 64));
  OK(hipHostMalloc(&pinned, 64, 0));
  OK(hipMallocManaged(&managed, 64));
  OK(hipPointerGetAttributes(&attributes, static_cast<char*>(device) + 8));
  CHECK(attributes.type == hipMemoryTypeDevice && attributes.device == 0);
  OK(hipPointerGetAttributes(&attributes, pinned));
  CHECK(attributes.type == hipMemoryTypeHost && attributes.hostPointer == pinned);
  OK(hipPointerGetAttributes(&attributes, managed));
  CHECK(attributes.type == hipMemoryTypeManaged && attributes.isManaged);
  OK(hipPointerGetAttributes(&attributes, &local));
  CHECK(attributes.type == hipMemoryTypeUnregistered);
  size_t bytes;
  void* base;
  OK(hipMemGetAddressRange(&base, &bytes, static_cast<char*>(device) + 10));
  CHECK(base == device && bytes == 64);
}

unsigned id_of(void* memory) {
  unsigned id[2] = {0, 0x5a5a5a5a};   // ROCm writes 32 bits
  OK(hipPointerGetAttribute(id, HIP_POINTER_ATTRIBUTE_BUFFER_ID, memory));
  CHECK(id[1] == 0x5a5a5a5a);
  return id[0];
}

CASE(no_two_allocations_have_the_same_id) {
  char *first, *second, *again, *pinned;
  OK(hipMalloc(&first, 4096));
  const unsigned one = id_of(first);
  CHECK(one != 0 && id_of(first + 4095) == one);
  OK(hipMalloc(&second, 4096));
  OK(hipHostMalloc(&pinned, 4096, 0));
  CHECK(id_of(second) > one && id_of(pinned) > id_of(second));
  const unsigned last = id_of(pinned);
  OK(hipFree(first));   // its place in memory is free for others, its id is not
  for (int n = 0; n < 100; ++n) {
    OK(hipMalloc(&again, 4096));
    CHECK(id_of(again) > last + n);
    OK(hipFree(again));
  }
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  OK(hipMallocAsync(reinterpret_cast<void**>(&first), 4096, stream));
  const unsigned pooled = id_of(first);
  OK(hipFreeAsync(first, stream));
  OK(hipMallocAsync(reinterpret_cast<void**>(&again), 4096, stream));
  CHECK(again == first && id_of(again) > pooled);   // the same memory is another allocation
}

CASE(free_memory_is_counted) {
  size_t before, total, during, after;
  void* memory;
  OK(hipMemGetInfo(&before, &total));
  CHECK(total > (size_t{180} << 30) && before <= total);
  OK(hipMalloc(&memory, size_t{1} << 20));
  OK(hipMemGetInfo(&during, &total));
  CHECK(before - during >= size_t{1} << 20);
  OK(hipFree(memory));
  OK(hipMemGetInfo(&after, &total));
  CHECK(after == before);
  EXPECT(hipErrorOutOfMemory, hipMalloc(&memory, size_t{400} << 30));
  CHECK(memory == nullptr);
}

CASE(wrong_frees_fail) {
  int local;
  void* pinned;
  OK(hipFree(nullptr));
  EXPECT(hipErrorInvalidValue, hipFree(&local));
  OK(hipHostMalloc(&pinned, 16, 0));
  OK(hipHostFree(pinned));
  EXPECT(hipErrorInvalidValue, hipHostFree(pinned));
  int* device;
  OK(hipMalloc(&device, 64));
  EXPECT(hipErrorInvalidValue, hipFree(device + 1));
  OK(hipFree(device));
  EXPECT(hipErrorInvalidValue, hipFree(device));
}

CASE(copies_are_checked) {
  std::vector<int> host = numbers(32);
  int* device = on_device(host);
  EXPECT(hipErrorInvalidValue, hipMemcpy(device, host.data(), 1 << 20, hipMemcpyHostToDevice));
  EXPECT(hipErrorInvalidMemcpyDirection,
         hipMemcpy(device, host.data(), 4, static_cast<hipMemcpyKind>(77)));
  EXPECT(hipErrorInvalidValue, hipMemcpy(nullptr, host.data(), 4, hipMemcpyHostToDevice));
  OK(hipMemcpy(nullptr, nullptr, 0, hipMemcpyHostToDevice));
}

CASE(asynchronous_copies_between_kernels) {
  constexpr int kCount = 4096;
  int *pinned, *device;
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  OK(hipHostMalloc(&pinned, kCount * 4, 0));
  OK(hipMalloc(&device, kCount * 4));
  for (int i = 0; i < kCount; ++i) pinned[i] = i;
  OK(hipMemcpyAsync(device, pinned, kCount * 4, hipMemcpyHostToDevice, stream));
  for (int i = 0; i < 5; ++i) increment<<<kCount / 256, 256, 0, stream>>>(device, kCount);
  OK(hipMemcpyAsync(pinned, device, kCount * 4, hipMemcpyDeviceToHost, stream));
  OK(hipStreamSynchronize(stream));
  for (int i = 0; i < kCount; ++i) CHECK(pinned[i] == i + 5);
}

CASE(rectangles) {
  constexpr size_t kWidth = 10, kHeight = 7;
  std::vector<int> host = numbers(kWidth * kHeight), back(kWidth * kHeight, -1);
  void* device;
  size_t pitch;
  OK(hipMallocPitch(&device, &pitch, kWidth * 4, kHeight));
  CHECK(pitch >= kWidth * 4);
  OK(hipMemset2D(device, pitch, 0xff, pitch, kHeight));
  OK(hipMemcpy2D(device, pitch, host.data(), kWidth * 4, kWidth * 4, kHeight,
                 hipMemcpyHostToDevice));
  OK(hipMemcpy2D(back.data(), kWidth * 4, device, pitch, kWidth * 4, kHeight,
                 hipMemcpyDeviceToHost));
  CHECK(back == host);
  // A column of three elements out of the middle.
  std::vector<int> column(kHeight);
  OK(hipMemcpy2D(column.data(), 4, static_cast<char*>(device) + 12, pitch, 4, kHeight,
                 hipMemcpyDeviceToHost));
  for (size_t y = 0; y < kHeight; ++y) CHECK(column[y] == int(y * kWidth + 3));
  EXPECT(hipErrorInvalidPitchValue,
         hipMemcpy2D(device, 8, host.data(), kWidth * 4, kWidth * 4, kHeight, hipMemcpyDefault));
}

CASE(boxes) {
  hipExtent extent = make_hipExtent(5 * 4, 4, 3);
  hipPitchedPtr device;
  OK(hipMalloc3D(&device, extent));
  OK(hipMemset3D(device, 0, extent));
  std::vector<int> host = numbers(60), back(60, -1);
  hipMemcpy3DParms copy{};
  copy.srcPtr = make_hipPitchedPtr(host.data(), 20, 20, 4);
  copy.dstPtr = device;
  copy.extent = extent;
  copy.kind = hipMemcpyHostToDevice;
  OK(hipMemcpy3D(&copy));
  copy.srcPtr = device;
  copy.dstPtr = make_hipPitchedPtr(back.data(), 20, 20, 4);
  copy.kind = hipMemcpyDeviceToHost;
  OK(hipMemcpy3D(&copy));
  CHECK(back == host);
  // One element at (x 2, y 1, z 2).
  int one = 0;
  copy.srcPos = make_hipPos(8, 1, 2);
  copy.dstPtr = make_hipPitchedPtr(&one, 4, 4, 1);
  copy.extent = make_hipExtent(4, 1, 1);
  OK(hipMemcpy3D(&copy));
  CHECK(one == 2 * 20 + 1 * 5 + 2);
}

CASE(arrays_are_pitched_memory) {
  hipArray_t array;
  hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  OK(hipMallocArray(&array, &format, 6, 5));
  std::vector<float> host(30), back(30, -1.0f);
  for (int i = 0; i < 30; ++i) host[i] = 0.5f * i;
  OK(hipMemcpy2DToArray(array, 0, 0, host.data(), 24, 24, 5, hipMemcpyHostToDevice));
  OK(hipMemcpy2DFromArray(back.data(), 24, array, 0, 0, 24, 5, hipMemcpyDeviceToHost));
  CHECK(back == host);
  float part[2];
  OK(hipMemcpy2DFromArray(part, 8, array, 8, 3, 8, 1, hipMemcpyDeviceToHost));
  CHECK(part[0] == host[20] && part[1] == host[21]);
  hipTextureObject_t texture;
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  hipTextureDesc description{};
  EXPECT(hipErrorNotSupported, hipCreateTextureObject(&texture, &resource, &description, nullptr));
  OK(hipFreeArray(array));
}

CASE(fills) {
  unsigned* device;
  OK(hipMalloc(&device, 64));
  OK(hipMemset(device, 0x5a, 64));
  CHECK(on_host(device, 16)[7] == 0x5a5a5a5a);
  OK(hipMemsetD32(device, 0x12345678, 16));
  OK(hipMemsetD16(device, static_cast<unsigned short>(0xbeef), 2));
  OK(hipMemsetD8(device + 1, 7, 1));
  std::vector<unsigned> back = on_host(device, 16);
  CHECK(back[0] == 0xbeefbeef && back[1] == 0x12345607 && back[15] == 0x12345678);
}

CASE(symbols) {
  int start = 0, expected[4] = {1, 2, 3, 4};
  OK(hipMemcpyFromSymbol(&start, HIP_SYMBOL(counter), sizeof start));
  CHECK(start == 40);
  OK(hipMemcpyToSymbol(HIP_SYMBOL(factors), expected, sizeof expected));
  int* out = on_device(std::vector<int>(4));
  use_symbols<<<1, 1>>>(out);
  OK(hipDeviceSynchronize());
  OK(hipMemcpyFromSymbol(&start, HIP_SYMBOL(counter), sizeof start));
  CHECK(start == 42 && on_host(out, 1)[0] == 10 && shared_value == 15);
  size_t bytes;
  void* address;
  OK(hipGetSymbolSize(&bytes, HIP_SYMBOL(factors)));
  OK(hipGetSymbolAddress(&address, HIP_SYMBOL(factors)));
  CHECK(bytes == 16);
  OK(hipMemcpy(&start, static_cast<int*>(address) + 2, 4, hipMemcpyDeviceToHost));
  CHECK(start == 3);
  EXPECT(hipErrorInvalidValue, hipMemcpyToSymbol(HIP_SYMBOL(factors), expected, 16, 4));
  EXPECT(hipErrorInvalidSymbol, hipGetSymbolSize(&bytes, &start));
}

CASE(pools) {
  hipStream_t stream;
  hipMemPool_t pool;
  OK(hipStreamCreate(&stream));
  OK(hipDeviceGetDefaultMemPool(&pool, 0));
  int* memory;
  OK(hipMallocAsync(reinterpret_cast<void**>(&memory), 4096, stream));
  uint64_t used;
  OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  CHECK(used == 4096);
  OK(hipMemsetAsync(memory, 0, 4096, stream));
  increment<<<4, 256, 0, stream>>>(memory, 1024);
  std::vector<int> back(1024);
  OK(hipMemcpyAsync(back.data(), memory, 4096, hipMemcpyDeviceToHost, stream));
  OK(hipFreeAsync(memory, stream));
  OK(hipStreamSynchronize(stream));
  for (int value : back) CHECK(value == 1);
  OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  CHECK(used == 0);
  OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, &used));
  CHECK(used == 4096);
}

CASE(virtual_memory) {
  hipMemAllocationProp properties{};
  properties.type = hipMemAllocationTypePinned;
  properties.location = {hipMemLocationTypeDevice, 0};
  size_t granule;
  OK(hipMemGetAllocationGranularity(&granule, &properties, hipMemAllocationGranularityRecommended));
  hipMemGenericAllocationHandle_t handle;
  void* address;
  OK(hipMemCreate(&handle, granule, &properties, 0));
  OK(hipMemAddressReserve(&address, 2 * granule, 0, nullptr, 0));
  OK(hipMemMap(address, granule, 0, handle, 0));
  hipMemAccessDesc access{properties.location, hipMemAccessFlagsProtReadWrite};
  OK(hipMemSetAccess(address, granule, &access, 1));
  OK(hipMemset(address, 0, granule));
  increment<<<1, 64>>>(static_cast<int*>(address), 64);
  CHECK(on_host(static_cast<int*>(address), 64)[63] == 1);
  OK(hipMemUnmap(address, granule));
  OK(hipMemRelease(handle));
  OK(hipMemAddressFree(address, 2 * granule));
}

CASE(hints_are_remembered) {
  int* managed;
  int place = 0, read_mostly = 0;
  OK(hipMallocManaged(&managed, 4096));
  OK(hipMemAdvise(managed, 4096, hipMemAdviseSetReadMostly, 0));
  OK(hipMemRangeGetAttribute(&read_mostly, 4, hipMemRangeAttributeReadMostly, managed, 4096));
  OK(hipMemPrefetchAsync(managed, 4096, 0, nullptr));
  OK(hipDeviceSynchronize());
  OK(hipMemRangeGetAttribute(&place, 4, hipMemRangeAttributeLastPrefetchLocation, managed, 4096));
  CHECK(read_mostly == 1 && place == 0);
}

CASE(a_reset_frees_everything) {
  size_t before, after, total;
  OK(hipMemGetInfo(&before, &total));
  void* memory;
  OK(hipMalloc(&memory, 1 << 20));
  OK(hipDeviceReset());
  OK(hipMemGetInfo(&after, &total));
  CHECK(after == before);
  EXPECT(hipErrorInvalidValue, hipFree(memory));
}
