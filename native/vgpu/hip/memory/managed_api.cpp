// Hints about managed memory. Pages move when a program prefetches them, which costs time and changes
// how fast devices reach them; the data stays where host and device see it. Other hints change
// nothing but what the queries tell back.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include "hip/core/api.h"
#include "hip/core/clock.h"
#include "hip/core/graph_capture.h"
#include "hip/core/memory.h"
#include "hip/core/runtime.h"
#include "hip/core/stream.h"
#include "hip/memory/advice.h"

namespace vgpu::hip {
namespace {

bool is_place(int device) {
  return device == hipCpuDeviceId || (device >= 0 && device < Runtime::get().device_count());
}

hipError_t check_managed(const void* pointer, size_t bytes) {
  std::optional<Allocation> known = MemoryMap::get().find(pointer);
  const bool managed = pointer && bytes && known && known->kind != AllocationKind::Device;
  return managed && range_is_valid(pointer, bytes) ? hipSuccess : hipErrorInvalidValue;
}

PageRange pages(const void* pointer, size_t bytes) {
  return {reinterpret_cast<uintptr_t>(pointer), bytes};
}

hipError_t apply(Advice& known, hipMemoryAdvise advice, int device) {
  switch (advice) {
    case hipMemAdviseSetReadMostly: known.read_mostly = true; break;
    case hipMemAdviseUnsetReadMostly: known.read_mostly = false; break;
    case hipMemAdviseSetPreferredLocation: known.preferred = device; break;
    case hipMemAdviseUnsetPreferredLocation: known.preferred = hipInvalidDeviceId; break;
    case hipMemAdviseSetAccessedBy: known.accessed_by.insert(device); break;
    case hipMemAdviseUnsetAccessedBy: known.accessed_by.erase(device); break;
    case hipMemAdviseSetCoarseGrain: known.coarse = true; break;
    case hipMemAdviseUnsetCoarseGrain: known.coarse = false; break;
    default: return hipErrorInvalidValue;
  }
  return hipSuccess;
}

hipError_t advise(const void* pointer, size_t bytes, hipMemoryAdvise advice, int device) {
  const bool names_device =
      advice != hipMemAdviseSetReadMostly && advice != hipMemAdviseUnsetReadMostly;
  if (names_device && !is_place(device)) return hipErrorInvalidDevice;
  if (hipError_t status = capture_forbids_waiting()) return status;
  if (hipError_t status = check_managed(pointer, bytes)) return status;
  hipError_t status = hipSuccess;
  AdviceMap::get().change(pages(pointer, bytes),
                          [&](Advice& known) { status = apply(known, advice, device); });
  return status;
}

class PrefetchTask : public Task {
 public:
  PrefetchTask(const void* pointer, size_t bytes, int device)
      : pointer_(const_cast<void*>(pointer)), bytes_(bytes), device_(device) {}
  uint64_t run(Stream& stream) const override;
  hipGraphNodeType node_type() const override { return hipGraphNodeTypeEmpty; }

