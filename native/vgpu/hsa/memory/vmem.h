// Virtual memory management: address ranges, physical memory, and mappings between them.
#pragma once

#include <vector>

#include "hsa/agent/agent.h"

namespace vrocm {

// Describes a reserved or mapped address for hsa_amd_pointer_info; false when it is neither.
bool describe_vmem(const void* pointer, hsa_amd_pointer_info_t& info, std::vector<Agent*>& access);

// hsa_amd_agents_allow_access on a mapped address.
hsa_status_t allow_vmem_access(const void* pointer, const std::vector<Agent*>& allowed);

}  // namespace vrocm
