// How a process with a virtual device ends: normally, by a fault of the device, or as the child
// of a fork that has no device.
#pragma once

namespace vgpu::hip {

// Arranges for all of it; called once when the runtime starts.
void watch_process_end();

// True from the moment on at which the process is leaving: waits that may never end give up.
bool process_is_ending();

}  // namespace vgpu::hip
