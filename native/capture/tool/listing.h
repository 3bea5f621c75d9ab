// `rocm-perf isolate --list`: which kernels were dispatched, how often, and how much memory each
// could reach at its first dispatch.
#pragma once

#include "hooks/in_flight.h"

namespace capture {

void list_packets(const Packet* packets, uint64_t count, hsa_agent_t agent);

// list-<pid>.json in the output folder; at the end of the process or of the runtime.
void write_list();

}  // namespace capture
