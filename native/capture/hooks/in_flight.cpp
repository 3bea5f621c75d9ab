#include "hooks/in_flight.h"

#include <cstring>

#include "hooks/tables.h"

namespace capture {
namespace {

// AMD's vendor packet that compares a signal with a value (hsa_amd_barrier_value_packet_t).
constexpr uint8_t kBarrierValueFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;

hsa_signal_value_t value_of(hsa_signal_t signal) {
  return core().hsa_signal_load_scacquire_fn(signal);
}

template <typename T>
T as(const Packet& packet) {
  T other;
  static_assert(sizeof other == sizeof packet, "an AQL packet");
  std::memcpy(&other, &packet, sizeof other);
  return other;
}

bool is_barrier_value(const Packet& packet) {
  return type_of(packet) == HSA_PACKET_TYPE_VENDOR_SPECIFIC &&
         as<hsa_amd_barrier_value_packet_t>(packet).header.AmdFormat == kBarrierValueFormat;
}

bool waits_for_signals(const Packet& packet) {
  const uint8_t type = type_of(packet);
  if (type != HSA_PACKET_TYPE_BARRIER_AND && type != HSA_PACKET_TYPE_BARRIER_OR) {
    return is_barrier_value(packet);
  }
  for (const hsa_signal_t dependency : as<hsa_barrier_and_packet_t>(packet).dep_signal) {
    if (dependency.handle) return true;
  }
  return false;
}

bool compare(hsa_signal_value_t value, uint32_t condition, hsa_signal_value_t with) {
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ: return value == with;
    case HSA_SIGNAL_CONDITION_NE: return value != with;
    case HSA_SIGNAL_CONDITION_LT: return value < with;
    default: return value >= with;
  }
}

bool satisfied(const Packet& packet) {
  if (is_barrier_value(packet)) {
    const auto barrier = as<hsa_amd_barrier_value_packet_t>(packet);
    return !barrier.signal.handle ||
           compare(value_of(barrier.signal) & barrier.mask, barrier.cond, barrier.value);
  }
  const bool all = type_of(packet) == HSA_PACKET_TYPE_BARRIER_AND;
  for (const hsa_signal_t dependency : as<hsa_barrier_and_packet_t>(packet).dep_signal) {
    if (dependency.handle && (value_of(dependency) == 0) != all) return !all;
  }
  return all;
}

}  // namespace

Packet barrier_packet(hsa_signal_t signal) {
  hsa_barrier_and_packet_t barrier{};
  barrier.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
                   1 << HSA_PACKET_HEADER_BARRIER |
                   HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                   HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  barrier.completion_signal = signal;
  Packet packet;
  std::memcpy(&packet, &barrier, sizeof packet);
  return packet;
}

Queue::Queue(hsa_queue_t* queue, hsa_agent_t agent) : queue_(queue), agent_(agent) {
  core().hsa_signal_create_fn(0, 0, nullptr, &outstanding_);
}

Queue::~Queue() {
  if (outstanding_.handle) core().hsa_signal_destroy_fn(outstanding_);
}

void Queue::ticket(hsa_amd_queue_intercept_packet_writer write) {
  const Packet barrier = barrier_packet(outstanding_);
  core().hsa_signal_add_relaxed_fn(outstanding_, 1);
  ++submitted_;
  write(&barrier, 1);
}

void Queue::submit(const Packet* packets, uint64_t count,
                   hsa_amd_queue_intercept_packet_writer write) {
  std::lock_guard<std::mutex> lock(mutex_);
  uint64_t sent = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (!waits_for_signals(packets[i])) continue;
    if (i > sent) {
      write(packets + sent, i - sent);
      ticket(write);
    }
    blockers_.push_back({submitted_, packets[i]});
    sent = i;
  }
  write(packets + sent, count - sent);
  ticket(write);
}

bool Queue::idle() const { return value_of(outstanding_) == 0; }

bool Queue::quiet() {
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock) return false;  // somebody submits to it, and may wait for room in the queue
  const auto outstanding = static_cast<uint64_t>(value_of(outstanding_));
  if (outstanding == 0) return true;
  const uint64_t completed = submitted_ - outstanding;
  while (!blockers_.empty() && blockers_.front().after < completed) blockers_.pop_front();
  return !blockers_.empty() && blockers_.front().after == completed &&
         !satisfied(blockers_.front().packet);
}

}  // namespace capture
