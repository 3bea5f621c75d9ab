// Whether a wave has to let others touch the LDS first.
#pragma once

#include "exec/group/workgroup.h"

namespace vgpu {

VGPU_INLINE bool may_touch_lds(Format format) {
  constexpr auto bit = [](Format of) { return 1u << unsigned(of); };
  constexpr uint32_t kFormats = bit(Format::DS) | bit(Format::FLAT) | bit(Format::GLOBAL) |
                                bit(Format::SCRATCH) | bit(Format::MUBUF);
  return kFormats >> unsigned(format) & 1;
}

// The wave is about to execute an instruction of such a format, in a turn that ends at some time.
bool comes_too_early(Wave& wave, const Inst& inst);

// Its turn ends in front of the instruction when it does.
VGPU_INLINE bool gives_way(Wave& wave, const Inst& inst) {
  return __builtin_expect(may_touch_lds(inst.format), 0) && wave.group->turn.ends() &&
         comes_too_early(wave, inst);
}

}  // namespace vgpu
