#include "hip/hostcall/hostcall_buffer.h"

#include <algorithm>
#include <new>
#include <vector>

namespace vgpu::hip {
namespace {

constexpr size_t kPage = 4096;
constexpr uint32_t kReady = 1;
constexpr uint32_t kEvent = 1;  // any that is not 0

size_t round_up(size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

size_t payloads_at(uint32_t packets) {
  return round_up(sizeof(HostcallBuffer) + packets * sizeof(HostcallPacket));
}

uint64_t mask_for(uint32_t packets) {
  uint64_t size = 2;
  while (size < packets) size *= 2;
  return size - 1;
}

}  // namespace

size_t HostcallBuffer::bytes_for(uint32_t packets) {
  return payloads_at(packets) + packets * sizeof(HostcallPayload);
}

HostcallBuffer* HostcallBuffer::create_in(void* memory, uint32_t packets) {
  auto* base = static_cast<uint8_t*>(memory);
  auto* buffer = new (memory) HostcallBuffer;
  buffer->packets_ = reinterpret_cast<HostcallPacket*>(base + sizeof(HostcallBuffer));
  buffer->payloads_ = reinterpret_cast<HostcallPayload*>(base + payloads_at(packets));
  buffer->index_mask_ = mask_for(packets);
  // A link is an index with a tag above it that changes with every use; 0 ends the stack, so packet
  // 0 starts with a tag.
  uint64_t below = 0;
  for (uint32_t index = 0; index < packets; ++index) {
    buffer->packets_[index].next = below;
    below = index ? index : buffer->index_mask_ + 1;
  }
  buffer->free_stack_ = below;
  buffer->ready_stack_ = 0;
  // The device rings a signal; one with a mailbox makes it send the message that wakes the host.
  buffer->mailbox_ = 0;
  buffer->signal_ = {};
  buffer->signal_.kind = AMD_SIGNAL_KIND_USER;
  buffer->signal_.value = 1;
  buffer->signal_.event_mailbox_ptr = reinterpret_cast<uint64_t>(&buffer->mailbox_);
  buffer->signal_.event_id = kEvent;
  buffer->doorbell_ = &buffer->signal_;
  return buffer;
}

void HostcallBuffer::serve(const Answer& answer) {
  std::vector<uint64_t> ready;
  uint64_t link = __atomic_exchange_n(&ready_stack_, 0, __ATOMIC_ACQUIRE);
  for (; link; link = packets_[link & index_mask_].next) ready.push_back(link & index_mask_);
  std::reverse(ready.begin(), ready.end());
  for (uint64_t index : ready) {
    HostcallPacket& packet = packets_[index];
    for (uint32_t lane = 0; lane < kHostcallLanes; ++lane)
      if (packet.lanes >> lane & 1) answer(packet.service, payloads_[index][lane]);
    __atomic_and_fetch(&packet.control, ~kReady, __ATOMIC_RELEASE);
  }
}

}  // namespace vgpu::hip
