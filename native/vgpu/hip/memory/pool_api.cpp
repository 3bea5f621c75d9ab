// Allocation in stream order.
#include "hip/core/api.h"
#include "hip/core/clock.h"
#include "hip/core/graph_capture.h"
#include "hip/core/memory.h"
#include "hip/core/runtime.h"
#include "hip/core/stream.h"
#include "hip/memory/pool.h"

namespace vgpu::hip {
namespace {

// Gives memory that is of no pool back when the stream gets there.
class FreeTask : public Task {
 public:
  explicit FreeTask(void* pointer) : pointer_(pointer) {}
  uint64_t run(Stream&) const override {
    (void)release_now(pointer_);
    return vrocm_host_now();
  }
  hipGraphNodeType node_type() const override { return hipGraphNodeTypeMemFree; }

 private:
  void* pointer_;
};

hipError_t allocate(void** pointer, size_t bytes, Pool& pool, hipStream_t handle) {
  Stream* stream = find_stream(handle);
  if (!pointer) return hipErrorInvalidValue;
  if (!stream) return hipErrorInvalidHandle;
  if (!stream->capture) return pool.allocate(pointer, bytes, *stream);
  Node node;
  node.type = hipGraphNodeTypeMemAlloc;
  hipMemAllocNodeParams parameters{};
  parameters.bytesize = bytes;
  if (hipError_t status = allocate_on(stream->device(), &parameters.dptr, bytes, 0)) return status;
  *pointer = parameters.dptr;
  node.memory = std::make_shared<GraphMemory>(parameters);
  return capture_node(*stream, std::move(node));
}

hipError_t free_in_order(void* pointer, hipStream_t handle) {
  Stream* stream = find_stream(handle);
  if (!stream) return hipErrorInvalidHandle;
  if (!pointer) return hipSuccess;
  std::optional<Allocation> known = MemoryMap::get().find(pointer);
  if (!known || known->base != reinterpret_cast<uintptr_t>(pointer) || is_parked(pointer))
    return hipErrorInvalidValue;
  if (stream->capture) {
    Node node;
    node.type = hipGraphNodeTypeMemFree;
    node.freed = pointer;
    (void)take_graph_memory(pointer);
    return capture_node(*stream, std::move(node));
  }
  Pool* pool = pool_of(pointer);
  if (!pool) return submit(handle, std::make_shared<FreeTask>(pointer));
  CompletionPtr point;
  if (hipError_t status = submit(handle, nullptr, &point)) return status;
  pool->park(pointer, known->bytes, *stream, std::move(point));
  return hipSuccess;
}

hipError_t check(int device) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  return device >= 0 && device < runtime.device_count() ? hipSuccess : hipErrorInvalidDevice;
}

// A pool of a device can be closed to no device of this process: one address space.
hipError_t check_access(const hipMemAccessDesc& access) {
  if (access.location.type != hipMemLocationTypeDevice) return hipErrorInvalidValue;
  if (hipError_t status = check(access.location.id)) return status;
  if (access.flags == hipMemAccessFlagsProtNone) return hipErrorInvalidDevice;
  return access.flags == hipMemAccessFlagsProtRead || access.flags == hipMemAccessFlagsProtReadWrite
             ? hipSuccess
             : hipErrorInvalidValue;
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipMallocAsync(void** dev_ptr, size_t size, hipStream_t stream) {
  HIP_API(hipMallocAsync, dev_ptr, size, stream);
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) HIP_RETURN(runtime.status());
  HIP_RETURN(allocate(dev_ptr, size, current_pool(runtime.current_index()), stream));
}

hipError_t hipMallocFromPoolAsync(void** dev_ptr, size_t size, hipMemPool_t mem_pool,
                                  hipStream_t stream) {
  HIP_API(hipMallocFromPoolAsync, dev_ptr, size, mem_pool, stream);
  Pool* pool = find_pool(mem_pool);
  HIP_RETURN(pool ? allocate(dev_ptr, size, *pool, stream) : hipErrorInvalidValue);
}

hipError_t hipFreeAsync(void* dev_ptr, hipStream_t stream) {
  HIP_API(hipFreeAsync, dev_ptr, stream);
  HIP_RETURN(free_in_order(dev_ptr, stream));
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* mem_pool, int device) {
  HIP_API(hipDeviceGetDefaultMemPool, mem_pool, device);
  if (!mem_pool) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(device)) HIP_RETURN(status);
  *mem_pool = reinterpret_cast<hipMemPool_t>(&default_pool(device));
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceGetMemPool(hipMemPool_t* mem_pool, int device) {
  HIP_API(hipDeviceGetMemPool, mem_pool, device);
  if (!mem_pool || check(device) == hipErrorInvalidDevice) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(device)) HIP_RETURN(status);
  *mem_pool = reinterpret_cast<hipMemPool_t>(&current_pool(device));
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t mem_pool) {
  HIP_API(hipDeviceSetMemPool, device, mem_pool);
  Pool* pool = find_pool(mem_pool);
  if (!pool || check(device) == hipErrorInvalidDevice) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = capture_forbids_waiting()) HIP_RETURN(status);
  if (pool->device() != device) HIP_RETURN(hipErrorInvalidDevice);
  set_current_pool(device, *pool);
  HIP_RETURN(hipSuccess);
}

