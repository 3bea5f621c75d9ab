// Streams: one worker thread each, so that the host goes on while the device works. The order
// between streams (events, the legacy default stream) is a list of completions to wait for.
#pragma once

#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "hip/core/completion.h"
#include "hip/core/task.h"

namespace vgpu::hip {

struct Device;
struct Capture;

class Stream {
 public:
  Stream(Device& device, unsigned flags, int priority, uint64_t id);
  ~Stream();  // drains, then ends the worker

  // Puts a task behind everything submitted before. `after` are points of other streams.
  // An empty task is a marker. Also applies the rules of the legacy default stream.
  CompletionPtr submit(TaskPtr task, std::vector<CompletionPtr> after = {});

  CompletionPtr last() const;  // null when nothing was ever submitted
  // What a query of the stream asks about: the end of its own work, for the legacy default stream
  // also of the blocking streams.
  std::vector<CompletionPtr> points_to_wait_for() const;
  void synchronize();       // waits; this thread's clock moves to the end of the work
  static bool on_worker();  // whether this thread is the worker of a stream

  Device& device() const { return device_; }
  unsigned flags() const { return flags_; }
  int priority() const { return priority_; }
  uint64_t id() const { return id_; }  // 0 is the default stream, then creation order
  bool is_default() const { return id_ == 0; }
  bool blocking() const { return !(flags_ & hipStreamNonBlocking); }

  // Another stream may have its hardware queue; with the device's order held.
  void leave_hardware_queue();

  // For tasks on the worker thread:
  hsa_queue_t* queue();
  hsa_signal_t signal();
  void* kernarg(size_t bytes);  // memory for the arguments of the kernel that runs next
  // Lane 0 is the stream itself; others have a queue of their own, for branches of a graph.
  Stream& lane(unsigned index);

  std::shared_ptr<Capture> capture;  // set while the stream is being captured

 private:
  void add_legacy_points(std::vector<CompletionPtr>& after) const;  // with the device's order held
  struct Entry {
    TaskPtr task;
    std::vector<CompletionPtr> after;
    uint64_t enqueued_ns, correlation;
    CompletionPtr completion;
  };
  void work();
  uint64_t run(const Entry& entry);

  Device& device_;
  const unsigned flags_;
  const int priority_;
  const uint64_t id_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;
  CompletionPtr last_;
  bool stopping_ = false;
  std::thread worker_;
  uint64_t time_ns_ = 0;  // when the last task ended; worker thread only
  hsa_queue_t* queue_ = nullptr;
  std::optional<uint32_t> hardware_queue_;  // from the first work on
  hsa_signal_t signal_{0};
  void* kernarg_ = nullptr;
  size_t kernarg_bytes_ = 0;
  bool has_kernarg_ = false;  // under mutex_: the rest belongs to the worker once it has kernels
  std::vector<std::unique_ptr<Stream>> lanes_;
};

// The stream behind a handle: null is the device's default stream, hipStreamPerThread this
// thread's own. Returns null for a handle that is not (or no longer) a stream.
Stream* find_stream(hipStream_t handle);

// A stream to capture into or to run on; fails while the handle is unknown.
hipError_t submit(hipStream_t handle, TaskPtr task, CompletionPtr* point = nullptr);

}  // namespace vgpu::hip
