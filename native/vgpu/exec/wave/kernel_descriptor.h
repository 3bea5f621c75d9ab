// The AQL packet and the 64-byte kernel descriptor that a dispatch is made from (AMDGPU ABI).
#pragma once

#include <cstdint>

namespace vgpu {

struct AqlDispatchPacket {
  uint16_t header, setup;
  uint16_t workgroup_size[3];
  uint16_t reserved0;
  uint32_t grid_size[3];
  uint32_t private_segment_size, group_segment_size;
  uint64_t kernel_object;
  uint64_t kernarg_address;
  uint64_t reserved2;
  uint64_t completion_signal;
};
static_assert(sizeof(AqlDispatchPacket) == 64, "the packet is 64 bytes by ABI");

struct KernelDescriptor {
  uint32_t group_segment_fixed_size, private_segment_fixed_size, kernarg_size;
  uint32_t reserved0;
  int64_t entry_offset;
  uint8_t reserved1[20];
  uint32_t rsrc3, rsrc1, rsrc2;
  uint16_t properties;
  uint16_t kernarg_preload;
  uint32_t reserved2;

  // Registers are allocated in blocks of 8; accum_offset in blocks of 4 (gfx90a and later).
  uint32_t registers() const { return ((rsrc1 & 0x3f) + 1) * 8; }
  uint32_t accum_offset() const { return ((rsrc3 & 0x3f) + 1) * 4; }
  // Scalar registers in blocks of 16, as gfx9 encodes them.
  uint32_t scalar_registers() const { return (((rsrc1 >> 6) & 15) / 2 + 1) * 16; }
  // Round and denormal modes, DX10_CLAMP and IEEE, as the MODE register holds them.
  uint32_t mode() const {
    return ((rsrc1 >> 12) & 0xff) | ((rsrc1 >> 21) & 1) << 8 | ((rsrc1 >> 23) & 1) << 9 |
           ((rsrc1 >> 26) & 1) << 23;
  }
  uint32_t user_sgprs() const { return (rsrc2 >> 1) & 0x1f; }
  bool workgroup_id(int dimension) const { return (rsrc2 >> (7 + dimension)) & 1; }
  bool workgroup_info() const { return (rsrc2 >> 10) & 1; }
  uint32_t preload_dwords() const { return kernarg_preload & 0x7f; }
  uint32_t preload_offset() const { return kernarg_preload >> 7; }  // in dwords

  bool wants_private_segment_buffer() const { return properties & 1; }
  bool wants_dispatch_ptr() const { return properties & 2; }
  bool wants_queue_ptr() const { return properties & 4; }
  bool wants_kernarg_ptr() const { return properties & 8; }
  bool wants_dispatch_id() const { return properties & 16; }
  bool wants_flat_scratch_init() const { return properties & 32; }
  bool wants_private_segment_size() const { return properties & 64; }
};
static_assert(sizeof(KernelDescriptor) == 64, "the descriptor is 64 bytes by ABI");

}  // namespace vgpu
