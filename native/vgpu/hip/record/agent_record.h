// What a recording says about an agent: rocprofiler's agent record, from what HSA tells.
#pragma once

#include <hsa/hsa.h>

#include <string>

namespace vgpu::hip {

// `type_index` counts agents of the same type.
std::string agent_record(hsa_agent_t agent, unsigned type_index);
unsigned agent_node(hsa_agent_t agent);

}  // namespace vgpu::hip
