// Can the results of a kernel depend on the order in which its workgroups run?
#pragma once

#include <cstdint>

namespace vgpu {

class CodeRange;
struct KernelTraits;

// Looks at all code reachable from `entry`. Says yes for what one workgroup could learn of another:
// atomics that return a value, that round (floating point) or do not commute, loads and fences of
// device scope, host messages and global wave sync. Code behind an indirect call is reachable.
// For each other they may wait where they read, with device scope or by an atomic, what others store.
KernelTraits order_traits(CodeRange& code, uint64_t entry);

}  // namespace vgpu
