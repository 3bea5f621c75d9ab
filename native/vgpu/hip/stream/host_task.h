// A host function in stream order. It may block, so it runs on the stream's own thread.
#pragma once

#include <functional>
#include <utility>

#include "hip/core/clock.h"
#include "hip/core/task.h"

namespace vgpu::hip {

class HostTask : public Task {
 public:
  explicit HostTask(const hipHostNodeParams& call)
      : call(call), work_([call] { call.fn(call.userData); }) {}
  explicit HostTask(std::function<void()> work) : work_(std::move(work)) {}
  uint64_t run(Stream&) const override {
    work_();
    return vrocm_host_now();
  }
  hipGraphNodeType node_type() const override { return hipGraphNodeTypeHost; }

  const hipHostNodeParams call{};

 private:
  std::function<void()> work_;
};

}  // namespace vgpu::hip
