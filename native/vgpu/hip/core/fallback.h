// What a HIP function answers that the virtual runtime does not implement.
#pragma once

namespace vgpu::hip {

// Records the call and the error as any other function does; returns hipErrorNotSupported.
int answer_not_supported(const char* name);

}  // namespace vgpu::hip
