// Bit field helpers shared by the amd_hsa_*.h headers.
#ifndef ROCM_PERF_LAB_AMD_HSA_COMMON_H
#define ROCM_PERF_LAB_AMD_HSA_COMMON_H

#include <stddef.h>
#include <stdint.h>

#define AMD_HSA_ALIGNED(bytes) __attribute__((aligned(bytes)))

// A bit field as three enumerators: NAME_SHIFT, NAME_WIDTH and the mask NAME.
#define AMD_HSA_BITS_CREATE_ENUM_ENTRIES(name, shift, width) \
  name##_SHIFT = (shift), name##_WIDTH = (width), \
  name = (int)(((1u << (width)) - 1u) << (shift))

#define AMD_HSA_BITS_GET(src, mask) (((src) & (mask)) >> mask##_SHIFT)
#define AMD_HSA_BITS_SET(dst, mask, val) \
  (dst) = (((dst) & ~(mask)) | (((val) << mask##_SHIFT) & (mask)))

#endif
