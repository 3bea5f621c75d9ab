// The runtime's side of vrocm/trace.h: one call per recorded event, nothing when nobody listens.
#pragma once

#include <cstdint>

#include "hsa/agent/agent.h"
#include "vrocm/trace.h"

namespace vrocm {

const VrocmTraceSink* trace_sink();

void trace_allocation(const void* address, size_t bytes, const Agent& agent, bool allocated);
void trace_queue(uint64_t queue_id, const Agent& agent, uint32_t size, bool created);
void trace_copy(const VrocmCopyRecord& record);
void trace_dispatch(VrocmDispatchRecord record);  // gives it the next dispatch id

}  // namespace vrocm
