// What a wave's own clock (s_memtime) shows while it executes: issue cycles per instruction class.
// How long a dispatch takes is simulated afterwards, from what was executed (model/sampling/timing.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "arch/structure.h"
#include "isa/inst.h"

namespace vgpu {
namespace cost {

constexpr double kCoreGhz = arch::calibration::kClockGhz;
constexpr uint64_t kRealTimeClockNs = arch::calibration::kRealTimeClockNs;  // s_memrealtime

// Cycles for which a wave asked to do nothing.
inline int idle_cycles(const Inst& inst) {
  if (inst.op == Op::s_nop) return inst.words[0] & 15;
  if (inst.op == Op::s_sleep) return arch::calibration::kSleepCycles * (inst.words[0] & 0x7f);
  return 0;
}

// Cycles that a wave's instruction keeps its SIMD's issue busy: 64 lanes over 16-lane pipes.
inline uint16_t issue_cycles(const Inst& inst) {
  using namespace arch::calibration;
  switch (inst.format) {
    case Format::SOP1:
    case Format::SOP2:
    case Format::SOPC:
    case Format::SOPK: return kOwnClockScalarCycles;
    case Format::SOPP: return uint16_t(kOwnClockScalarCycles + idle_cycles(inst));
    case Format::SMEM:
    case Format::VOP1:
    case Format::VOP2:
    case Format::VOPC:
    case Format::VOP3: return kOwnClockVectorCycles;
    case Format::VOP3P:
    case Format::DS: return kOwnClockWideCycles;
    default: return kOwnClockMemoryCycles;  // FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF
  }
}

struct Totals {
  uint64_t instructions = 0, cycles = 0, bytes = 0;
  uint64_t longest_wave = 0;  // cycles of the wave that issued most

  void add(const Totals& other) {
    instructions += other.instructions;
    cycles += other.cycles;
    bytes += other.bytes;
    longest_wave = std::max(longest_wave, other.longest_wave);
  }
};

}  // namespace cost
}  // namespace vgpu
