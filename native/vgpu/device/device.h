// The door into the device for the HSA runtime: run one dispatch; know which memory it may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "exec/code/code_registry.h"
#include "exec/group/dispatch.h"
#include "exec/wave/host_handlers.h"
#include "memory/address_space.h"
#include "model/bounds/bounds.h"
#include "model/bounds/demand.h"

namespace vgpu {

// Makes [base, base + bytes) accessible to the device (idempotent per base). `label` names the
// allocation in fault reports, e.g. "hipMalloc #3". `device`: that has it, unless the host does.
// Thread-safe against running dispatches.
void map_memory(uint64_t base, size_t bytes, MemoryKind kind, const std::string& label,
                uint32_t device = kFirstDevice);
void unmap_memory(uint64_t base);
// Pages of host memory are with this agent from now on: a device, or (0) the host.
void move_memory(uint64_t base, size_t bytes, uint32_t agent);
bool memory_accessible(uint64_t address, size_t bytes);

struct DispatchResult {
  uint64_t wave_instructions;  // executed, all classes
  uint64_t duration_ns;        // modelled, not host time
  model::Demand demand;        // of what it shares with dispatches of other queues
  std::string counters;        // a JSON object by counter name; empty unless VROCM_COUNTERS=1
  std::string thread_trace;    // file beside the recording; empty unless there is one
  uint64_t simulated_ns;       // less than duration_ns when the largest of these bounds decided
  model::Bounds bounds;
};

// Runs the dispatch to its end, on this and the worker threads. A device fault prints its report
// to stderr and aborts the process, as ROCr does. Several calls may run at the same time.
DispatchResult run_dispatch(const DispatchRequest& request);

}  // namespace vgpu
