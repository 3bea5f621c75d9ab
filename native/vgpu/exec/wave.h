// The architectural state of one wave and what it shares with its workgroup.
#pragma once

#include <cstdint>
#include <cstring>

#include "../isa/inst.h"

namespace vgpu {

constexpr int kLanes = 64;
constexpr int kVcc = 106, kM0 = 124, kExec = 126;  // SGPR encodings

// MODE register as kernels start: round to nearest even, denormals kept, IEEE and DX10 clamp on.
constexpr uint32_t kModeDefault = 0x3f0 & 0x0ff;

enum class WaveState : uint8_t { Ready, AtBarrier, Sleeping, Ended };

struct Workgroup;  // exec/workgroup.h: LDS, barrier, ids, the dispatch it belongs to

struct alignas(64) Wave {
  uint32_t sgpr[128];      // indexed by operand encoding: vcc, m0 and exec live in here too
  uint32_t* vgpr;          // row r: vgpr + r * 64, one dword per lane
  uint32_t* agpr;
  uint64_t pc;             // byte address of the next instruction
  uint32_t mode;           // FP round, denorm, DX10_CLAMP, IEEE (hwreg MODE)
  bool scc;
  WaveState state;
  uint16_t index;          // wave number within its workgroup
  uint16_t vgpr_count, agpr_count;   // rows that the kernel declared
  Workgroup* group;
  uint8_t* scratch;        // this wave's private memory, lane-swizzled by the memory handlers
  uint64_t executed;       // instructions so far

  uint64_t pair(int reg) const {
    uint64_t v;
    std::memcpy(&v, &sgpr[reg], 8);
    return v;
  }
  void set_pair(int reg, uint64_t v) { std::memcpy(&sgpr[reg], &v, 8); }
  uint64_t exec() const { return pair(kExec); }
  void set_exec(uint64_t v) { set_pair(kExec, v); }
  uint64_t vcc() const { return pair(kVcc); }
  void set_vcc(uint64_t v) { set_pair(kVcc, v); }
  uint32_t* row(const Operand& o, int dword = 0) const {
    uint32_t* base = o.kind == OperandKind::Agpr ? agpr : vgpr;
    return base + (o.reg + dword) * kLanes;
  }
};

enum class Fault : uint8_t {
  MemoryAccess,      // no allocation there, or one that this device may not touch
  MisalignedAtomic,
  IllegalInstruction,
  LdsOverflow,
  Assertion,         // s_trap from abort() or assert()
  Timeout,
};

// Ends the running dispatch the way the device would. Defined in exec/fault.cpp.
[[noreturn]] void raise_fault(Wave& wave, const Inst& inst, Fault fault, int lane, uint64_t address);

}  // namespace vgpu
