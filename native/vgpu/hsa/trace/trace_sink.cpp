#include "hsa/trace/trace_sink.h"

#include <atomic>

#include "hsa/signal/virtual_clock.h"

namespace vrocm {
namespace {

std::atomic<const VrocmTraceSink*> current_sink{nullptr};
std::atomic<uint64_t> dispatches{0};
thread_local uint64_t correlation = 0;

}  // namespace

const VrocmTraceSink* trace_sink() { return current_sink.load(std::memory_order_acquire); }

void trace_allocation(const void* address, size_t bytes, const Agent& agent, bool allocated) {
  const VrocmTraceSink* sink = trace_sink();
  if (!sink || !sink->on_allocation) return;
  const VrocmAllocationRecord record{address,          bytes,    agent.handle(), correlation,
                                     vrocm_host_now(), allocated};
  sink->on_allocation(sink->user, &record);
}

void trace_queue(uint64_t queue_id, const Agent& agent, uint32_t size, bool created) {
  const VrocmTraceSink* sink = trace_sink();
  if (!sink || !sink->on_queue) return;
  const VrocmQueueRecord record{queue_id, agent.handle(), size, created, vrocm_host_now()};
  sink->on_queue(sink->user, &record);
}

void trace_copy(const VrocmCopyRecord& record) {
  const VrocmTraceSink* sink = trace_sink();
  if (sink && sink->on_copy) sink->on_copy(sink->user, &record);
}

void trace_dispatch(VrocmDispatchRecord record) {
  record.dispatch_id = ++dispatches;
  const VrocmTraceSink* sink = trace_sink();
  if (sink && sink->on_dispatch) sink->on_dispatch(sink->user, &record);
}

}  // namespace vrocm

extern "C" {

void vrocm_set_trace_sink(const VrocmTraceSink* sink) {
  vrocm::current_sink.store(sink, std::memory_order_release);
}

void vrocm_set_correlation(uint64_t id) { vrocm::correlation = id; }
uint64_t vrocm_correlation(void) { return vrocm::correlation; }

}  // extern "C"
