// All memory that a kernel can reach: pool allocations, mappings of virtual memory, locked and shared
// host memory, memory of other processes.
#pragma once

#include <hsa/hsa_api_trace.h>

#include <cstdint>
#include <string>
#include <vector>

namespace capture {

enum class MemoryKind { Device, Host, Vmem, Locked, Svm, Ipc, Code };
const char* name_of(MemoryKind kind);

struct Region {
  uint64_t base = 0;  // as the device sees it
  uint64_t size = 0;
  MemoryKind kind = MemoryKind::Device;
  uint64_t host = 0;         // where the host reads it; 0: only through a copy
  uint64_t handle = 0;       // of a virtual memory mapping
  uint64_t owner = 0;        // agent handle; 0: the host
  uint32_t pool_flags = 0;   // HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_*
  uint32_t alloc_flags = 0;  // as given to the allocating call
  bool accessible = true;    // to the agent that was asked for
};

void watch_memory(HsaApiTable* table);

// The regions that `agent` can reach, by address, without code objects.
std::vector<Region> reachable_memory(hsa_agent_t agent);

}  // namespace capture
