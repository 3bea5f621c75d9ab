// Taking one dispatch: drain, snapshot, run, wait, snapshot again.
#pragma once

#include "hooks/in_flight.h"

namespace capture {

// Runs the packet in any case; `index` counts the dispatches of matching kernels, `queue_index` all
// packets of its queue. The capture is in capture-<pid> of the output folder when it succeeds, and
// error-<pid>.txt says why when it does not.
void capture_dispatch(Queue& queue, const Packet& packet, uint64_t index, uint64_t queue_index,
                      hsa_amd_queue_intercept_packet_writer write);

}  // namespace capture
