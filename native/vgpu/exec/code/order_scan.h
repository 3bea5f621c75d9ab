// Can the results of a kernel depend on the order in which its workgroups run?
#pragma once

#include <cstdint>

namespace vgpu {

class CodeRange;

// Looks at all code reachable from `entry`. Says yes for what one workgroup could learn of another:
// atomics that return a value, that round (floating point) or do not commute, loads and fences of
// device scope, host messages and global wave sync. Code behind an indirect call is reachable.
bool is_order_dependent(CodeRange& code, uint64_t entry);

}  // namespace vgpu
