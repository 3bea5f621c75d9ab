// Arrays without image hardware: pitched rows of elements in device memory.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "hip/core/handle_set.h"

namespace vgpu::hip {

struct Array {
  hipChannelFormatDesc format{};
  size_t element_bytes = 0;
  size_t width = 0, height = 0, depth = 0;  // in elements; height and depth 0 when unused
  unsigned flags = 0;
  size_t pitch = 0;  // bytes from row to row
  uint8_t* data = nullptr;

  size_t rows() const { return height ? height : 1; }
  size_t slices() const { return depth ? depth : 1; }
};

hipError_t make_array(hipArray_t* handle, const hipChannelFormatDesc* format, size_t width,
                      size_t height, size_t depth, unsigned flags);
hipError_t free_array(hipArray_t handle);
inline Array* find_array(hipArray_const_t handle) {
  return HandleSet<Array>::get().find(const_cast<hipArray_t>(handle));
}

// The driver API names formats by channel type and count.
hipChannelFormatDesc format_of(hipArray_Format format, unsigned channels);
hipArray_Format driver_format(const hipChannelFormatDesc& format);
unsigned channel_count(const hipChannelFormatDesc& format);

}  // namespace vgpu::hip
