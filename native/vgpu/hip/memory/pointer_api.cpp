// Questions about single addresses.
#include <cstring>

#include "hip/core/api.h"
#include "hip/core/memory.h"

namespace vgpu::hip {
namespace {

template <class T>
hipError_t give(void* data, T value) {
  std::memcpy(data, &value, sizeof value);
  return hipSuccess;
}

hipMemoryType type_of(AllocationKind kind) {
  if (kind == AllocationKind::Managed) return hipMemoryTypeManaged;
  return is_device_kind(kind) ? hipMemoryTypeDevice : hipMemoryTypeHost;
}

// What HIP answers of an address that it does not know.
hipError_t no_attribute(void* data, hipPointer_attribute which) {
  auto put = [data](auto nothing) { std::memcpy(data, &nothing, sizeof nothing); };
  switch (which) {
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR: put(uint64_t{0}); break;
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS: put(uint32_t{0}); break;
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
    case HIP_POINTER_ATTRIBUTE_MAPPED: put(false); break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: put(-2); break;
    default: break;
  }
  return hipErrorInvalidValue;
}

hipError_t attribute(void* data, hipPointer_attribute which, void* pointer) {
  std::optional<Allocation> known = MemoryMap::get().find(pointer);
  if (!data) return hipErrorInvalidValue;
  if (!known) return no_attribute(data, which);
  const bool device = is_device_kind(known->kind);
  switch (which) {
    case HIP_POINTER_ATTRIBUTE_CONTEXT:
    case HIP_POINTER_ATTRIBUTE_P2P_TOKENS:
    case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
    case HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return hipErrorNotSupported;
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: return give(data, type_of(known->kind));
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER: return give(data, pointer);
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
      return device ? no_attribute(data, which) : give(data, pointer);
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS: return give(data, known->waits_for_copies ? 1u : 0u);
    // ROCm writes 32 bits of this and of the size.
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID: return give(data, known->id);
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      return give(data, known->kind == AllocationKind::Managed);
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return give(data, known->device);
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return give(data, reinterpret_cast<void*>(known->base));
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE: return give(data, static_cast<uint32_t>(known->bytes));
    case HIP_POINTER_ATTRIBUTE_MAPPED: return give(data, true);
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS: return give(data, hipMemAccessFlagsProtReadWrite);
    default: return hipErrorInvalidValue;
  }
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute_, hipDeviceptr_t ptr) {
  HIP_API(hipPointerGetAttribute, data, attribute_, ptr);
  HIP_RETURN(attribute(data, attribute_, ptr));
}

hipError_t hipDrvPointerGetAttributes(unsigned numAttributes, hipPointer_attribute* attributes,
                                      void** data, hipDeviceptr_t ptr) {
  HIP_API(hipDrvPointerGetAttributes, numAttributes, attributes, data, ptr);
  if (!numAttributes || !attributes || !data || !ptr) HIP_RETURN(hipErrorInvalidValue);
  // An attribute that the address does not have is nothing, as in HIP; no failure tells so.
  for (unsigned i = 0; i < numAttributes; ++i) (void)attribute(data[i], attributes[i], ptr);
  HIP_RETURN(hipSuccess);
}

hipError_t hipPointerSetAttribute(const void* value, hipPointer_attribute attribute_,
                                  hipDeviceptr_t ptr) {
  HIP_API(hipPointerSetAttribute, value, attribute_, ptr);
  if (!value || !ptr || attribute_ != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
      *static_cast<const unsigned*>(value) > 1)
    HIP_RETURN(hipErrorInvalidValue);
  const bool waits = *static_cast<const unsigned*>(value) == 1;
  HIP_RETURN(MemoryMap::get().set_waits_for_copies(ptr, waits) ? hipSuccess
                                                               : hipErrorInvalidDevicePointer);
}

}  // extern "C"
