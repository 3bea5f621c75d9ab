// The single checks behind VROCM_CHECK, one file each.
#pragma once

#include "exec/check/access.h"
#include "exec/group/workgroup.h"

namespace vgpu {

void check_bounds(const Wave& wave, const Inst& inst, const LaneAccess& access);
void check_written(const Wave& wave, const Inst& inst, const LaneAccess& access);
void written_dispatch_begins();
void check_race(const Wave& wave, const Inst& inst, const LaneAccess& access, int element);
void check_race_scalar(const Wave& wave, const Inst& inst);
void race_instruction(const Wave& wave, const Inst& inst);
void race_dispatch_begins(const Dispatch& dispatch);
void race_dispatch_ends();
void check_waitcnt(const Wave& wave, const Inst& inst);
void check_divide(const Wave& wave, const Inst& inst);

}  // namespace vgpu
