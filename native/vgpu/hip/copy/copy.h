// Copies and fills as tasks: linear, and boxes of rows for the 2-D and 3-D calls.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "hip/core/task.h"

namespace vgpu::hip {

// `rows` x `slices` lines of `bytes`, with a pitch between lines and between slices on each side.
struct Box {
  size_t bytes = 0, rows = 1, slices = 1;
  size_t target_pitch = 0, target_slice = 0;
  size_t source_pitch = 0, source_slice = 0;
};

class CopyTask : public Task {
 public:
  CopyTask(void* target, const void* source, const Box& box, hipMemcpyKind kind = hipMemcpyDefault);
  uint64_t run(Stream& stream) const override;
  hipGraphNodeType node_type() const override { return hipGraphNodeTypeMemcpy; }

  void* target;
  const void* source;
  Box box;
  bool to_device, from_device;
  hipMemcpyKind kind;  // as the program named it, which may be less than is known
};

// Whether both copy between the same kinds of memory, or are no copies: an executable graph keeps
// the directions it was made with.
bool same_direction(const Task* first, const Task* second);
// The same for the directions that the program named. A node of an executable graph keeps the name
// too, also where hipMemcpyDefault would mean the same.
bool same_named_direction(const Task* first, const Task* second);

class FillTask : public Task {
 public:
  FillTask(void* target, uint32_t value, unsigned element_bytes, const Box& box)
      : target(target), value(value), element_bytes(element_bytes), box(box) {}
  uint64_t run(Stream& stream) const override;
  hipGraphNodeType node_type() const override { return hipGraphNodeTypeMemset; }

  void* target;
  uint32_t value;
  unsigned element_bytes;  // 1, 2 or 4
  Box box;
};

Box line(size_t bytes);
// Whether both sides have room for the box, as far as their memory is known.
bool has_room(const void* target, const void* source, const Box& box);

// Checks the arguments, submits, and waits where ROCm does (host_waits.h). `synchronous` calls are
// those without Async in their name; a capture forbids them.
hipError_t copy(hipStream_t stream, void* target, const void* source, const Box& box,
                hipMemcpyKind kind, bool synchronous);
// hipMemcpyPeer: in place of the host the default stream of the device that gets the data waits.
hipError_t copy_to_peer(void* target, int target_device, const void* source, const Box& box);
hipError_t fill(hipStream_t stream, void* target, uint32_t value, unsigned element_bytes,
                const Box& box, bool synchronous);

}  // namespace vgpu::hip
