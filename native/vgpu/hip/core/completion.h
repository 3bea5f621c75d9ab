// A point in a stream: reached when everything before it is done, at a known virtual time.
#pragma once

#include <hip/hip_runtime_api.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace vgpu::hip {

class Completion {
 public:
  void finish(uint64_t time_ns) {
    {
      std::lock_guard<std::mutex> hold(mutex_);
      done_ = true;
      time_ns_ = time_ns;
    }
    changed_.notify_all();
  }
  bool done() const {
    std::lock_guard<std::mutex> hold(mutex_);
    return done_;
  }
  // Blocks until reached; returns its virtual time.
  uint64_t wait() const {
    std::unique_lock<std::mutex> hold(mutex_);
    changed_.wait(hold, [this] { return done_; });
    return time_ns_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool done_ = false;
  uint64_t time_ns_ = 0;
};

using CompletionPtr = std::shared_ptr<Completion>;

}  // namespace vgpu::hip