 private:
  void* pointer_;
  size_t bytes_;
  int device_;
};

uint64_t PrefetchTask::run(Stream& stream) const {
  Runtime& runtime = Runtime::get();
  const hsa_agent_t to = device_ == hipCpuDeviceId ? runtime.cpu() : runtime.device(device_).agent;
  hsa_signal_t done = stream.signal();
  hsa_signal_store_relaxed(done, 1);
  if (hsa_amd_svm_prefetch_async(pointer_, bytes_, to, 0, nullptr, done) != HSA_STATUS_SUCCESS)
    return vrocm_host_now();
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  return vrocm_signal_time(done);
}

hipError_t prefetch(const void* pointer, size_t bytes, int device, hipStream_t stream) {
  if (hipError_t status = check_managed(pointer, bytes)) return status;
  if (!is_place(device)) return hipErrorInvalidDevice;
  const std::optional<Allocation> known = MemoryMap::get().find(pointer);
  TaskPtr task;  // a marker, as for any work: pinned memory stays where it is
  if (known && known->kind == AllocationKind::Managed)
    task = std::make_shared<PrefetchTask>(pointer, bytes, device);
  if (hipError_t status = submit(stream, task)) return status;
  AdviceMap::get().change(pages(pointer, bytes),
                          [device](Advice& known) { known.prefetched = device; });
  return hipSuccess;
}

hipMemRangeCoherencyMode coherency(PageRange range) {
  if (AdviceMap::get().coherency_differs(range)) return hipMemRangeCoherencyModeIndeterminate;
  return AdviceMap::get().common(range).coarse ? hipMemRangeCoherencyModeCoarseGrain
                                               : hipMemRangeCoherencyModeFineGrain;
}

// The one attribute that memory of hipMalloc has too: it is coherent only when asked for.
bool answers_device_coherency(int* value, hipMemRangeAttribute attribute, const void* pointer,
                              size_t bytes) {
  std::optional<Allocation> known = MemoryMap::get().find(pointer);
  if (attribute != hipMemRangeAttributeCoherencyMode || !bytes || !known ||
      known->kind != AllocationKind::Device || !range_is_valid(pointer, bytes))
    return false;
  const bool fine = known->flags & (hipDeviceMallocFinegrained | hipDeviceMallocUncached);
  *value = fine ? hipMemRangeCoherencyModeFineGrain : hipMemRangeCoherencyModeCoarseGrain;
  return true;
}

void list_devices(const std::set<int>& devices, int* values, size_t room) {
  auto device = devices.begin();
  for (size_t i = 0; i < room; ++i)
    values[i] = device != devices.end() ? *device++ : hipInvalidDeviceId;
}

hipError_t query(void* data, size_t bytes, hipMemRangeAttribute attribute, const void* pointer,
                 size_t count) {
  if (!data || bytes < sizeof(int) || bytes % sizeof(int)) return hipErrorInvalidValue;
  if (attribute != hipMemRangeAttributeAccessedBy && bytes != sizeof(int))
    return hipErrorInvalidValue;
  if (answers_device_coherency(static_cast<int*>(data), attribute, pointer, count))
    return hipSuccess;
  if (hipError_t status = check_managed(pointer, count)) return status;
  const std::optional<Allocation> memory = MemoryMap::get().find(pointer);
  if (!memory) return hipErrorInvalidValue;  // another thread freed it meanwhile
  if (memory->kind == AllocationKind::Pinned && attribute != hipMemRangeAttributeCoherencyMode)
    return hipErrorInvalidValue;
  const Advice known = AdviceMap::get().common(pages(pointer, count));
  auto* values = static_cast<int*>(data);
  switch (attribute) {
    case hipMemRangeAttributeReadMostly: *values = known.read_mostly; break;
    case hipMemRangeAttributePreferredLocation: *values = known.preferred; break;
    case hipMemRangeAttributeLastPrefetchLocation: *values = known.prefetched; break;
    case hipMemRangeAttributeCoherencyMode: *values = coherency(pages(pointer, count)); break;
    case hipMemRangeAttributeAccessedBy:
      list_devices(known.accessed_by, values, bytes / sizeof(int));
      break;
    default: return hipErrorInvalidValue;
  }
  return hipSuccess;
}

hipError_t attach(hipStream_t stream, const void* pointer, size_t bytes, unsigned flags) {
  if (!pointer) return hipErrorInvalidValue;
  if (!find_stream(stream)) return hipErrorInvalidHandle;
  const bool known =
      flags == hipMemAttachGlobal || flags == hipMemAttachHost || flags == hipMemAttachSingle;
  if (!known || (flags == hipMemAttachSingle && !stream)) return hipErrorInvalidValue;
  std::optional<Allocation> memory = MemoryMap::get().find(pointer);
  if (!memory || memory->kind == AllocationKind::Device) return hipErrorInvalidValue;
  return bytes == 0 || bytes == memory->bytes ? hipSuccess : hipErrorInvalidValue;
}

int device_of(const hipMemLocation& location) {
  return location.type == hipMemLocationTypeDevice ? location.id : hipCpuDeviceId;
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipMemPrefetchAsync(const void* dev_ptr, size_t count, int device, hipStream_t stream) {
  HIP_API(hipMemPrefetchAsync, dev_ptr, count, device, stream);
  HIP_RETURN(prefetch(dev_ptr, count, device, stream));
}

hipError_t hipMemPrefetchAsync_v2(const void* dev_ptr, size_t count, hipMemLocation location,
                                  unsigned flags, hipStream_t stream) {
  HIP_API(hipMemPrefetchAsync_v2, dev_ptr, count, location, flags, stream);
  HIP_RETURN(flags ? hipErrorInvalidValue : prefetch(dev_ptr, count, device_of(location), stream));
}

hipError_t hipMemAdvise(const void* dev_ptr, size_t count, hipMemoryAdvise advice, int device) {
  HIP_API(hipMemAdvise, dev_ptr, count, advice, device);
  HIP_RETURN(advise(dev_ptr, count, advice, device));
}

hipError_t hipMemAdvise_v2(const void* dev_ptr, size_t count, hipMemoryAdvise advice,
                           hipMemLocation location) {
  HIP_API(hipMemAdvise_v2, dev_ptr, count, advice, location);
  HIP_RETURN(advise(dev_ptr, count, advice, device_of(location)));
}

hipError_t hipMemRangeGetAttribute(void* data, size_t data_size, hipMemRangeAttribute attribute,
                                   const void* dev_ptr, size_t count) {
  HIP_API(hipMemRangeGetAttribute, data, data_size, attribute, dev_ptr, count);
  HIP_RETURN(query(data, data_size, attribute, dev_ptr, count));
}

hipError_t hipMemRangeGetAttributes(void** data, size_t* data_sizes,
                                    hipMemRangeAttribute* attributes, size_t num_attributes,
                                    const void* dev_ptr, size_t count) {
  HIP_API(hipMemRangeGetAttributes, data, data_sizes, attributes, num_attributes, dev_ptr, count);
  if (!data || !data_sizes || !attributes || !num_attributes) HIP_RETURN(hipErrorInvalidValue);
  for (size_t i = 0; i < num_attributes; ++i)
    if (hipError_t status = query(data[i], data_sizes[i], attributes[i], dev_ptr, count))
      HIP_RETURN(status);
  HIP_RETURN(hipSuccess);
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* dev_ptr, size_t length,
                                   unsigned flags) {
  HIP_API(hipStreamAttachMemAsync, stream, dev_ptr, length, flags);
  HIP_RETURN(attach(stream, dev_ptr, length, flags));
}

}  // extern "C"
