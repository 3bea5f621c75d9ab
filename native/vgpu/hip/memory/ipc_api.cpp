// Memory of one process in another, through HSA's handles.
#include <hsa/hsa_ext_amd.h>

#include <cstring>

#include "hip/core/api.h"
#include "hip/core/memory.h"
#include "hip/core/runtime.h"

namespace vgpu::hip {
namespace {

// What hipIpcMemHandle_t's 64 bytes hold.
struct Handle {
  hsa_amd_ipc_memory_t memory;
  uint64_t bytes;
};
static_assert(sizeof(Handle) <= sizeof(hipIpcMemHandle_t), "fits into HIP's handle");

hipError_t get_handle(hipIpcMemHandle_t* result, void* pointer) {
  std::optional<Allocation> known = MemoryMap::get().find(pointer);
  if (!result || !known || known->kind != AllocationKind::Device) return hipErrorInvalidValue;
  Handle handle{};
  handle.bytes = known->bytes;
  if (hsa_amd_ipc_memory_create(reinterpret_cast<void*>(known->base), known->bytes,
                                &handle.memory) != HSA_STATUS_SUCCESS)
    return not_supported("sharing device memory with another process");
  std::memset(result, 0, sizeof *result);
  std::memcpy(result, &handle, sizeof handle);
  return hipSuccess;
}

hipError_t open_handle(void** pointer, const hipIpcMemHandle_t& shared) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  if (!pointer) return hipErrorInvalidValue;
  Handle handle;
  std::memcpy(&handle, &shared, sizeof handle);
  Device& device = runtime.current();
  if (hsa_amd_ipc_memory_attach(&handle.memory, handle.bytes, 1, &device.agent, pointer) !=
      HSA_STATUS_SUCCESS)
    return hipErrorInvalidValue;
  MemoryMap::get().add({reinterpret_cast<uintptr_t>(*pointer), handle.bytes,
                        AllocationKind::Borrowed, device.index, 0, nullptr});
  return hipSuccess;
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* devPtr) {
  HIP_API(hipIpcGetMemHandle, handle, devPtr);
  HIP_RETURN(get_handle(handle, devPtr));
}

hipError_t hipIpcOpenMemHandle(void** devPtr, hipIpcMemHandle_t handle, unsigned flags) {
  HIP_API(hipIpcOpenMemHandle, devPtr, handle, flags);
  HIP_RETURN(flags == hipIpcMemLazyEnablePeerAccess ? open_handle(devPtr, handle)
                                                    : hipErrorInvalidValue);
}

hipError_t hipIpcCloseMemHandle(void* devPtr) {
  HIP_API(hipIpcCloseMemHandle, devPtr);
  std::optional<Allocation> known = MemoryMap::get().find(devPtr);
  if (!known || known->kind != AllocationKind::Borrowed) HIP_RETURN(hipErrorInvalidValue);
  Runtime::get().synchronize_device(Runtime::get().device(known->device));
  MemoryMap::get().remove(devPtr);
  HIP_RETURN(hsa_amd_ipc_memory_detach(devPtr) == HSA_STATUS_SUCCESS ? hipSuccess
                                                                     : hipErrorInvalidValue);
}

}  // extern "C"
