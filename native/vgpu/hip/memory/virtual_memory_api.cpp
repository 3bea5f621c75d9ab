// Address ranges and memory as separate things: reserve, create, map, allow access.
#include <hsa/hsa_ext_amd.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "hip/core/api.h"
#include "hip/core/handle_set.h"
#include "hip/core/memory.h"
#include "hip/core/runtime.h"

namespace vgpu::hip {
namespace {

struct Memory {
  hsa_amd_vmem_alloc_handle_t handle{0};
  hipMemAllocationProp properties{};
  size_t bytes = 0;
  unsigned references = 1;  // the program's handles
};

struct Mapping {
  Memory* memory;
  size_t bytes;
};

struct Mappings {
  std::mutex mutex;
  std::map<uintptr_t, Mapping> by_address;
};

Mappings& mappings() {
  static Mappings* instance = new Mappings();
  return *instance;
}

Memory* find_memory(hipMemGenericAllocationHandle_t handle) {
  return HandleSet<Memory>::get().find(handle);
}

hipError_t translate(hsa_status_t status, hipError_t failure) {
  if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES) return hipErrorOutOfMemory;
  return status == HSA_STATUS_SUCCESS ? hipSuccess : failure;
}

hipError_t check_properties(const hipMemAllocationProp* p) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  if (!p || p->type != hipMemAllocationTypePinned || p->location.type != hipMemLocationTypeDevice)
    return hipErrorInvalidValue;
  return p->location.id >= 0 && p->location.id < runtime.device_count() ? hipSuccess
                                                                        : hipErrorInvalidValue;
}

size_t granule(const Device& device, bool recommended) {
  size_t bytes = 0;
  hsa_amd_memory_pool_get_info(device.coarse,
                               recommended ? HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE
                                           : HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE,
                               &bytes);
  return bytes;
}

hipError_t create(hipMemGenericAllocationHandle_t* handle, size_t bytes,
                  const hipMemAllocationProp* properties, unsigned long long flags) {
  if (hipError_t status = check_properties(properties)) return status;
  Device& device = Runtime::get().device(properties->location.id);
  if (!handle || bytes == 0 || flags || bytes % granule(device, false)) return hipErrorInvalidValue;
  if (properties->requestedHandleType != hipMemHandleTypeNone &&
      properties->requestedHandleType != hipMemHandleTypePosixFileDescriptor)
    return hipErrorNotSupported;
  auto memory = std::make_unique<Memory>();
  memory->properties = *properties;
  memory->bytes = bytes;
  hsa_status_t status =
      hsa_amd_vmem_handle_create(device.coarse, bytes, MEMORY_TYPE_NONE, 0, &memory->handle);
  if (status != HSA_STATUS_SUCCESS) return translate(status, hipErrorOutOfMemory);
  HandleSet<Memory>::get().add(memory.get());
  *handle = reinterpret_cast<hipMemGenericAllocationHandle_t>(memory.release());
  return hipSuccess;
}

hipError_t map(void* address, size_t bytes, size_t offset, Memory& memory) {
  // HIP maps from the start of the memory, all of it or less.
  if (!address || bytes == 0 || offset || bytes > memory.bytes) return hipErrorInvalidValue;
  hsa_status_t status = hsa_amd_vmem_map(address, bytes, offset, memory.handle, 0);
  if (status != HSA_STATUS_SUCCESS) return translate(status, hipErrorInvalidValue);
  const auto base = reinterpret_cast<uintptr_t>(address);
  MemoryMap::get().add(
      {base, bytes, AllocationKind::Borrowed, memory.properties.location.id, 0, nullptr});
  std::lock_guard<std::mutex> hold(mappings().mutex);
  mappings().by_address[base] = {&memory, bytes};
  return hipSuccess;
}

hipError_t unmap(void* address, size_t bytes) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  for (int i = 0; i < runtime.device_count(); ++i) runtime.synchronize_device(runtime.device(i));
  std::lock_guard<std::mutex> hold(mappings().mutex);
  auto known = mappings().by_address.find(reinterpret_cast<uintptr_t>(address));
  if (known == mappings().by_address.end() || known->second.bytes != bytes)
    return hipErrorInvalidValue;
  hsa_status_t status = hsa_amd_vmem_unmap(address, bytes);
  if (status != HSA_STATUS_SUCCESS) return translate(status, hipErrorInvalidValue);
  mappings().by_address.erase(known);
  MemoryMap::get().remove(address);
  return hipSuccess;
}

