// Allocation and queries.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "hip/copy/copy.h"
#include "hip/core/api.h"
#include "hip/core/graph_capture.h"
#include "hip/core/memory.h"
#include "hip/core/runtime.h"

namespace vgpu::hip {
namespace {

constexpr size_t kPitchAlignment = 256;  // texture pitch alignment of the device

size_t pitch_of(size_t width) { return (width + kPitchAlignment - 1) & ~(kPitchAlignment - 1); }

hipError_t allocate_pitched(void** pointer, size_t* pitch, size_t width, size_t rows) {
  if (!pointer || !pitch) return hipErrorInvalidValue;
  if (width > SIZE_MAX - kPitchAlignment) return hipErrorInvalidValue;
  *pitch = pitch_of(width);
  size_t bytes = 0;
  if (__builtin_mul_overflow(*pitch, rows, &bytes)) return hipErrorOutOfMemory;
  return allocate_device(pointer, bytes);
}

// Whether the program has memory at every page of the range.
bool is_mapped(void* start, size_t bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(start) & ~(page - 1);
  const auto length = reinterpret_cast<uintptr_t>(start) + bytes - first;
  return msync(reinterpret_cast<void*>(first), length, MS_ASYNC) == 0;
}

bool is_registered(const void* host) {
  std::optional<Allocation> known = MemoryMap::get().find(host);
  return known && known->kind == AllocationKind::Registered && known->user == host;
}

hipError_t unregister_host(void* host) {
  if (!host) return hipErrorInvalidValue;
  if (!is_registered(host)) return hipErrorHostMemoryNotRegistered;
  Runtime& runtime = Runtime::get();
  runtime.synchronize_device(runtime.device(MemoryMap::get().find(host)->device));
  MemoryMap::get().remove(host);
  hsa_amd_memory_unlock(host);
  return hipSuccess;
}

hipError_t register_host(void* host, size_t bytes, unsigned flags) {
  constexpr unsigned kAllFlags = hipHostRegisterPortable | hipHostRegisterMapped |
                                 hipHostRegisterIoMemory | hipExtHostRegisterCoarseGrained |
                                 hipExtHostRegisterUncached;
  if (!host || bytes == 0 || (flags & ~kAllFlags) || !is_mapped(host, bytes))
    return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  // A program may give memory back without a word and get the same address again: ROCm takes the
  // second registration.
  if (is_registered(host)) (void)unregister_host(host);
  if (MemoryMap::get().find(host)) return hipErrorHostMemoryAlreadyRegistered;
  void* device_pointer = nullptr;
  if (hsa_amd_memory_lock(host, bytes, nullptr, 0, &device_pointer) != HSA_STATUS_SUCCESS)
    return hipErrorInvalidValue;
  MemoryMap::get().add({reinterpret_cast<uintptr_t>(host), bytes, AllocationKind::Registered,
                        runtime.current_index(), flags, host});
  return hipSuccess;
}

hipError_t attributes(hipPointerAttribute_t* result, const void* pointer) {
  if (!result) return hipErrorInvalidValue;
  std::memset(result, 0, sizeof *result);
  std::optional<Allocation> known = MemoryMap::get().find(pointer);
  if (!known) {  // the program's own memory, or a null pointer: no error since HIP 7
    result->type = hipMemoryTypeUnregistered;
    result->device = hipInvalidDeviceId;
    return hipSuccess;
  }
  bool managed = known->kind == AllocationKind::Managed;
  bool device = is_device_kind(known->kind);
  result->type = managed ? hipMemoryTypeManaged : device ? hipMemoryTypeDevice : hipMemoryTypeHost;
  result->device = known->device;
  result->devicePointer = const_cast<void*>(pointer);
  result->hostPointer = device ? nullptr : const_cast<void*>(pointer);
  result->isManaged = managed;
  result->allocationFlags = known->flags;
  return hipSuccess;
}

bool is_kind_of_device_memory(unsigned flags) {
  return flags == hipDeviceMallocDefault || flags == hipDeviceMallocFinegrained ||
         flags == hipDeviceMallocUncached || flags == hipDeviceMallocContiguous ||
         flags == hipMallocSignalMemory;
}

hipError_t free_host(void* pointer) {
  std::optional<Allocation> known = MemoryMap::get().find(pointer);
  if (pointer && (!known || known->kind != AllocationKind::Pinned)) return hipErrorInvalidValue;
  if (hipError_t status = capture_forbids_waiting()) return status;
  return release(pointer);
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipMalloc(void** ptr, size_t size) {
  HIP_API(hipMalloc, ptr, size);
  HIP_RETURN(allocate_device(ptr, size));
}

hipError_t hipExtMallocWithFlags(void** ptr, size_t sizeBytes, unsigned flags) {
  HIP_API(hipExtMallocWithFlags, ptr, sizeBytes, flags);
  if (!is_kind_of_device_memory(flags) || (flags == hipMallocSignalMemory && sizeBytes != 8))
    HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(allocate_device(ptr, sizeBytes, flags));
}

hipError_t hipMallocHost(void** ptr, size_t size) {
  HIP_API(hipMallocHost, ptr, size);
  HIP_RETURN(allocate_host(ptr, size, 0, AllocationKind::Pinned));
}

hipError_t hipMemAllocHost(void** ptr, size_t size) {
  HIP_API(hipMemAllocHost, ptr, size);
  HIP_RETURN(allocate_host(ptr, size, 0, AllocationKind::Pinned));
}

hipError_t hipHostMalloc(void** ptr, size_t size, unsigned flags) {
  HIP_API(hipHostMalloc, ptr, size, flags);
  HIP_RETURN(allocate_host(ptr, size, flags, AllocationKind::Pinned));
}

hipError_t hipHostAlloc(void** ptr, size_t size, unsigned flags) {
  HIP_API(hipHostAlloc, ptr, size, flags);
  constexpr unsigned kAllFlags =
      hipHostAllocPortable | hipHostAllocMapped | hipHostAllocWriteCombined;
  if (flags > kAllFlags) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(allocate_host(ptr, size, flags, AllocationKind::Pinned));
}

hipError_t hipMallocManaged(void** dev_ptr, size_t size, unsigned flags) {
  HIP_API(hipMallocManaged, dev_ptr, size, flags);
  if (size == 0 || (flags != hipMemAttachGlobal && flags != hipMemAttachHost))
    HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(allocate_host(dev_ptr, size, flags, AllocationKind::Managed));
}

hipError_t hipFree(void* ptr) {
  HIP_API(hipFree, ptr);
  HIP_RETURN(release(ptr));  // memory of hipHostMalloc too, as ROCm does
}

hipError_t hipFreeHost(void* ptr) {
  HIP_API(hipFreeHost, ptr);
  HIP_RETURN(free_host(ptr));
}

hipError_t hipHostFree(void* ptr) {
  HIP_API(hipHostFree, ptr);
  HIP_RETURN(free_host(ptr));
}

hipError_t hipHostRegister(void* hostPtr, size_t sizeBytes, unsigned flags) {
  HIP_API(hipHostRegister, hostPtr, sizeBytes, flags);
  HIP_RETURN(register_host(hostPtr, sizeBytes, flags));
}

hipError_t hipHostUnregister(void* hostPtr) {
  HIP_API(hipHostUnregister, hostPtr);
  HIP_RETURN(unregister_host(hostPtr));
}

hipError_t hipHostGetDevicePointer(void** devPtr, void* hstPtr, unsigned flags) {
  HIP_API(hipHostGetDevicePointer, devPtr, hstPtr, flags);
  if (!devPtr || flags != 0) HIP_RETURN(hipErrorInvalidValue);
  std::optional<Allocation> known = MemoryMap::get().find(hstPtr);
  if (!known || known->kind == AllocationKind::Device) HIP_RETURN(hipErrorInvalidValue);
  *devPtr = hstPtr;  // one address space for host and device
  HIP_RETURN(hipSuccess);
}

hipError_t hipHostGetFlags(unsigned* flagsPtr, void* hostPtr) {
  HIP_API(hipHostGetFlags, flagsPtr, hostPtr);
  std::optional<Allocation> known = MemoryMap::get().find(hostPtr);
  if (!flagsPtr || !known || known->kind == AllocationKind::Device)
    HIP_RETURN(hipErrorInvalidValue);
  *flagsPtr = known->flags;
  HIP_RETURN(hipSuccess);
}

hipError_t hipMallocPitch(void** ptr, size_t* pitch, size_t width, size_t height) {
  HIP_API(hipMallocPitch, ptr, pitch, width, height);
  HIP_RETURN(allocate_pitched(ptr, pitch, width, height));
}

hipError_t hipMemAllocPitch(hipDeviceptr_t* dptr, size_t* pitch, size_t widthInBytes, size_t height,
                            unsigned elementSizeBytes) {
  HIP_API(hipMemAllocPitch, dptr, pitch, widthInBytes, height, elementSizeBytes);
  HIP_RETURN(allocate_pitched(dptr, pitch, widthInBytes, height));
}

hipError_t hipMalloc3D(hipPitchedPtr* pitchedDevPtr, hipExtent extent) {
  HIP_API(hipMalloc3D, pitchedDevPtr, extent);
  if (!pitchedDevPtr) HIP_RETURN(hipErrorInvalidValue);
  size_t pitch = 0;
  hipError_t status =
      allocate_pitched(&pitchedDevPtr->ptr, &pitch, extent.width, extent.height * extent.depth);
  pitchedDevPtr->pitch = pitch;
  pitchedDevPtr->xsize = extent.width;
  pitchedDevPtr->ysize = extent.height;
  HIP_RETURN(status);
}

hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  HIP_API(hipMemGetInfo, free, total);
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) HIP_RETURN(runtime.status());
  Device& device = runtime.current();
  if (free) *free = device.memory_bytes - device.used_bytes;
  if (total) *total = device.memory_bytes;
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  HIP_API(hipDeviceTotalMem, bytes, device);
  Runtime& runtime = Runtime::get();
  if (device < 0 || device >= runtime.device_count()) HIP_RETURN(hipErrorInvalidDevice);
  if (!bytes) HIP_RETURN(hipErrorInvalidValue);
  *bytes = runtime.device(device).memory_bytes;
  HIP_RETURN(hipSuccess);
}

hipError_t hipMemPtrGetInfo(void* ptr, size_t* size) {
  HIP_API(hipMemPtrGetInfo, ptr, size);
  std::optional<Allocation> known = MemoryMap::get().find(ptr);
  if (!size || !known) HIP_RETURN(hipErrorInvalidValue);
  *size = known->bytes;
  HIP_RETURN(hipSuccess);
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* pbase, size_t* psize, hipDeviceptr_t dptr) {
  HIP_API(hipMemGetAddressRange, pbase, psize, dptr);
  std::optional<Allocation> known = MemoryMap::get().find(dptr);
  if (!known) HIP_RETURN(hipErrorNotFound);
  if (pbase) *pbase = reinterpret_cast<void*>(known->base);
  if (psize) *psize = known->bytes;
  HIP_RETURN(hipSuccess);
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* result, const void* ptr) {
  HIP_API(hipPointerGetAttributes, result, ptr);
  HIP_RETURN(attributes(result, ptr));
}

}  // extern "C"
