// Executes the waves of a workgroup in turn.
#pragma once

#include "exec/group/workgroup.h"

namespace vgpu {

struct GroupRound {
  uint64_t instructions = 0;
  bool all_asleep = true;  // every wave that ran gave up its turn by itself
};

// Gives every wave that can run one time slice.
GroupRound run_round(Workgroup& group);

}  // namespace vgpu
