// Reports that end the process, as a fault of the device does under ROCr.
#pragma once

#include <vector>

#include "exec/group/workgroup.h"

namespace vgpu {

// A dispatch that ran longer than VROCM_TIMEOUT: says where every wave of `groups` stands.
[[noreturn]] void report_timeout(const Dispatch& dispatch,
                                 const std::vector<const Workgroup*>& groups, double seconds);

// A wave that executed more than VROCM_MOST_INSTRUCTIONS.
[[noreturn]] void report_too_long(const Dispatch& dispatch, const Workgroup& group, uint64_t most);

// A kernel object whose code was never registered.
[[noreturn]] void report_no_code(const Dispatch& dispatch);

// "file:line" of a code address, or empty when the code object has no line table.
std::string source_line(uint64_t pc);

// The same, followed by the lines of the calls through which inlined code came to be there.
std::string source_lines_with_calls(uint64_t pc);

// The assembly text at a code address.
std::string instruction_text(uint64_t pc);

}  // namespace vgpu
