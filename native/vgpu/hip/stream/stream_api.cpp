#include "hip/core/api.h"
#include "hip/core/clock.h"
#include "hip/core/event.h"
#include "hip/core/graph_capture.h"
#include "hip/core/process_end.h"
#include "hip/core/runtime.h"
#include "hip/core/stream.h"
#include "hip/device/device_properties.h"
#include "hip/memory/pool.h"
#include "hip/stream/host_task.h"
#include "hip/stream/shared_event.h"

#include <functional>
#include <memory>

namespace vgpu::hip {
namespace {

constexpr int kLeastPriority = 1, kGreatestPriority = -1;

hipError_t create(hipStream_t* stream, unsigned flags, int priority) {
  if (!stream || (flags != hipStreamDefault && flags != hipStreamNonBlocking))
    return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  int clamped = std::max(kGreatestPriority, std::min(kLeastPriority, priority));
  *stream = reinterpret_cast<hipStream_t>(runtime.create_stream(flags, clamped));
  return hipSuccess;
}

hipError_t wait_event(hipStream_t stream_handle, hipEvent_t event_handle, unsigned flags) {
  Stream* stream = find_stream(stream_handle);
  EventPtr event = find_event(event_handle);
  if (!stream || !event) return hipErrorInvalidHandle;
  if (flags & ~unsigned{hipEventWaitExternal}) return hipErrorInvalidValue;
  hipError_t status = hipSuccess;
  if (capture_wait(*stream, *event, flags & hipEventWaitExternal, status)) return status;
  if (event->shared())  // the last record may be of another process
    stream->submit(std::make_shared<HostTask>([event] { event->shared()->wait(); }));
  else if (CompletionPtr point = event->point()) stream->submit(nullptr, {point});
  return hipSuccess;
}

// Waits for, or writes, a value in memory that host and device both see.
template <class T>
class ValueTask : public Task {
 public:
  ValueTask(T* address, T value, T mask, unsigned flags, bool write)
      : address_(address), value_(value), mask_(mask), flags_(flags), write_(write) {}
  uint64_t run(Stream&) const override {
    if (write_) {
      __atomic_store_n(address_, value_, __ATOMIC_RELEASE);
    } else {
      while (!reached(__atomic_load_n(address_, __ATOMIC_ACQUIRE) & mask_) && !process_is_ending())
        std::this_thread::yield();
    }
    return vrocm_host_now();
  }
  hipGraphNodeType node_type() const override { return hipGraphNodeTypeBatchMemOp; }

