// What the device has still to do: packets per queue, and copies. The drain before a capture waits
// until all of it is done, or can do nothing before something happens that comes later.
#pragma once

#include <hsa/hsa_api_trace.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace capture {

using Packet = hsa_kernel_dispatch_packet_t;  // any AQL packet: 64 bytes, its type in the header
static_assert(sizeof(Packet) == 64, "an AQL packet");

inline uint8_t type_of(const Packet& packet) {
  return static_cast<uint8_t>(packet.header >> HSA_PACKET_HEADER_TYPE);
}

// One queue. Behind what the program submits goes a barrier packet that counts `outstanding` down
// when everything before it is complete.
class Queue {
 public:
  Queue(hsa_queue_t* queue, hsa_agent_t agent);
  ~Queue();

  hsa_agent_t agent() const { return agent_; }
  const hsa_queue_t* handle() const { return queue_; }

  // Sends the packets on, with the counting barrier behind them. Only from a packet handler.
  void submit(const Packet* packets, uint64_t count, hsa_amd_queue_intercept_packet_writer write);

  // Whether nothing of this queue runs or can start by itself.
  bool quiet();
  bool idle() const;

 private:
  struct Blocker {  // a packet that waits for signals, behind `after` completed tickets
    uint64_t after;
    Packet packet;
  };
  void ticket(hsa_amd_queue_intercept_packet_writer write);

  hsa_queue_t* queue_;
  hsa_agent_t agent_;
  hsa_signal_t outstanding_{0};
  std::mutex mutex_;
  uint64_t submitted_ = 0;
  std::deque<Blocker> blockers_;
};

// A barrier packet that waits for everything before it on its queue and then completes `signal`.
Packet barrier_packet(hsa_signal_t signal);

void watch_copies(HsaApiTable* table);
bool copies_are_quiet();

}  // namespace capture
