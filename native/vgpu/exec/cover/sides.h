// What an instruction will show when it is executed: its facts, and what it compares.
#pragma once

#include <optional>

#include "exec/cover/facts.h"
#include "exec/cover/kinds.h"
#include "exec/cover/operand_pairs.h"
#include "exec/wave/wave.h"

namespace vgpu::cover {

struct Sides {
  uint8_t facts = 0;
  std::optional<OperandPair> pair;  // of comparisons: of the lowest active lane
};

// For a wave that is about to execute it, its pc behind it already; the wave stays as it is.
Sides scalar_sides(Wave& wave, const Inst& inst, Kind kind);
Sides vector_sides(Wave& wave, const Inst& inst, Kind kind);

}  // namespace vgpu::cover
