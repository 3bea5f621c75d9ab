// One kernel dispatch packet: is it executable, and running it on the device.
#pragma once

#include "device_calendar.h"
#include "queue.h"

namespace vrocm {

struct DispatchProblem {
  hsa_status_t status;
  const char* why;
};

// What the command processor rejects.
DispatchProblem check_dispatch(const hsa_kernel_dispatch_packet_t& packet);

// Runs the kernel, which may start at virtual time `start_ns`, records it, and returns when it ran.
KernelSpan run_kernel(const hsa_kernel_dispatch_packet_t& packet, Queue& queue, uint64_t index,
                      uint64_t start_ns);

}  // namespace vrocm