hipError_t set_access(void* address, size_t bytes, const hipMemAccessDesc* list, size_t count) {
  if (!address || !bytes || !list || !count) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  std::vector<hsa_amd_memory_access_desc_t> wanted;
  for (size_t i = 0; i < count; ++i) {
    if (list[i].location.type != hipMemLocationTypeDevice || list[i].location.id < 0 ||
        list[i].location.id >= runtime.device_count())
      return hipErrorInvalidValue;
    // The numbers of hipMemAccessFlags are those of HSA: none, read, read and write.
    wanted.push_back({static_cast<hsa_access_permission_t>(list[i].flags),
                      runtime.device(list[i].location.id).agent});
  }
  return translate(hsa_amd_vmem_set_access(address, bytes, wanted.data(), wanted.size()),
                   hipErrorInvalidValue);
}

hipError_t release_memory(hipMemGenericAllocationHandle_t handle) {
  Memory* memory = find_memory(handle);
  if (!memory) return hipErrorInvalidValue;
  if (--memory->references) return hipSuccess;
  HandleSet<Memory>::get().remove(memory);
  hsa_status_t status = hsa_amd_vmem_handle_release(memory->handle);
  delete memory;
  return translate(status, hipErrorInvalidValue);
}

hipError_t export_memory(void* shareable, hipMemGenericAllocationHandle_t handle,
                         hipMemAllocationHandleType type) {
  Memory* memory = find_memory(handle);
  if (!shareable || !memory || type != hipMemHandleTypePosixFileDescriptor ||
      memory->properties.requestedHandleType != type)
    return hipErrorInvalidValue;
  return translate(
      hsa_amd_vmem_export_shareable_handle(static_cast<int*>(shareable), memory->handle, 0),
      hipErrorInvalidValue);
}

hipError_t import_memory(hipMemGenericAllocationHandle_t* handle, void* shareable,
                         hipMemAllocationHandleType type) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  if (!handle || !shareable || type != hipMemHandleTypePosixFileDescriptor)
    return hipErrorInvalidValue;
  const int descriptor = shared_descriptor(shareable);
  struct stat file;
  if (fstat(descriptor, &file) != 0) return hipErrorInvalidValue;
  auto memory = std::make_unique<Memory>();
  hsa_status_t status = hsa_amd_vmem_import_shareable_handle(descriptor, &memory->handle);
  if (status != HSA_STATUS_SUCCESS) return translate(status, hipErrorInvalidValue);
  memory->bytes = static_cast<size_t>(file.st_size);
  memory->properties.type = hipMemAllocationTypePinned;
  memory->properties.location = {hipMemLocationTypeDevice, runtime.current_index()};
  memory->properties.requestedHandleType = type;
  HandleSet<Memory>::get().add(memory.get());
  *handle = reinterpret_cast<hipMemGenericAllocationHandle_t>(memory.release());
  return hipSuccess;
}

}  // namespace

int shared_descriptor(const void* given) {
  constexpr uintptr_t kNoAddress = 0x10000;  // nothing is ever mapped below
  const auto value = reinterpret_cast<uintptr_t>(given);
  return value < kNoAddress ? static_cast<int>(value) : *static_cast<const int*>(given);
}

}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipMemAddressReserve(void** ptr, size_t size, size_t alignment, void* addr,
                                unsigned long long flags) {
  HIP_API(hipMemAddressReserve, ptr, size, alignment, addr, flags);
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) HIP_RETURN(runtime.status());
  if (!ptr || flags) HIP_RETURN(hipErrorInvalidValue);
  const size_t page = granule(runtime.current(), false);
  if (size == 0 || size % page || (alignment & (alignment - 1))) HIP_RETURN(hipErrorOutOfMemory);
  const auto wanted = reinterpret_cast<uint64_t>(addr);
  HIP_RETURN(
      translate(hsa_amd_vmem_address_reserve_align(ptr, size, wanted, std::max(alignment, page), 0),
                hipErrorOutOfMemory));
}

