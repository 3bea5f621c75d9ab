// Tools that watch or replace API calls: loaded when the runtime opens, told when it closes.
#pragma once

namespace vrocm {

// Registers the tables with the ROCm profiler interface when the process has it. True when that
// served somebody; then HSA_TOOLS_LIB is not read, as in ROCr.
bool register_with_profiler();
void finalize_profiler_tools();

void load_tools();
void unload_tools();

}  // namespace vrocm