 private:
  bool reached(T seen) const {
    switch (flags_) {
      case hipStreamWaitValueGte: return static_cast<std::make_signed_t<T>>(seen - value_) >= 0;
      case hipStreamWaitValueEq: return seen == value_;
      case hipStreamWaitValueAnd: return (seen & value_) != 0;
      default: return ~(seen | value_) != 0;
    }
  }
  T* address_;
  T value_, mask_;
  unsigned flags_;
  bool write_;
};

template <class T>
hipError_t value_task(hipStream_t stream, void* address, T value, T mask, unsigned flags,
                      bool write) {
  if (!address || flags > hipStreamWaitValueNor) return hipErrorInvalidValue;
  return submit(
      stream, std::make_shared<ValueTask<T>>(static_cast<T*>(address), value, mask, flags, write));
}

hipError_t batch_operation(hipStream_t stream, const hipStreamBatchMemOpParams& p) {
  switch (p.operation) {
    case hipStreamMemOpWaitValue32:
      return value_task<uint32_t>(stream, p.waitValue.address, p.waitValue.value, ~uint32_t{0},
                                  p.waitValue.flags, false);
    case hipStreamMemOpWaitValue64:
      return value_task<uint64_t>(stream, p.waitValue.address, p.waitValue.value64, ~uint64_t{0},
                                  p.waitValue.flags, false);
    case hipStreamMemOpWriteValue32:
      return value_task<uint32_t>(stream, p.writeValue.address, p.writeValue.value, ~uint32_t{0}, 0,
                                  true);
    case hipStreamMemOpWriteValue64:
      return value_task<uint64_t>(stream, p.writeValue.address, p.writeValue.value64, ~uint64_t{0},
                                  0, true);
    case hipStreamMemOpBarrier:
    case hipStreamMemOpFlushRemoteWrites: return hipSuccess;  // a stream works in order
    default: return hipErrorInvalidValue;
  }
}

hipError_t synchronize(hipStream_t handle) {
  Stream* stream = find_stream(handle);
  if (!stream) return hipErrorInvalidHandle;
  if (stream->capture) return hipErrorStreamCaptureUnsupported;
  if (hipError_t status = capture_forbids_waiting()) return status;
  stream->synchronize();
  release_freed_memory(stream->device().index, stream);
  return hipSuccess;
}

hipError_t query(hipStream_t handle) {
  Stream* stream = find_stream(handle);
  if (!stream) return hipErrorInvalidHandle;
  if (stream->capture) return hipErrorStreamCaptureUnsupported;
  for (const CompletionPtr& point : stream->points_to_wait_for()) {
    if (!point->done()) return hipErrorNotReady;
    vrocm_host_advance_to(point->wait());
  }
  return hipSuccess;
}

template <class T, class Read>
hipError_t ask(hipStream_t handle, T* result, Read read) {
  Stream* stream = find_stream(handle);
  if (!stream) return hipErrorInvalidHandle;
  if (!result) return hipErrorInvalidValue;
  *result = read(*stream);
  return hipSuccess;
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) {
  HIP_API(hipStreamCreate, stream);
  HIP_RETURN(create(stream, hipStreamDefault, 0));
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  HIP_API(hipStreamCreateWithFlags, stream, flags);
  HIP_RETURN(create(stream, flags, 0));
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  HIP_API(hipStreamCreateWithPriority, stream, flags, priority);
  HIP_RETURN(create(stream, flags, priority));
}

hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t cuMaskSize,
                                        const uint32_t* cuMask) {
  HIP_API(hipExtStreamCreateWithCUMask, stream, cuMaskSize, cuMask);
  if (cuMaskSize == 0 || !cuMask) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(create(stream, hipStreamDefault, 0));  // the mask limits time, never results
}

hipError_t hipDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  HIP_API(hipDeviceGetStreamPriorityRange, leastPriority, greatestPriority);
  if (leastPriority) *leastPriority = kLeastPriority;
  if (greatestPriority) *greatestPriority = kGreatestPriority;
  HIP_RETURN(hipSuccess);
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  HIP_API(hipStreamDestroy, stream);
  Stream* known = find_stream(stream);
  if (!known || known->is_default() || stream == hipStreamPerThread)
    HIP_RETURN(hipErrorInvalidResourceHandle);
  Runtime::get().destroy_stream(known);
  HIP_RETURN(hipSuccess);
}

hipError_t hipStreamQuery(hipStream_t stream) {
  HIP_API(hipStreamQuery, stream);
  HIP_RETURN(query(stream));
}

hipError_t hipStreamQuery_spt(hipStream_t stream) {
  HIP_API(hipStreamQuery_spt, stream);
  HIP_RETURN(query(stream ? stream : hipStreamPerThread));
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  HIP_API(hipStreamSynchronize, stream);
  HIP_RETURN(synchronize(stream));
}

hipError_t hipStreamSynchronize_spt(hipStream_t stream) {
  HIP_API(hipStreamSynchronize_spt, stream);
  HIP_RETURN(synchronize(stream ? stream : hipStreamPerThread));
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  HIP_API(hipStreamWaitEvent, stream, event, flags);
  HIP_RETURN(wait_event(stream, event, flags));
}

hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned flags) {
  HIP_API(hipStreamWaitEvent_spt, stream, event, flags);
  HIP_RETURN(wait_event(stream ? stream : hipStreamPerThread, event, flags));
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  HIP_API(hipStreamGetFlags, stream, flags);
  if (!stream) HIP_RETURN(hipErrorInvalidValue);  // ROCm has no flags for the default stream
  HIP_RETURN(ask(stream, flags, [](Stream& s) { return s.flags(); }));
}

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long* streamId) {
  HIP_API(hipStreamGetId, stream, streamId);
  HIP_RETURN(ask(stream, streamId, [](Stream& s) -> unsigned long long { return s.id(); }));
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  HIP_API(hipStreamGetPriority, stream, priority);
  HIP_RETURN(ask(stream, priority, [](Stream& s) { return s.priority(); }));
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  HIP_API(hipStreamGetDevice, stream, device);
  HIP_RETURN(ask(stream, device, [](Stream& s) { return s.device().index; }));
}

