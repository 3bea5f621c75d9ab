// What is known of an instruction after it was executed: bits, or'ed over all waves and executions.
#pragma once

#include <cstdint>

namespace vgpu::cover {

enum Fact : uint8_t {
  kReached = 1,   // a wave executed it, with whatever lanes
  kActive = 2,    // with at least one lane active; of scalar instructions likewise
  kTaken = 4,     // conditional branches; of a pair of masks: a lane has both
  kNotTaken = 8,  // likewise; a lane has neither
  kTrue = 16,     // what the sides are depends on the kind of instruction: exec/cover/kinds.h
  kFalse = 32,
};
constexpr uint8_t kBothSides = kTrue | kFalse;

constexpr uint8_t side(bool value) { return value ? kTrue : kFalse; }

}  // namespace vgpu::cover
