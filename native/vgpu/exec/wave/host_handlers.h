// Functions of the host that the device calls.
#pragma once

#include <cstdint>

namespace vgpu {

// Called on a host thread when a wave sends MSG_INTERRUPT (hostcall: printf, assert, malloc);
// `event` is the wave's M0. Null takes the handler away. Without one, hosts have to poll.
void set_interrupt_handler(void (*handler)(uint32_t event));

// Called once after the report of a fault, before the process ends: the last chance to print what
// the kernels printed. Null takes the handler away.
void set_fault_handler(void (*handler)());

}  // namespace vgpu
