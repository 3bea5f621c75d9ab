// Images that the program made: their descriptors lie outside of all memory that can be captured.
#pragma once

#include <hsa/hsa_api_trace.h>

#include <cstdint>

namespace capture {

void watch_images(HsaApiTable* table);
uint64_t image_count();

}  // namespace capture
