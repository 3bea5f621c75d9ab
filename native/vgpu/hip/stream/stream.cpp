#include "hip/core/stream.h"

#include <hsa/hsa_ext_amd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "hip/core/clock.h"
#include "hip/core/device_services.h"
#include "hip/core/graph_capture.h"
#include "hip/core/runtime.h"
#include "hip/record/recorder.h"
#include "vrocm/calendar.h"
#include "vrocm/trace.h"

namespace vgpu::hip {
namespace {

thread_local bool worker_thread = false;
bool has_kernels(const TaskPtr& task) {
  return task && (task->node_type() == hipGraphNodeTypeKernel ||
                  task->node_type() == hipGraphNodeTypeGraph);
}

// Tasks that end when the host or another stream does something.
bool may_wait(const TaskPtr& task) {
  return task && task->node_type() != hipGraphNodeTypeMemcpy &&
         task->node_type() != hipGraphNodeTypeMemset && !has_kernels(task);
}

constexpr uint32_t kQueuePackets = 64;  // one dispatch at a time is in flight per stream

// The HIP runtime puts kernel arguments into device memory on gfx942, unless it is told not to.
bool arguments_on_device() {
  static const bool wanted = [] {
    const char* text = std::getenv("HIP_FORCE_DEV_KERNARG");
    return !text || std::strcmp(text, "0") != 0;
  }();
  return wanted;
}

}  // namespace

Stream::Stream(Device& device, unsigned flags, int priority, uint64_t id)
    : device_(device), flags_(flags), priority_(priority), id_(id) {}

Stream::~Stream() {
  {
    std::lock_guard<std::mutex> hold(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (worker_.joinable()) worker_.join();
  release_services(*this);
  if (queue_) hsa_queue_destroy(queue_);
  if (signal_.handle) hsa_signal_destroy(signal_);
  if (kernarg_) hsa_amd_memory_pool_free(kernarg_);
}

CompletionPtr Stream::submit(TaskPtr task, std::vector<CompletionPtr> after) {
  std::lock_guard<std::mutex> order(device_.order);
  add_legacy_points(after);
  // Before the worker can see the task: its records look the stream up.
  if (recording()) record_stream_use(vrocm_correlation(), id_);
  auto completion = std::make_shared<Completion>();
  {
    std::lock_guard<std::mutex> hold(mutex_);
    if (has_kernels(task)) {
      vrocm_stream_expects(this, vrocm_correlation());
      // Here and not in the worker: places in memory follow the program's order.
      if (!std::exchange(has_kernarg_, true)) kernarg(1);
    }
    entries_.push_back(
        {std::move(task), std::move(after), vrocm_host_now(), vrocm_correlation(), completion});
    last_ = completion;
    if (!worker_.joinable()) {
      hardware_queue_ = device_.hardware_queues.take(priority_);
      queue();  // here, not on the worker: queues are numbered in the program's order
      worker_ = std::thread(&Stream::work, this);
    }
  }
  changed_.notify_all();
  return completion;
}

// The legacy default stream: its work waits for all blocking streams, and theirs for it.
void Stream::add_legacy_points(std::vector<CompletionPtr>& after) const {
  if (is_default()) {
    for (Stream* other : device_.streams)
      if (other->blocking())
        if (CompletionPtr point = other->last()) after.push_back(point);
  } else if (blocking()) {
    if (CompletionPtr point = device_.default_stream->last()) after.push_back(point);
  }
}

std::vector<CompletionPtr> Stream::points_to_wait_for() const {
  std::vector<CompletionPtr> points;
  if (CompletionPtr own = last()) points.push_back(own);
  if (!is_default()) return points;  // a query of another stream asks about its work alone
  std::lock_guard<std::mutex> order(device_.order);
  add_legacy_points(points);
  return points;
}

CompletionPtr Stream::last() const {
  std::lock_guard<std::mutex> hold(mutex_);
  return last_;
}

void Stream::synchronize() {
  // A marker on the default stream also waits for the blocking streams, as the rule says.
  CompletionPtr point = is_default() ? submit(nullptr) : last();
  if (point) vrocm_host_advance_to(point->wait());
}

bool Stream::on_worker() { return worker_thread; }

void Stream::work() {
  worker_thread = true;
  for (;;) {
    Entry entry;
    {
      std::unique_lock<std::mutex> hold(mutex_);
      changed_.wait(hold, [this] { return stopping_ || !entries_.empty(); });
      if (entries_.empty()) return;
      entry = std::move(entries_.front());
      entries_.pop_front();
    }
    entry.completion->finish(run(entry));
  }
}

uint64_t Stream::run(const Entry& entry) {
  uint64_t ready = std::max(entry.enqueued_ns, time_ns_);
  for (const CompletionPtr& point : entry.after) ready = std::max(ready, point->wait());
  vrocm_service_set_time(ready);
  vrocm_set_correlation(entry.correlation);
  if (may_wait(entry.task)) vrocm_stream_parks(this, 1);
  time_ns_ = entry.task ? std::max(ready, entry.task->run(*this)) : ready;
  if (may_wait(entry.task)) vrocm_stream_parks(this, 0);
  if (has_kernels(entry.task)) vrocm_stream_finished(this, entry.correlation);
  return time_ns_;
}

hsa_queue_t* Stream::queue() {
  if (!queue_) {
    hsa_queue_create(device_.agent, kQueuePackets, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr,
                     UINT32_MAX, UINT32_MAX, &queue_);
    if (queue_ && hardware_queue_) vrocm_queue_shares(queue_->id, *hardware_queue_);
  }
  if (queue_) hsa_amd_profiling_set_profiler_enabled(queue_, 1);
  return queue_;
}

void Stream::leave_hardware_queue() {
  if (hardware_queue_) device_.hardware_queues.give_back(priority_, *hardware_queue_);
}

hsa_signal_t Stream::signal() {
  if (!signal_.handle) hsa_signal_create(1, 0, nullptr, &signal_);
  return signal_;
}

void* Stream::kernarg(size_t bytes) {
  if (bytes > kernarg_bytes_) {
    if (kernarg_) hsa_amd_memory_pool_free(kernarg_);
    kernarg_bytes_ = std::max<size_t>(4096, (bytes + 4095) & ~size_t{4095});
    const bool on_device =
        arguments_on_device() && hsa_amd_memory_pool_allocate(device_.coarse, kernarg_bytes_, 0,
                                                              &kernarg_) == HSA_STATUS_SUCCESS;
    if (!on_device)
      hsa_amd_memory_pool_allocate(Runtime::get().kernarg(), kernarg_bytes_, 0, &kernarg_);
    hsa_amd_agents_allow_access(1, &device_.agent, nullptr, kernarg_);
  }
  return kernarg_;
}

Stream& Stream::lane(unsigned index) {
  if (index == 0) return *this;
  while (lanes_.size() < index) {
    lanes_.push_back(std::make_unique<Stream>(device_, flags_, priority_, id_));
    if (hardware_queue_)
      lanes_.back()->hardware_queue_ =
          HardwareQueues::behind(*hardware_queue_, uint32_t(lanes_.size()));
  }
  return *lanes_[index - 1];
}

Stream* find_stream(hipStream_t handle) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return nullptr;
  if (!handle || handle == hipStreamLegacy) return runtime.current().default_stream.get();
  if (handle == hipStreamPerThread) return &runtime.thread_stream();
  auto* stream = reinterpret_cast<Stream*>(handle);
  return runtime.knows(stream) ? stream : nullptr;
}

hipError_t submit(hipStream_t handle, TaskPtr task, CompletionPtr* point) {
  Stream* stream = find_stream(handle);
  if (!stream) return hipErrorInvalidHandle;
  if (stream->capture) return capture_task(*stream, std::move(task));
  if (stream->is_default())
    if (hipError_t status = capture_forbids_default_stream()) return status;
  CompletionPtr completion = stream->submit(std::move(task));
  if (point) *point = completion;
  return hipSuccess;
}

}  // namespace vgpu::hip
