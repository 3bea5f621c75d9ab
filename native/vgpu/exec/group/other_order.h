// VROCM_ORDER: another order of workgroups and waves. Programs must not depend on the order; whether
// they do is seen by changing it.
#pragma once

#include <cstdint>

namespace vgpu {

// Every number below `total` once, in an order of its own.
uint64_t in_other_order(uint64_t number, uint64_t total);

}  // namespace vgpu
