// What the host does for a kernel that calls it: printf, device memory, host functions.
#pragma once

#include <cstdint>

namespace vgpu::hip {

class HostcallBuffer;
struct Device;

// Buffers that kernels may use from now on. Their calls are answered on the thread that runs the
// wave, before its next instruction: what is printed has the order of execution.
void watch_hostcalls(HostcallBuffer* buffer, Device& device);
void unwatch_hostcalls(HostcallBuffer* buffer);

}  // namespace vgpu::hip
