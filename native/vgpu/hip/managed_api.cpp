// Hints about managed memory. Host and device share one memory here, so that hints change nothing
// but what the queries tell back.
#include <cstring>
#include <map>

#include "api.h"
#include "host_task.h"
#include "memory.h"
#include "runtime.h"
#include "stream.h"

namespace vgpu::hip {
namespace {

struct Advice {
  bool read_mostly = false, coarse = false;
  int preferred = hipInvalidDeviceId, prefetched = hipInvalidDeviceId;
  std::set<int> accessed_by;
};

struct Advices {
  std::mutex mutex;
  std::map<uintptr_t, Advice> by_base;
};

Advices& advices() {
  static Advices* instance = new Advices();
  return *instance;
}

bool is_place(int device) {
  return device == hipCpuDeviceId || (device >= 0 && device < Runtime::get().device_count());
}

hipError_t managed_base(const void* pointer, size_t bytes, uintptr_t* base) {
  std::optional<Allocation> known = MemoryMap::get().find(pointer);
  if (!pointer || !bytes || !known || known->kind == AllocationKind::Device ||
      !range_is_valid(pointer, bytes))
    return hipErrorInvalidValue;
  *base = known->base;
  return hipSuccess;
}

hipError_t advise(const void* pointer, size_t bytes, hipMemoryAdvise advice, int device) {
  uintptr_t base = 0;
  if (hipError_t status = managed_base(pointer, bytes, &base)) return status;
  if (!is_place(device)) return hipErrorInvalidDevice;
  std::lock_guard<std::mutex> hold(advices().mutex);
  Advice& known = advices().by_base[base];
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

hipError_t prefetch(const void* pointer, size_t bytes, int device, hipStream_t stream) {
  uintptr_t base = 0;
  if (hipError_t status = managed_base(pointer, bytes, &base)) return status;
  if (!is_place(device)) return hipErrorInvalidDevice;
  return submit(stream, std::make_shared<HostTask>([base, device] {
                  std::lock_guard<std::mutex> hold(advices().mutex);
                  advices().by_base[base].prefetched = device;
                }));
}

hipError_t query(void* data, size_t bytes, hipMemRangeAttribute attribute, const void* pointer,
                 size_t count) {
  uintptr_t base = 0;
  if (!data || bytes < sizeof(int) || bytes % sizeof(int)) return hipErrorInvalidValue;
  if (hipError_t status = managed_base(pointer, count, &base)) return status;
  std::lock_guard<std::mutex> hold(advices().mutex);
  const Advice& known = advices().by_base[base];
  auto* values = static_cast<int*>(data);
  switch (attribute) {
    case hipMemRangeAttributeReadMostly: *values = known.read_mostly; break;
    case hipMemRangeAttributePreferredLocation: *values = known.preferred; break;
    case hipMemRangeAttributeLastPrefetchLocation: *values = known.prefetched; break;
    case hipMemRangeAttributeCoherencyMode:
      *values = known.coarse ? hipMemRangeCoherencyModeCoarseGrain
                             : hipMemRangeCoherencyModeFineGrain;
      break;
    case hipMemRangeAttributeAccessedBy: {
      auto device = known.accessed_by.begin();
      for (size_t i = 0; i < bytes / sizeof(int); ++i)
        values[i] = device != known.accessed_by.end() ? *device++ : hipInvalidDeviceId;
      break;
    }
    default: return hipErrorInvalidValue;
  }
  return hipSuccess;
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
  if (!find_stream(stream)) HIP_RETURN(hipErrorInvalidHandle);
  uintptr_t base = 0;
  HIP_RETURN(managed_base(dev_ptr, 1, &base));
}

}  // extern "C"
