// Events: a place in a stream, with the virtual time at which the device reached it.
#pragma once

#include <hip/hip_runtime_api.h>

#include <mutex>

#include "completion.h"

namespace vgpu::hip {

class Event {
 public:
  explicit Event(unsigned flags) : flags_(flags) {}
  void record(CompletionPtr point) {
    std::lock_guard<std::mutex> hold(mutex_);
    point_ = std::move(point);
  }
  CompletionPtr point() const {
    std::lock_guard<std::mutex> hold(mutex_);
    return point_;
  }
  bool has_timing() const { return !(flags_ & hipEventDisableTiming); }

 private:
  const unsigned flags_;
  mutable std::mutex mutex_;
  CompletionPtr point_;
};

// Null for a handle that is not (or no longer) an event.
Event* find_event(hipEvent_t handle);

}  // namespace vgpu::hip
