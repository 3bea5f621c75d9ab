// Memory of one process in another, through HSA's handles.
#include <hsa/hsa_ext_amd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "hip/core/api.h"
#include "hip/core/memory.h"
#include "hip/core/runtime.h"
#include "hip/memory/pool.h"

namespace vgpu::hip {
namespace {

// What the 64 bytes of hipIpcMemHandle_t and hipMemPoolPtrExportData hold.
struct Handle {
  hsa_amd_ipc_memory_t memory;
  uint64_t bytes;
};
static_assert(sizeof(Handle) <= sizeof(hipIpcMemHandle_t), "fits into HIP's handle");
static_assert(sizeof(Handle) <= sizeof(hipMemPoolPtrExportData), "fits into the pool's, too");

template <class T>
hipError_t get_handle(T* result, void* pointer) {
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

template <class T>
hipError_t open_handle(void** pointer, const T& shared, int device_index, AllocationKind kind) {
  Handle handle;
  std::memcpy(&handle, &shared, sizeof handle);
  Device& device = Runtime::get().device(device_index);
  if (hsa_amd_ipc_memory_attach(&handle.memory, handle.bytes, 1, &device.agent, pointer) !=
      HSA_STATUS_SUCCESS)
    return hipErrorInvalidValue;
  MemoryMap::get().add(
      {reinterpret_cast<uintptr_t>(*pointer), handle.bytes, kind, device.index, 0, nullptr});
  return hipSuccess;
}

// A pool is shared as a file that names its device: what is in it is shared pointer by pointer.
hipError_t export_pool(int* descriptor, const Pool& pool) {
  const int device = pool.device();
  *descriptor = memfd_create("vrocm-pool", MFD_CLOEXEC);
  if (*descriptor < 0) return hipErrorOutOfMemory;
  if (pwrite(*descriptor, &device, sizeof device, 0) == sizeof device) return hipSuccess;
  close(*descriptor);
  return hipErrorOutOfMemory;
}

hipError_t import_pool(hipMemPool_t* pool, void* shared, hipMemAllocationHandleType type) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  int device = -1;
  if (pread(shared_descriptor(shared), &device, sizeof device, 0) != sizeof device || device < 0 ||
      device >= runtime.device_count())
    return hipErrorInvalidValue;
  auto* imported = new Pool(device, 0, type, true);
  HandleSet<Pool>::get().add(imported);
  *pool = reinterpret_cast<hipMemPool_t>(imported);
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
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) HIP_RETURN(runtime.status());
  if (!devPtr || flags != hipIpcMemLazyEnablePeerAccess) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(open_handle(devPtr, handle, runtime.current_index(), AllocationKind::Borrowed));
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

hipError_t hipMemPoolExportToShareableHandle(void* shared_handle, hipMemPool_t mem_pool,
                                             hipMemAllocationHandleType handle_type,
                                             unsigned flags) {
  HIP_API(hipMemPoolExportToShareableHandle, shared_handle, mem_pool, handle_type, flags);
  Pool* pool = find_pool(mem_pool);
  if (!shared_handle || !pool || flags || handle_type != hipMemHandleTypePosixFileDescriptor ||
      handle_type != pool->shared_as())
    HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(export_pool(static_cast<int*>(shared_handle), *pool));
}

hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t* mem_pool, void* shared_handle,
                                               hipMemAllocationHandleType handle_type,
                                               unsigned flags) {
  HIP_API(hipMemPoolImportFromShareableHandle, mem_pool, shared_handle, handle_type, flags);
  if (!mem_pool || !shared_handle || flags || handle_type != hipMemHandleTypePosixFileDescriptor)
    HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(import_pool(mem_pool, shared_handle, handle_type));
}

hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData* export_data, void* dev_ptr) {
  HIP_API(hipMemPoolExportPointer, export_data, dev_ptr);
  if (!export_data || !dev_ptr) HIP_RETURN(hipErrorInvalidValue);
  if (!MemoryMap::get().find(dev_ptr)) HIP_RETURN(hipErrorOutOfMemory);
  HIP_RETURN(get_handle(export_data, dev_ptr));
}

hipError_t hipMemPoolImportPointer(void** dev_ptr, hipMemPool_t mem_pool,
                                   hipMemPoolPtrExportData* export_data) {
  HIP_API(hipMemPoolImportPointer, dev_ptr, mem_pool, export_data);
  Pool* pool = find_pool(mem_pool);
  if (!dev_ptr || !pool || !export_data) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(open_handle(dev_ptr, *export_data, pool->device(), AllocationKind::Imported));
}

}  // extern "C"
