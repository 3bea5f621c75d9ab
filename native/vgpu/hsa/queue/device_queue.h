// A queue that the virtual device serves: one packet processor thread takes the packets in order.
#pragma once

#include "hsa/queue/queue.h"

namespace vrocm {

class DeviceQueue : public Queue {
 public:
  explicit DeviceQueue(const QueueSettings& settings);
  ~DeviceQueue() override;

  void ring(uint64_t packet_index) override;
  void inactivate() override;
  void set_profiling(bool enabled) override;

  // For packets that an intercepting queue passes on: errors name the queue the program knows.
  void report_errors_as(hsa_queue_t* visible) { visible_ = visible; }

 private:
  struct Submission {       // what a doorbell tells about a packet
    uint64_t packet_count;  // its index + 1; another number belongs to an earlier packet
    uint64_t host_ns;
    uint64_t correlation;  // not in the packet, where kernels would see who watches them
  };

  void serve();
  bool wait_for_packet(uint64_t index);
  Submission& submission(uint64_t index) { return submissions_[index & (size() - 1)]; }
  // The virtual time span of one processed packet.
  struct Span {
    uint64_t start, end;
  };
  bool process(uint64_t index, uint8_t* packet);
  bool dispatch(uint64_t index, uint8_t* packet);
  bool barrier(uint64_t index, const uint8_t* packet, bool all);
  bool barrier_value(uint64_t index, const uint8_t* packet);
  bool wait_while_serving(const std::function<bool()>& done);
  uint64_t earliest_start(uint64_t index, uint16_t header);
  void finish(hsa_signal_t completion, Span span);
  bool fail(hsa_status_t status, const char* why);

  std::mutex mutex_;
  std::condition_variable rung_;
  std::vector<Submission> submissions_;  // by packet slot
  uint64_t rung_up_to_ = 0;              // packets before this index were announced
  uint64_t last_ring_ns_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<bool> active_{true};
  hsa_queue_t* visible_;

  // The queue's virtual time line.
  uint64_t last_start_ = 0;  // no packet starts before an earlier one did
  uint64_t last_end_ = 0;    // when everything so far is complete

  std::thread thread_;  // last: starts when everything else is ready
};

}  // namespace vrocm
