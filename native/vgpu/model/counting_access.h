// Which memory an instruction touches, lane by lane, as the counters need it: private memory and
// typed buffers too, which the checks leave out.
#pragma once

#include "../exec/check_access.h"
#include "../exec/wave.h"

namespace vgpu {
namespace model {

// What an opcode does to memory; for DS instructions that move data within LDS.
AccessShape counted_shape(const Inst& inst);

// Flat addresses of the lanes in element 0 or 1 (DS read2 and its kin); false when there is none.
bool counted_lanes(const Wave& wave, const Inst& inst, const AccessShape& shape, int element,
                   LaneAccess& access);

// The bytes that a scalar memory instruction reads or writes; false for clocks and cache controls.
struct ScalarAccess {
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool write = false, atomic = false;
};
bool scalar_access(const Wave& wave, const Inst& inst, ScalarAccess& access);

}  // namespace model
}  // namespace vgpu
