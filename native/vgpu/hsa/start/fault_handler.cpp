// Lets a runtime on top of HSA finish its output before a device fault ends the process.
#include "device/device.h"
#include "vrocm/trace.h"

extern "C" void vrocm_set_fault_handler(void (*handler)(void)) { vgpu::set_fault_handler(handler); }
