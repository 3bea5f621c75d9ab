// A queue that shows its packets to tools before the device gets them.
#pragma once

#include <memory>

#include "hsa/hsa_api_trace.h"
#include "hsa/queue/device_queue.h"

namespace vrocm {

class InterceptQueue : public Queue {
 public:
  explicit InterceptQueue(const QueueSettings& settings);

  void ring(uint64_t packet_index) override;
  void inactivate() override { inner_->inactivate(); }
  void set_profiling(bool enabled) override { inner_->set_profiling(enabled); }
  bool complete() const { return valid() && inner_->valid(); }

  // The newest handler sees the packets first; its writer leads to the one before it.
  void add_handler(hsa_amd_queue_intercept_handler handler, void* data);

 private:
  struct Handler {
    hsa_amd_queue_intercept_handler function;
    void* data;
  };

  static void writer(const void* packets, uint64_t count);
  void pass_on(const uint8_t* packets, uint64_t count);
  void submit(const uint8_t* packet);

  std::mutex mutex_;
  std::vector<Handler> handlers_;
  uint64_t next_ = 0;  // first packet not yet shown
  std::unique_ptr<DeviceQueue> inner_;
};

}  // namespace vrocm
