// The packet processor.
#include "hsa/queue/device_queue.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "hsa/queue/dispatch.h"
#include "hsa/signal/virtual_clock.h"
#include "vrocm/trace.h"

namespace vrocm {
namespace {

// A doorbell may also be written directly through hardware_doorbell_ptr; look for that too.
constexpr auto kLook = std::chrono::milliseconds(5);

uint16_t load_header(const uint8_t* packet) {
  return __atomic_load_n(reinterpret_cast<const uint16_t*>(packet), __ATOMIC_ACQUIRE);
}

void store_header(uint8_t* packet, uint16_t header) {
  __atomic_store_n(reinterpret_cast<uint16_t*>(packet), header, __ATOMIC_RELEASE);
}

}  // namespace

DeviceQueue::DeviceQueue(const QueueSettings& settings)
    : Queue(settings), submissions_(settings.size), visible_(nullptr) {
  if (!valid()) return;
  visible_ = handle();
  thread_ = std::thread([this] { serve(); });
}

DeviceQueue::~DeviceQueue() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  rung_.notify_all();
  wake_signal_waiters();
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();  // destroyed from its own error callback
  } else {
    thread_.join();
  }
}

// Several threads may write packets and ring out of order: every doorbell marks the packets that it
// announces and that are written; the thread that writes a packet rings for it again.
void DeviceQueue::ring(uint64_t packet_index) {
  std::lock_guard<std::mutex> lock(mutex_);
  last_ring_ns_ = vrocm_host_now();
  const uint64_t end = packet_index + 1;
  const uint64_t first = std::max(read_index(), std::min(packet_index, rung_up_to_));
  if (end > first && end - first > size()) return;  // beyond the ring: a stray value
  for (uint64_t index = first; index < end; ++index) {
    uint8_t* slot = packet(index);
    const uint32_t type = packet_type(load_header(slot));
    if (type == HSA_PACKET_TYPE_INVALID || submission(index).packet_count == index + 1) continue;
    submission(index) = {index + 1, last_ring_ns_, vrocm_correlation()};
  }
  rung_up_to_ = std::max(rung_up_to_, end);
  rung_.notify_all();
}

void DeviceQueue::inactivate() {
  active_ = false;
  wake_signal_waiters();
  rung_.notify_all();
}

void DeviceQueue::set_profiling(bool enabled) {
  AMD_HSA_BITS_SET(abi().queue_properties, AMD_QUEUE_PROPERTIES_ENABLE_PROFILING,
                   enabled ? 1u : 0u);
}

void DeviceQueue::serve() {
  for (uint64_t index = 0; wait_for_packet(index); ++index) {
    uint8_t* slot = packet(index);
    if (!process(index, slot)) {
      active_ = false;  // a failed queue processes nothing more
      return;
    }
    store_header(slot, HSA_PACKET_TYPE_INVALID);
    set_read_index(index + 1);
  }
}

// True when the packet was announced and written; false when the queue ends. A packet that no
// doorbell call marked, because it was written after one or the doorbell was written directly, is
// taken after a moment.
bool DeviceQueue::wait_for_packet(uint64_t index) {
  std::unique_lock<std::mutex> lock(mutex_);
  bool waited = false;
  while (!stop_ && active_) {
    if (packet_type(load_header(packet(index))) != HSA_PACKET_TYPE_INVALID) {
      if (submission(index).packet_count == index + 1) return true;
      const int64_t direct = doorbell_->load();
      const bool announced = index < rung_up_to_ || (direct >= 0 && index <= uint64_t(direct));
      if (announced && waited) {
        submission(index) = {index + 1, last_ring_ns_, 0};
        return true;
      }
    }
    waited = rung_.wait_for(lock, kLook) == std::cv_status::timeout;
  }
  return false;
}

bool DeviceQueue::process(uint64_t index, uint8_t* packet) {
  switch (packet_type(load_header(packet))) {
    case HSA_PACKET_TYPE_KERNEL_DISPATCH: return dispatch(index, packet);
    case HSA_PACKET_TYPE_BARRIER_AND: return barrier(index, packet, true);
    case HSA_PACKET_TYPE_BARRIER_OR: return barrier(index, packet, false);
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
      if (packet[2] == HSA_AMD_PACKET_TYPE_BARRIER_VALUE) return barrier_value(index, packet);
      return fail(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "an unknown vendor packet");
    default: return fail(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "an unknown packet type");
  }
}

