// The "hsa" domain of a recording: every call of an exported HSA function.
#pragma once

namespace vgpu::hip {

// Puts the recorder around the entries of the HSA tables. Call once, after hsa_init.
void trace_hsa_calls();

}  // namespace vgpu::hip
