// The many parameter blocks of 2-D and 3-D copies, turned into one: two addresses and a box.
#pragma once

#include <hip/hip_runtime_api.h>

#include "hip/copy/copy.h"

namespace vgpu::hip {

struct BoxCopy {
  void* target = nullptr;
  const void* source = nullptr;
  Box box;
};

// One side of a copy: the first byte, and the steps from row to row and slice to slice.
struct Side {
  uint8_t* start = nullptr;
  size_t pitch = 0, slice = 0;
};

// A rectangle inside an array, from a byte offset within a row and a row number.
hipError_t array_side(hipArray_const_t array, size_t x_bytes, size_t y, size_t z, Side& side);
BoxCopy join(const Side& target, const Side& source, size_t bytes, size_t rows, size_t slices);

hipError_t resolve(const hipMemcpy3DParms& parameters, BoxCopy& copy);
hipError_t resolve(const HIP_MEMCPY3D& parameters, BoxCopy& copy);
HIP_MEMCPY3D widen(const hip_Memcpy2D& flat);

}  // namespace vgpu::hip
