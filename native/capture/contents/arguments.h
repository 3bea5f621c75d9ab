// Arguments of other dispatches. The host writes them into memory without any call that we see, also
// while a dispatch is being captured; the packet that names them comes later. Kernels never write
// arguments, so what changed there is no output of the captured dispatch.
#pragma once

#include <utility>
#include <vector>

#include "hooks/in_flight.h"

namespace capture {

// The memory that changed while the dispatch was captured: begin and end, by address.
void remember_changes(std::vector<std::pair<uint64_t, uint64_t>> changed);

// Notes arguments that lie in it, in arguments-<pid>.txt: address and size per line.
void note_arguments(const Packet* packets, uint64_t count);

// Freed memory may become somebody's arguments later; that says nothing about the capture.
void forget_changes(uint64_t base, uint64_t size);

}  // namespace capture
