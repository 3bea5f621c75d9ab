// The memory through which a kernel calls the host, in the layout that ROCm's device library knows.
// A wave takes a packet from the free stack, fills in a service and eight words per lane, pushes it
// on the ready stack and sends a message; then it waits until the packet is no longer ready, reads
// two words per lane back and returns the packet.
#pragma once

#include <hsa/amd_hsa_signal.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace vgpu::hip {

constexpr uint32_t kHostcallLanes = 64, kHostcallWords = 8;

struct HostcallPacket {
  uint64_t next;   // in its stack: tag and index
  uint64_t lanes;  // those that wait for an answer
  uint32_t service;
  uint32_t control;  // bit 0: ready, that is, not yet answered
};

using HostcallPayload = uint64_t[kHostcallLanes][kHostcallWords];

class HostcallBuffer {
 public:
  // What memory for this many packets takes; at least one for each wave that the device can hold.
  static size_t bytes_for(uint32_t packets);
  // In zeroed memory of that size.
  static HostcallBuffer* create_in(void* memory, uint32_t packets);

  // Answers all that is ready, the oldest first: `answer` gets the service and the words of one
  // lane, the first two of which go back.
  using Answer = std::function<void(uint32_t service, uint64_t* words)>;
  void serve(const Answer& answer);

 private:
  HostcallPacket* packets_;
  HostcallPayload* payloads_;
  amd_signal_t* doorbell_;
  uint64_t free_stack_;
  uint64_t ready_stack_;
  uint64_t index_mask_;
  // Behind what the device library knows.
  amd_signal_t signal_;
  uint64_t mailbox_;
};

}  // namespace vgpu::hip
