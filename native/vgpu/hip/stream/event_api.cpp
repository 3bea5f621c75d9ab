#include <cstring>
#include <map>

#include "hip/core/api.h"
#include "hip/core/clock.h"
#include "hip/core/event.h"
#include "hip/core/graph_capture.h"
#include "hip/core/runtime.h"
#include "hip/core/stream.h"
#include "hip/stream/host_task.h"
#include "hip/stream/shared_event.h"

namespace vgpu::hip {
namespace {

struct Events {
  std::mutex mutex;
  std::map<hipEvent_t, EventPtr> alive;
};

Events& events() {
  static Events* instance = new Events();
  return *instance;
}

void add(hipEvent_t* event, unsigned flags, std::shared_ptr<SharedEvent> shared) {
  auto made = std::make_shared<Event>(flags, std::move(shared));
  *event = reinterpret_cast<hipEvent_t>(made.get());
  std::lock_guard<std::mutex> hold(events().mutex);
  events().alive[*event] = std::move(made);
}

hipError_t create(hipEvent_t* event, unsigned flags) {
  constexpr unsigned kKnown = hipEventDefault | hipEventBlockingSync | hipEventDisableTiming |
                              hipEventInterprocess | hipEventReleaseToDevice |
                              hipEventReleaseToSystem | hipEventDisableSystemFence;
  constexpr unsigned kRelease =
      hipEventReleaseToDevice | hipEventReleaseToSystem | hipEventDisableSystemFence;
  const unsigned release = flags & kRelease;
  if (!event || (flags & ~kKnown) || (release & (release - 1))) return hipErrorInvalidValue;
  if ((flags & hipEventInterprocess) && !(flags & hipEventDisableTiming))
    return hipErrorInvalidValue;
  std::shared_ptr<SharedEvent> shared;
  if (flags & hipEventInterprocess) {
    if (hipError_t status = Runtime::get().status()) return status;
    shared = SharedEvent::create();
    if (!shared) return hipErrorOutOfMemory;
  }
  add(event, flags, std::move(shared));
  return hipSuccess;
}

bool is_of_this_process(const SharedEvent::Handle& handle) {
  std::lock_guard<std::mutex> hold(events().mutex);
  for (auto& [name, event] : events().alive) {
    SharedEvent::Handle own;
    if (event->shared() && event->shared()->give(&own) && !std::memcmp(&own, &handle, sizeof own))
      return true;
  }
  return false;
}

hipError_t open_handle(hipEvent_t* event, const hipIpcEventHandle_t& given) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  if (!event) return hipErrorInvalidValue;
  SharedEvent::Handle handle;
  std::memcpy(&handle, &given, sizeof handle);
  if (is_of_this_process(handle)) return hipErrorInvalidContext;
  std::shared_ptr<SharedEvent> shared = SharedEvent::attach(handle);
  if (!shared) return hipErrorInvalidValue;
  add(event, hipEventDisableTiming | hipEventInterprocess, std::move(shared));
  return hipSuccess;
}

hipError_t record(hipEvent_t handle, hipStream_t stream_handle, unsigned flags = 0) {
  if (flags & ~unsigned{hipEventRecordExternal}) return hipErrorInvalidValue;
  EventPtr event = find_event(handle);
  Stream* stream = find_stream(stream_handle);
  if (!event || !stream) return hipErrorInvalidHandle;
  if (stream->capture) return capture_record(*stream, *event, flags & hipEventRecordExternal);
  TaskPtr at_the_point;
  if (SharedEvent* shared = event->shared()) {
    const int64_t number = shared->record();
    at_the_point = std::make_shared<HostTask>([event, shared, number] { shared->reach(number); });
  }
  event->record(stream->submit(std::move(at_the_point)));
  return hipSuccess;
}

hipError_t elapsed(float* milliseconds, hipEvent_t first, hipEvent_t second) {
  EventPtr start = find_event(first);
  EventPtr stop = find_event(second);
  if (!milliseconds) return hipErrorInvalidValue;
  if (!start || !stop || !start->has_timing() || !stop->has_timing()) return hipErrorInvalidHandle;
  CompletionPtr from = start->point(), to = stop->point();
  if (!from || !to) return hipErrorInvalidHandle;
  if (!from->done() || !to->done()) return hipErrorNotReady;
  double ns = static_cast<double>(static_cast<int64_t>(to->wait() - from->wait()));
  *milliseconds = static_cast<float>(ns / 1e6);
  return hipSuccess;
}

}  // namespace

EventPtr find_event(hipEvent_t handle) {
  std::lock_guard<std::mutex> hold(events().mutex);
  auto known = events().alive.find(handle);
  return known == events().alive.end() ? nullptr : known->second;
}

}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipEventCreate(hipEvent_t* event) {
  HIP_API(hipEventCreate, event);
  HIP_RETURN(create(event, hipEventDefault));
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  HIP_API(hipEventCreateWithFlags, event, flags);
  HIP_RETURN(create(event, flags));
}

hipError_t hipEventDestroy(hipEvent_t event) {
  HIP_API(hipEventDestroy, event);
  std::lock_guard<std::mutex> hold(events().mutex);
  HIP_RETURN(events().alive.erase(event) ? hipSuccess : hipErrorInvalidHandle);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  HIP_API(hipEventRecord, event, stream);
  HIP_RETURN(record(event, stream));
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags) {
  HIP_API(hipEventRecordWithFlags, event, stream, flags);
  HIP_RETURN(record(event, stream, flags));
}

hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) {
  HIP_API(hipEventRecord_spt, event, stream);
  HIP_RETURN(record(event, stream ? stream : hipStreamPerThread));
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  HIP_API(hipEventSynchronize, event);
  EventPtr known = find_event(event);
  if (!known) HIP_RETURN(hipErrorInvalidHandle);
  if (hipError_t status = capture_forbids_asking(*known)) HIP_RETURN(status);
  if (known->shared()) known->shared()->wait();
  if (CompletionPtr point = known->point()) vrocm_host_advance_to(point->wait());
  HIP_RETURN(hipSuccess);
}

hipError_t hipEventQuery(hipEvent_t event) {
  HIP_API(hipEventQuery, event);
  EventPtr known = find_event(event);
  if (!known) HIP_RETURN(hipErrorInvalidHandle);
  if (hipError_t status = capture_forbids_asking(*known)) HIP_RETURN(status);
  if (known->shared() && !known->shared()->is_reached()) HIP_RETURN(hipErrorNotReady);
  CompletionPtr point = known->point();
  if (point && !point->done()) HIP_RETURN(hipErrorNotReady);
  if (point) vrocm_host_advance_to(point->wait());
  HIP_RETURN(hipSuccess);
}

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t* handle, hipEvent_t event) {
  HIP_API(hipIpcGetEventHandle, handle, event);
  EventPtr known = find_event(event);
  if (!handle || !known) HIP_RETURN(hipErrorInvalidValue);
  if (!known->shared()) HIP_RETURN(hipErrorInvalidConfiguration);
  SharedEvent::Handle given;
  if (!known->shared()->give(&given)) HIP_RETURN(hipErrorInvalidValue);
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle, &given, sizeof given);
  HIP_RETURN(hipSuccess);
}

hipError_t hipIpcOpenEventHandle(hipEvent_t* event, hipIpcEventHandle_t handle) {
  HIP_API(hipIpcOpenEventHandle, event, handle);
  HIP_RETURN(open_handle(event, handle));
}

hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop) {
  HIP_API(hipEventElapsedTime, ms, start, stop);
  HIP_RETURN(elapsed(ms, start, stop));
}

}  // extern "C"
