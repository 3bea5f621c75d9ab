// A piece of work for a stream: what a graph keeps as a node and a stream runs in order.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <memory>

namespace vgpu::hip {

class Stream;

class Task {
 public:
  virtual ~Task() = default;
  // Runs on the stream's own thread, with that thread's virtual clock at the earliest start.
  // Returns the virtual time at which the work ended.
  virtual uint64_t run(Stream& stream) const = 0;
  // What it is as a node of a graph.
  virtual hipGraphNodeType node_type() const = 0;
};

using TaskPtr = std::shared_ptr<const Task>;

}  // namespace vgpu::hip
