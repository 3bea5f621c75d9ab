// The 64-byte kernel descriptor of code objects version 3 and later, where KERNEL_OBJECT points.
#ifndef ROCM_PERF_LAB_AMD_HSA_KERNEL_CODE_H
#define ROCM_PERF_LAB_AMD_HSA_KERNEL_CODE_H

#include "amd_hsa_common.h"

typedef struct AMD_HSA_ALIGNED(64) amd_kernel_descriptor_s {
  uint32_t group_segment_fixed_size;
  uint32_t private_segment_fixed_size;
  uint32_t kernarg_size;
  uint8_t reserved0[4];
  int64_t kernel_code_entry_byte_offset;  // from the descriptor to the first instruction
  uint8_t reserved1[20];
  uint32_t compute_pgm_rsrc3;
  uint32_t compute_pgm_rsrc1;
  uint32_t compute_pgm_rsrc2;
  uint16_t kernel_code_properties;
  uint16_t kernarg_preload;
  uint8_t reserved3[4];
} amd_kernel_descriptor_t;

enum amd_kernel_descriptor_properties_t {
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_KERNEL_DESCRIPTOR_USES_DYNAMIC_STACK, 11, 1),
};

#ifdef __cplusplus
static_assert(sizeof(amd_kernel_descriptor_t) == 64, "AMDGPU ABI");
static_assert(offsetof(amd_kernel_descriptor_t, kernel_code_entry_byte_offset) == 16, "ABI");
static_assert(offsetof(amd_kernel_descriptor_t, compute_pgm_rsrc1) == 48, "AMDGPU ABI");
#endif

#endif
