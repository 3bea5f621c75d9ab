// Which copies and fills hold the host up until they are done. The name of the call does not
// decide it: ROCm returns early from copies and fills inside device memory, and late from calls
// with Async in their name that touch memory of the program that the device cannot reach.
#pragma once

namespace vgpu::hip {

// `synchronous`: the call has no Async in its name.
bool copy_holds_host(const void* target, const void* source, bool synchronous);
bool fill_holds_host(const void* target, bool synchronous);

}  // namespace vgpu::hip