hipError_t hipMemAddressFree(void* devPtr, size_t size) {
  HIP_API(hipMemAddressFree, devPtr, size);
  if (!devPtr || size == 0) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(translate(hsa_amd_vmem_address_free(devPtr, size), hipErrorInvalidValue));
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle, size_t size,
                        const hipMemAllocationProp* prop, unsigned long long flags) {
  HIP_API(hipMemCreate, handle, size, prop, flags);
  HIP_RETURN(create(handle, size, prop, flags));
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
  HIP_API(hipMemRelease, handle);
  HIP_RETURN(release_memory(handle));
}

hipError_t hipMemMap(void* ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags) {
  HIP_API(hipMemMap, ptr, size, offset, handle, flags);
  Memory* memory = find_memory(handle);
  HIP_RETURN(memory && !flags ? map(ptr, size, offset, *memory) : hipErrorInvalidValue);
}

hipError_t hipMemUnmap(void* ptr, size_t size) {
  HIP_API(hipMemUnmap, ptr, size);
  HIP_RETURN(unmap(ptr, size));
}

hipError_t hipMemSetAccess(void* ptr, size_t size, const hipMemAccessDesc* desc, size_t count) {
  HIP_API(hipMemSetAccess, ptr, size, desc, count);
  HIP_RETURN(set_access(ptr, size, desc, count));
}

hipError_t hipMemGetAccess(unsigned long long* flags, const hipMemLocation* location, void* ptr) {
  HIP_API(hipMemGetAccess, flags, location, ptr);
  Runtime& runtime = Runtime::get();
  if (!flags || !location || !ptr || location->type != hipMemLocationTypeDevice ||
      location->id < 0 || location->id >= runtime.device_count())
    HIP_RETURN(hipErrorInvalidValue);
  hsa_access_permission_t permission = HSA_ACCESS_PERMISSION_NONE;
  hsa_status_t status =
      hsa_amd_vmem_get_access(ptr, &permission, runtime.device(location->id).agent);
  *flags = permission;
  HIP_RETURN(translate(status, hipErrorInvalidValue));
}

hipError_t hipMemGetAllocationGranularity(size_t* granularity, const hipMemAllocationProp* prop,
                                          hipMemAllocationGranularity_flags option) {
  HIP_API(hipMemGetAllocationGranularity, granularity, prop, option);
  if (!granularity || (option != hipMemAllocationGranularityMinimum &&
                       option != hipMemAllocationGranularityRecommended))
    HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check_properties(prop)) HIP_RETURN(status);
  *granularity = granule(Runtime::get().device(prop->location.id),
                         option == hipMemAllocationGranularityRecommended);
  HIP_RETURN(hipSuccess);
}

hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp* prop,
                                                   hipMemGenericAllocationHandle_t handle) {
  HIP_API(hipMemGetAllocationPropertiesFromHandle, prop, handle);
  Memory* memory = find_memory(handle);
  if (!prop || !memory) HIP_RETURN(hipErrorInvalidValue);
  *prop = memory->properties;
  HIP_RETURN(hipSuccess);
}

hipError_t hipMemExportToShareableHandle(void* shareableHandle,
                                         hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType handleType,
                                         unsigned long long flags) {
  HIP_API(hipMemExportToShareableHandle, shareableHandle, handle, handleType, flags);
  HIP_RETURN(flags ? hipErrorInvalidValue : export_memory(shareableHandle, handle, handleType));
}

hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t* handle, void* osHandle,
                                           hipMemAllocationHandleType shHandleType) {
  HIP_API(hipMemImportFromShareableHandle, handle, osHandle, shHandleType);
  HIP_RETURN(import_memory(handle, osHandle, shHandleType));
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* addr) {
  HIP_API(hipMemRetainAllocationHandle, handle, addr);
  if (!handle) HIP_RETURN(hipErrorInvalidValue);
  std::lock_guard<std::mutex> hold(mappings().mutex);
  auto known = mappings().by_address.find(reinterpret_cast<uintptr_t>(addr));
  if (known == mappings().by_address.end()) HIP_RETURN(hipErrorInvalidValue);
  ++known->second.memory->references;
  *handle = reinterpret_cast<hipMemGenericAllocationHandle_t>(known->second.memory);
  HIP_RETURN(hipSuccess);
}

}  // extern "C"