int hipGetStreamDeviceId(hipStream_t stream) {
  Stream* known = find_stream(stream);
  return known ? known->device().index : -1;
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* userData,
                                unsigned flags) {
  HIP_API(hipStreamAddCallback, stream, callback, userData, flags);
  if (!callback || flags != 0) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(
      submit(stream, std::make_shared<HostTask>([=] { callback(stream, hipSuccess, userData); })));
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void* userData) {
  HIP_API(hipLaunchHostFunc, stream, fn, userData);
  if (!fn) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(submit(stream, std::make_shared<HostTask>(hipHostNodeParams{fn, userData})));
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned flags,
                                uint32_t mask) {
  HIP_API(hipStreamWaitValue32, stream, ptr, value, flags, mask);
  HIP_RETURN(value_task<uint32_t>(stream, ptr, value, mask, flags, false));
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned flags,
                                uint64_t mask) {
  HIP_API(hipStreamWaitValue64, stream, ptr, value, flags, mask);
  HIP_RETURN(value_task<uint64_t>(stream, ptr, value, mask, flags, false));
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned flags) {
  HIP_API(hipStreamWriteValue32, stream, ptr, value, flags);
  HIP_RETURN(value_task<uint32_t>(stream, ptr, value, ~uint32_t{0}, 0, true));
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned flags) {
  HIP_API(hipStreamWriteValue64, stream, ptr, value, flags);
  HIP_RETURN(value_task<uint64_t>(stream, ptr, value, ~uint64_t{0}, 0, true));
}

hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned count,
                               hipStreamBatchMemOpParams* paramArray, unsigned flags) {
  HIP_API(hipStreamBatchMemOp, stream, count, paramArray, flags);
  if (!paramArray || !count || flags) HIP_RETURN(hipErrorInvalidValue);
  for (unsigned i = 0; i < count; ++i)
    if (hipError_t status = batch_operation(stream, paramArray[i])) HIP_RETURN(status);
  HIP_RETURN(hipSuccess);
}

hipError_t hipStreamSetAttribute(hipStream_t stream, hipLaunchAttributeID attr,
                                 const hipLaunchAttributeValue* value) {
  HIP_API(hipStreamSetAttribute, stream, attr, value);
  if (!find_stream(stream)) HIP_RETURN(hipErrorInvalidHandle);
  HIP_RETURN(value ? hipSuccess : hipErrorInvalidValue);  // hints: they never change results
}

hipError_t hipStreamGetAttribute(hipStream_t stream, hipLaunchAttributeID attr,
                                 hipLaunchAttributeValue* value_out) {
  HIP_API(hipStreamGetAttribute, stream, attr, value_out);
  Stream* known = find_stream(stream);
  if (!known) HIP_RETURN(hipErrorInvalidHandle);
  if (!value_out) HIP_RETURN(hipErrorInvalidValue);
  *value_out = {};
  if (attr == hipLaunchAttributePriority) value_out->priority = known->priority();
  if (attr == hipLaunchAttributeSynchronizationPolicy) value_out->syncPolicy = hipSyncPolicyAuto;
  HIP_RETURN(hipSuccess);
}

hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t* cuMask) {
  HIP_API(hipExtStreamGetCUMask, stream, cuMaskSize, cuMask);
  if (!find_stream(stream)) HIP_RETURN(hipErrorInvalidHandle);
  if (!cuMask || !cuMaskSize) HIP_RETURN(hipErrorInvalidValue);
  // Every compute unit of the device, whatever mask the stream was made with.
  const auto units =
      static_cast<uint32_t>(device_properties(find_stream(stream)->device()).multiProcessorCount);
  for (uint32_t i = 0; i < cuMaskSize; ++i) {
    const uint32_t left = units > 32 * i ? units - 32 * i : 0;
    cuMask[i] = left >= 32 ? UINT32_MAX : (1u << left) - 1;
  }
  HIP_RETURN(hipSuccess);
}

// --- the per-thread default stream where no stream is named --------------------------------------

hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned* flags) {
  return hipStreamGetFlags(stream ? stream : hipStreamPerThread, flags);
}

hipError_t hipStreamGetPriority_spt(hipStream_t stream, int* priority) {
  return hipStreamGetPriority(stream ? stream : hipStreamPerThread, priority);
}

hipError_t hipStreamAddCallback_spt(hipStream_t stream, hipStreamCallback_t callback,
                                    void* userData, unsigned flags) {
  return hipStreamAddCallback(stream ? stream : hipStreamPerThread, callback, userData, flags);
}

hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t fn, void* userData) {
  return hipLaunchHostFunc(stream ? stream : hipStreamPerThread, fn, userData);
}

}  // extern "C"
