// Which memory an instruction touches, lane by lane: what execution tells of it.
#pragma once

#include <cstdint>

#include "isa/op_class.h"

namespace vgpu {

constexpr int kLanes = 64;

// Flat addresses whose upper half equals an aperture's mean LDS or private memory. Host addresses
// have 47 bits, so these never collide with one.
constexpr uint64_t kSharedAperture = 0x0001'0000'0000'0000;
constexpr uint64_t kPrivateAperture = 0x0002'0000'0000'0000;
constexpr uint64_t kApertureLimit = 0xffff'ffff;

inline bool in_lds(uint64_t address) { return address >> 32 == kSharedAperture >> 32; }
inline bool in_private(uint64_t address) { return address >> 32 == kPrivateAperture >> 32; }

struct AccessShape {
  Touch touch = Touch::None;
  uint8_t bytes = 0;       // per lane and element
  uint16_t pair_unit = 0;  // DS read2 and its kin: two elements, offsets in this unit
};

inline AccessShape shape_of(const OpClass& of) { return {of.touch, of.bytes, of.pair_unit}; }

// Flat addresses of the active lanes; LDS addresses lie in the shared aperture, private ones in
// theirs. Lanes outside of a buffer are not active.
struct LaneAccess {
  AccessShape shape;
  uint64_t exec = 0;
  int element = 0;   // 1: the second one of DS read2 and its kin
  bool row = false;  // active lanes lie one behind the other
  // Of a row only the first and the last active one may be here.
  alignas(64) uint64_t at[kLanes];

  uint64_t first() const { return at[__builtin_ctzll(exec)]; }
  uint64_t last() const { return at[kLanes - 1 - __builtin_clzll(exec)]; }
  // The address of an active lane.
  uint64_t of(int lane) const {
    return row ? first() + uint64_t(lane - __builtin_ctzll(exec)) * shape.bytes : at[lane];
  }
  // All of them are in `at` now.
  void spell_out() {
    if (!row) return;
    const uint64_t lane_zero = first() - uint64_t(__builtin_ctzll(exec)) * shape.bytes;
    for (int lane = 0; lane < kLanes; ++lane) at[lane] = lane_zero + uint64_t(lane) * shape.bytes;
  }
};

// The bytes that a scalar memory instruction reads or writes.
struct ScalarAccess {
  uint64_t address = 0;
  uint32_t bytes = 0;
  Touch touch = Touch::None;
};

}  // namespace vgpu
