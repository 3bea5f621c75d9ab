// Pieces of work that do not depend on each other, on several host threads.
#pragma once

#include <cstddef>
#include <functional>

namespace vgpu {

// Calls work(0) to work(count - 1), each once, on this thread and on up to `helpers` others, with this
// thread's floating-point mode; returns when all have returned.
void side_by_side(unsigned helpers, size_t count, const std::function<void(size_t)>& work);

}  // namespace vgpu