uint64_t DeviceQueue::earliest_start(uint64_t index, uint16_t header) {
  const uint64_t submitted = submission(index).host_ns;
  return std::max(submitted, barrier_bit(header) ? last_end_ : last_start_);
}

void DeviceQueue::finish(hsa_signal_t completion, Span span) {
  last_start_ = std::max(last_start_, span.start);
  last_end_ = std::max(last_end_, span.end);
  if (Signal* signal = Signal::from_handle(completion)) signal->complete(span.start, span.end);
}

bool DeviceQueue::dispatch(uint64_t index, uint8_t* slot) {
  auto& packet = *reinterpret_cast<hsa_kernel_dispatch_packet_t*>(slot);
  const DispatchProblem problem = check_dispatch(packet);
  if (problem.status != HSA_STATUS_SUCCESS) return fail(problem.status, problem.why);
  const uint64_t start = earliest_start(index, packet.header);
  const bool follows = barrier_bit(packet.header) && submission(index).host_ns <= last_end_;
  const uint64_t correlation = packet.reserved2 ? packet.reserved2 : submission(index).correlation;
  const KernelSpan span = run_kernel(packet, *this, index, {start, follows, correlation});
  finish(packet.completion_signal, {span.start, span.end});
  return true;
}

// Waits for signals as long as the queue lives.
bool DeviceQueue::wait_while_serving(const std::function<bool()>& done) {
  bool satisfied = false;
  wait_for_signals([&] { return (satisfied = done()) || stop_ || !active_; }, kForever);
  return satisfied;
}

bool DeviceQueue::barrier(uint64_t index, const uint8_t* slot, bool all) {
  const auto& packet = *reinterpret_cast<const hsa_barrier_and_packet_t*>(slot);
  std::vector<Signal*> waited;
  for (hsa_signal_t dependency : packet.dep_signal) {
    if (Signal* signal = Signal::from_handle(dependency)) waited.push_back(signal);
  }
  uint64_t ready_ns = 0;
  const bool done = waited.empty() || wait_while_serving([&] {
                      size_t complete = 0;
                      uint64_t latest = 0, first = UINT64_MAX;
                      for (Signal* signal : waited) {
                        if (signal->load() != 0) continue;
                        ++complete;
                        latest = std::max(latest, signal->time());
                        first = std::min(first, signal->time());
                      }
                      ready_ns = all ? latest : first;
                      return all ? complete == waited.size() : complete > 0;
                    });
  if (!done) return false;
  const uint64_t time = std::max(earliest_start(index, packet.header), ready_ns);
  finish(packet.completion_signal, {time, time});
  // Packets behind a barrier packet wait for it whether or not they have the barrier bit.
  last_start_ = std::max(last_start_, time);
  return true;
}

bool DeviceQueue::barrier_value(uint64_t index, const uint8_t* slot) {
  const auto& packet = *reinterpret_cast<const hsa_amd_barrier_value_packet_t*>(slot);
  uint64_t ready_ns = 0;
  if (Signal* signal = Signal::from_handle(packet.signal)) {
    const auto condition = static_cast<hsa_signal_condition_t>(packet.cond);
    const bool done = wait_while_serving(
        [&] { return satisfies(signal->load() & packet.mask, condition, packet.value); });
    if (!done) return false;
    ready_ns = signal->time();
  }
  const uint64_t time = std::max(earliest_start(index, packet.header.header), ready_ns);
  finish(packet.completion_signal, {time, time});
  return true;
}

// Tells the program, or the user when the program does not listen. Returns false for its callers.
bool DeviceQueue::fail(hsa_status_t status, const char* why) {
  active_ = false;
  if (settings_.on_error) {
    settings_.on_error(status, visible_, settings_.error_data);
  } else {
    std::fprintf(stderr,
                 "virtual ROCm: queue %llu stopped at packet %llu: %s (status 0x%x). The program "
                 "gave the queue no error callback; waiting for its packets will not end.\n",
                 static_cast<unsigned long long>(id()),
                 static_cast<unsigned long long>(read_index()), why, static_cast<unsigned>(status));
  }
  return false;
}

}  // namespace vrocm
