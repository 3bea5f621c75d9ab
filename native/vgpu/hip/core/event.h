// Events: a place in a stream, with the virtual time at which the device reached it.
#pragma once

#include <hip/hip_runtime_api.h>

#include <mutex>

#include "hip/core/completion.h"

namespace vgpu::hip {

struct CapturedPoint;
class SharedEvent;

class Event : public std::enable_shared_from_this<Event> {
 public:
  Event(unsigned flags, std::shared_ptr<SharedEvent> shared)
      : flags_(flags), shared_(std::move(shared)) {}
  void record(CompletionPtr point) {
    std::lock_guard<std::mutex> hold(mutex_);
    point_ = std::move(point);
    captured_.reset();
  }
  void capture(std::shared_ptr<CapturedPoint> captured) {
    std::lock_guard<std::mutex> hold(mutex_);
    captured_ = std::move(captured);
  }
  std::shared_ptr<CapturedPoint> captured() const {
    std::lock_guard<std::mutex> hold(mutex_);
    return captured_;
  }
  CompletionPtr point() const {
    std::lock_guard<std::mutex> hold(mutex_);
    return point_;
  }
  bool has_timing() const { return !(flags_ & hipEventDisableTiming); }
  // Of events for several processes, any of which may record them; else null.
  SharedEvent* shared() const { return shared_.get(); }

 private:
  const unsigned flags_;
  const std::shared_ptr<SharedEvent> shared_;
  mutable std::mutex mutex_;
  CompletionPtr point_;
  std::shared_ptr<CapturedPoint> captured_;  // set while the last record was captured
};

using EventPtr = std::shared_ptr<Event>;

// Null for a handle that is not (or no longer) an event. Graphs keep the events they use.
EventPtr find_event(hipEvent_t handle);

}  // namespace vgpu::hip
