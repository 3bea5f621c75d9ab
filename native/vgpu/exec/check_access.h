// Which memory an instruction touches, lane by lane: what the checks look at.
#pragma once

#include "wave.h"

namespace vgpu {

enum class Touch : uint8_t { None, Read, Write, Atomic };

// What an opcode does to memory, derived from its name.
struct AccessShape {
  Touch touch = Touch::None;
  uint32_t bytes = 0;        // per element
  uint32_t pair_unit = 0;    // DS read2 and its kin: two elements, offsets in this unit
};

AccessShape access_shape(const Inst& inst);

// Flat addresses of the active lanes; LDS addresses lie in the shared aperture.
struct LaneAccess {
  AccessShape shape;
  uint64_t exec = 0;
  bool row = false;          // active lanes lie one behind the other; known to the model only
  alignas(64) uint64_t at[kLanes];
};

// Fills in element 0 or 1; false when the instruction has no such element in global memory or LDS.
bool lane_access(const Wave& wave, const Inst& inst, int element, LaneAccess& access);

inline bool in_lds(uint64_t address) { return address >> 32 == kSharedAperture >> 32; }
inline bool in_private(uint64_t address) { return address >> 32 == kPrivateAperture >> 32; }

}  // namespace vgpu
