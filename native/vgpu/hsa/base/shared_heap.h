// Small host objects that kernels may read and write too: signals, queues, packet rings.
#pragma once

#include <cstddef>

namespace vrocm {

// Zeroed, 64-byte aligned memory inside the aperture, visible to the device. Null when exhausted.
void* shared_allocate(size_t bytes);
void shared_free(void* pointer, size_t bytes);

}  // namespace vrocm
