// One kernel dispatch packet: is it executable, and running it on the device.
#pragma once

#include "hsa/queue/device_calendar.h"
#include "hsa/queue/queue.h"

namespace vrocm {

struct DispatchProblem {
  hsa_status_t status;
  const char* why;
};

// What the command processor rejects.
DispatchProblem check_dispatch(const hsa_kernel_dispatch_packet_t& packet);

// When a kernel may start, and whether it has waited for another one of its queue until then: its
// timestamps then hold what the command processor does between the two.
struct KernelTurn {
  uint64_t start_ns;
  bool follows;
  uint64_t correlation;  // which call of the program launched it
};

// Runs the kernel, records it, and returns when it ran.
KernelSpan run_kernel(const hsa_kernel_dispatch_packet_t& packet, Queue& queue, uint64_t index,
                      KernelTurn turn);

}  // namespace vrocm
