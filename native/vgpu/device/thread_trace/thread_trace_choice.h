// Which dispatches a thread trace is taken of.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/thread_trace/thread_trace.h"

namespace vgpu {

// The listener for a dispatch that is about to start, or null when it is not to be traced. Counts
// the dispatches of each kernel; `symbol` is the kernel's, mangled.
std::unique_ptr<model::ThreadTrace> thread_trace_of(uint64_t kernel_object,
                                                    const std::string& symbol, uint64_t code_base);

}  // namespace vgpu
