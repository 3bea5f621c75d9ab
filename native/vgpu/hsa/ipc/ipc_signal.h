// Signals shared between processes: they live in exported memory of their own.
#pragma once

#include "hsa/signal/signal.h"

namespace vrocm {

Signal* create_ipc_signal(int64_t initial_value);  // null when memory is exhausted
// Destroys a signal that was made or attached here; false when it is an ordinary one.
bool release_ipc_signal(Signal* signal);

}  // namespace vrocm