hipError_t hipMemPoolCreate(hipMemPool_t* mem_pool, const hipMemPoolProps* pool_props) {
  HIP_API(hipMemPoolCreate, mem_pool, pool_props);
  if (!mem_pool || !pool_props || pool_props->allocType != hipMemAllocationTypePinned ||
      pool_props->location.type != hipMemLocationTypeDevice)
    HIP_RETURN(hipErrorInvalidValue);
  if (check(pool_props->location.id) == hipErrorInvalidDevice) HIP_RETURN(hipErrorInvalidValue);
  if (hipError_t status = check(pool_props->location.id)) HIP_RETURN(status);
  if (hipError_t status = capture_forbids_waiting()) HIP_RETURN(status);
  auto* pool = new Pool(pool_props->location.id, pool_props->maxSize, pool_props->handleTypes);
  HandleSet<Pool>::get().add(pool);
  *mem_pool = reinterpret_cast<hipMemPool_t>(pool);
  HIP_RETURN(hipSuccess);
}

hipError_t hipMemPoolDestroy(hipMemPool_t mem_pool) {
  HIP_API(hipMemPoolDestroy, mem_pool);
  Pool* pool = find_pool(mem_pool);
  if (!pool || pool == &default_pool(pool->device())) HIP_RETURN(hipErrorInvalidValue);
  if (&current_pool(pool->device()) == pool)
    set_current_pool(pool->device(), default_pool(pool->device()));
  pool->release_parked(nullptr, 0);
  HandleSet<Pool>::get().remove(pool);  // the object stays: memory may still come back to it
  HIP_RETURN(hipSuccess);
}

hipError_t hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t min_bytes_to_hold) {
  HIP_API(hipMemPoolTrimTo, mem_pool, min_bytes_to_hold);
  Pool* pool = find_pool(mem_pool);
  if (!pool) HIP_RETURN(hipErrorInvalidValue);
  pool->release_parked(nullptr, min_bytes_to_hold);
  HIP_RETURN(hipSuccess);
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value) {
  HIP_API(hipMemPoolSetAttribute, mem_pool, attr, value);
  Pool* pool = find_pool(mem_pool);
  HIP_RETURN(pool ? pool->set(attr, value) : hipErrorInvalidValue);
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value) {
  HIP_API(hipMemPoolGetAttribute, mem_pool, attr, value);
  Pool* pool = find_pool(mem_pool);
  HIP_RETURN(pool ? pool->get(attr, value) : hipErrorInvalidValue);
}

// All devices of a process can read and write the pool's memory: one address space.
hipError_t hipMemPoolSetAccess(hipMemPool_t mem_pool, const hipMemAccessDesc* desc_list,
                               size_t count) {
  HIP_API(hipMemPoolSetAccess, mem_pool, desc_list, count);
  if (!find_pool(mem_pool) || !desc_list) HIP_RETURN(hipErrorInvalidValue);
  if (count > static_cast<size_t>(Runtime::get().device_count())) HIP_RETURN(hipErrorInvalidDevice);
  for (size_t i = 0; i < count; ++i)
    if (hipError_t status = check_access(desc_list[i])) HIP_RETURN(status);
  HIP_RETURN(hipSuccess);
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t mem_pool,
                               hipMemLocation* location) {
  HIP_API(hipMemPoolGetAccess, flags, mem_pool, location);
  if (!flags || !location || !find_pool(mem_pool) || location->type != hipMemLocationTypeDevice ||
      check(location->id) != hipSuccess)
    HIP_RETURN(hipErrorInvalidValue);
  *flags = hipMemAccessFlagsProtReadWrite;
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void* value) {
  HIP_API(hipDeviceGetGraphMemAttribute, device, attr, value);
  if (hipError_t status = check(device)) HIP_RETURN(status);
  if (!value || attr > hipGraphMemAttrReservedMemHigh) HIP_RETURN(hipErrorInvalidValue);
  const bool high = attr == hipGraphMemAttrUsedMemHigh || attr == hipGraphMemAttrReservedMemHigh;
  *static_cast<uint64_t*>(value) = high ? graph_memory_high() : graph_memory_bytes();
  HIP_RETURN(hipSuccess);
}

// The marks can be reset to what is held now, nothing else.
hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void* value) {
  HIP_API(hipDeviceSetGraphMemAttribute, device, attr, value);
  if (hipError_t status = check(device)) HIP_RETURN(status);
  const bool high = attr == hipGraphMemAttrUsedMemHigh || attr == hipGraphMemAttrReservedMemHigh;
  if (!value || !high || *static_cast<const uint64_t*>(value)) HIP_RETURN(hipErrorInvalidValue);
  reset_graph_memory_high();
  HIP_RETURN(hipSuccess);
}

hipError_t hipDeviceGraphMemTrim(int device) {
  HIP_API(hipDeviceGraphMemTrim, device);
  HIP_RETURN(check(device));
}

}  // extern "C"
