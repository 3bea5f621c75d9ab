// VROCM_POISON: memory that a kernel is known to write first gets a pattern before each of its
// dispatches. A kernel that takes what it finds there for its own earlier results shows itself.
#pragma once

#include "hsa/code/kernel_registry.h"
#include "hsa/hsa.h"

namespace vrocm {

// To be called when everything that the dispatch waits for has ended. A value of the variable that
// makes no sense ends the process.
void poison_before(const hsa_kernel_dispatch_packet_t& packet, const KernelIdentity& kernel);

}  // namespace vrocm
