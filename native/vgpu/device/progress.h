// Says on standard error what runs and how far it is, where a run takes long and somebody watches.
#pragma once

#include <chrono>
#include <cstdint>

#include "exec/group/dispatch.h"

namespace vgpu {

using HostTime = std::chrono::steady_clock::time_point;

// A dispatch begins: launches are counted, and the first one starts the clock of the run.
void count_launch(HostTime now);

// From any host thread of a dispatch: `begun` workgroups of it have begun since `started`.
// A line is due at times that get rarer the longer the run takes.
void show_progress(const Dispatch& dispatch, uint64_t begun, HostTime started, HostTime now);

}  // namespace vgpu
