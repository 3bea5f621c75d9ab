// Buffer addressing of gfx9: a resource descriptor in four SGPRs, and per lane an index, an offset,
// or both. Accesses outside the buffer read 0 and are not written.
#pragma once

#include "exec/memory/select.h"

namespace vgpu {
namespace VGPU_TARGET {

struct Buffer {
  uint64_t base;
  uint32_t stride, records, word3, soffset;
  bool swizzled, add_tid, structured;  // structured: records counts elements, not bytes
  const uint32_t* index;               // per lane, or null
  const uint32_t* offset;
  uint32_t inst_offset;

  VGPU_INLINE Buffer(const Wave& w, const Inst& i) {
    const uint32_t* words = &w.sgpr[i.src[2].reg & 124];
    base = uint64_t(words[1] & 0xffff) << 32 | words[0];
    records = words[2];
    word3 = words[3];
    swizzled = words[1] >> 31;
    add_tid = word3 >> 23 & 1;
    stride = words[1] >> 16 & 0x3fff;
    if (add_tid) stride |= (word3 >> 15 & 15) << 14;  // the data format field extends it
    structured = i.idxen && stride != 0;
    soffset = read32(w, i.src[3]);
    inst_offset = uint32_t(i.offset);
    const uint32_t* vaddr = i.idxen || i.offen ? w.row(i.src[0]) : nullptr;
    index = i.idxen ? vaddr : nullptr;
    offset = i.offen ? vaddr + (i.idxen ? kLanes : 0) : nullptr;
  }

  VGPU_INLINE uint64_t lane_index(int l) const {
    return uint64_t(index ? index[l] : 0) + (add_tid ? uint64_t(l) : 0);
  }
  VGPU_INLINE uint64_t lane_offset(int l) const {
    return uint64_t(inst_offset) + (offset ? offset[l] : 0);
  }

  VGPU_INLINE uint64_t address(int l, uint32_t byte) const {
    uint64_t within = lane_offset(l) + byte, element = lane_index(l);
    if (!swizzled) return base + soffset + element * stride + within;
    uint64_t group = uint64_t(8) << (word3 >> 21 & 3);  // index stride: 8, 16, 32 or 64
    return base + soffset + (element / group * stride + within / 4 * 4) * group +
           element % group * 4 + within % 4;
  }

  VGPU_INLINE bool inside(int l, uint32_t byte, uint32_t bytes) const {
    if (structured) return lane_index(l) < records && (!swizzled || lane_offset(l) + byte < stride);
    uint64_t from_base = soffset + lane_index(l) * stride + lane_offset(l) + byte;
    return from_base + bytes <= records;
  }
};

// Resolves when every active lane lies inside the buffer as a whole.
VGPU_INLINE bool resolve_buffer(Wave& w, const Inst& i, const Buffer& buffer, uint32_t bytes,
                                Access& a) {
  bool all = !buffer.swizzled;
  for (int l = 0; l < kLanes; ++l) {
    a.at[l] = buffer.address(l, 0);
    all &= !active(a.exec, l) || buffer.inside(l, 0, bytes);
  }
  if (!all) return false;
  check_global(w, i, a, bytes);
  count_bytes(w, a, bytes);
  return true;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
