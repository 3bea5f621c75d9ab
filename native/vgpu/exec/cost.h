// The simple model behind DispatchResult::duration_ns and the device clocks: issue cycles per
// instruction class, and bytes over bandwidth. Numbers are those of an MI300X (gfx942).
#pragma once

#include <algorithm>
#include <cstdint>

#include "../isa/inst.h"

namespace vgpu {
namespace cost {

constexpr uint64_t kComputeUnits = 304, kSimdsPerUnit = 4;
constexpr uint64_t kWavesPerSimd = 8, kRegistersPerLane = 512, kLdsPerUnit = 65536;
constexpr double kCoreGhz = 2.1;
constexpr double kMemoryBytesPerNs = 4000.0;   // 4 TB/s, what copies reach of 5.3 TB/s
constexpr uint64_t kLaunchNs = 2000;
constexpr uint64_t kRealTimeClockNs = 10;      // s_memrealtime: 100 MHz

// Cycles that a wave's instruction keeps its SIMD's issue busy: 64 lanes over 16-lane pipes.
inline uint16_t issue_cycles(const Inst& inst) {
  switch (inst.format) {
    case Format::SOP1: case Format::SOP2: case Format::SOPC: case Format::SOPK: return 1;
    case Format::SOPP: return inst.op == Op::s_nop ? uint16_t(1 + (inst.words[0] & 15)) : 1;
    case Format::SMEM: return 4;
    case Format::VOP1: case Format::VOP2: case Format::VOPC: case Format::VOP3: return 4;
    case Format::VOP3P: return 8;
    case Format::DS: return 8;
    default: return 16;  // FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF
  }
}

struct Totals {
  uint64_t instructions = 0, cycles = 0, bytes = 0;
  uint64_t longest_wave = 0;   // cycles of the wave that issued most

  void add(const Totals& other) {
    instructions += other.instructions;
    cycles += other.cycles;
    bytes += other.bytes;
    longest_wave = std::max(longest_wave, other.longest_wave);
  }
};

inline uint64_t duration_ns(const Totals& totals) {
  uint64_t spread = totals.cycles / (kComputeUnits * kSimdsPerUnit);
  double compute = double(std::max(spread, totals.longest_wave)) / kCoreGhz;
  double memory = double(totals.bytes) / kMemoryBytesPerNs;
  return kLaunchNs + uint64_t(std::max(compute, memory));
}

// Workgroups that one compute unit holds at a time.
inline uint64_t groups_per_unit(uint64_t waves, uint64_t registers, uint64_t lds_bytes) {
  uint64_t per_simd = std::min(kWavesPerSimd, kRegistersPerLane / std::max<uint64_t>(registers, 1));
  uint64_t by_waves = per_simd * kSimdsPerUnit / std::max<uint64_t>(waves, 1);
  uint64_t by_lds = lds_bytes ? kLdsPerUnit / lds_bytes : by_waves;
  return std::max<uint64_t>(1, std::min(by_waves, by_lds));
}

}  // namespace cost
}  // namespace vgpu
