// The architectural state of one wave and what it shares with its workgroup.
#pragma once

#include <cstdint>
#include <cstring>

#include "host/cpu_target.h"
#include "isa/inst.h"
#include "memory/access_range.h"
#include "observe/access.h"
#include "observe/step_work.h"

namespace vgpu {

constexpr int kVcc = 106, kM0 = 124, kExec = 126;  // SGPR encodings

// MODE register as kernels start: round to nearest even, denormals kept, IEEE and DX10 clamp on.
constexpr uint32_t kModeDefault = 0x3f0;
constexpr uint32_t kModeGprIndex = 1u << 27;    // s_set_gpr_idx_on; the scheduler rewrites operands
constexpr uint32_t kModeSkipVector = 1u << 28;  // s_setvskip

// Special: the next instruction needs the scheduler's slow loop (register indexing, vector skip).
enum class WaveState : uint8_t { Ready, Special, AtBarrier, Sleeping, Ended };

struct Workgroup;    // exec/group/workgroup.h: LDS, barrier, ids, the dispatch it belongs to
class WaveObserver;  // observe/observer.h: who looks at what the wave executes

constexpr int kAccessRanges = 32;  // that were touched lately
constexpr int kRowWords = 4;       // a bit for each of 256 vector registers

struct alignas(64) Wave {
  uint32_t sgpr[128];  // indexed by operand encoding: vcc, m0 and exec live in here too
  uint32_t* vgpr;      // row r: vgpr + r * 64, one dword per lane
  uint32_t* agpr;
  uint64_t pc;    // byte address of the next instruction
  uint32_t mode;  // FP round, denorm, DX10_CLAMP, IEEE (hwreg MODE)
  bool scc;
  WaveState state;
  uint16_t index;                   // wave number within its workgroup
  uint16_t vgpr_count, agpr_count;  // rows that the kernel declared
  Workgroup* group;
  uint8_t* scratch;   // this wave's private memory, lane-swizzled by the memory handlers
  uint64_t executed;  // instructions so far

  uint8_t* lds;  // the workgroup's LDS
  uint32_t lds_bytes;
  uint32_t scratch_bytes;     // private memory of one lane
  AccessRange* ranges;        // kAccessRanges entries, shared by the waves of one host thread
  StepWork work;              // asked for since it was summed up: exec/wave/own_chain.h
  uint64_t sums[kWorkParts];  // cycles
  uint64_t waited;            // cycles, at least, beyond those that its instructions issue for
  uint64_t memory_done, lds_done, scalar_done;  // when the last one can be done, in its own time
  uint64_t stored_bytes;                        // by stores of whole rows
  uint64_t memory_bytes;   // bytes moved between registers and global memory so far
  uint32_t trap_status;    // hwreg TRAPSTS
  WaveObserver* observer;  // null: nobody looks
  uint64_t told_pc;        // behind the last instruction of which the observer was told
  uint8_t* touched;        // memory/touched_pages.h; null: nobody asks
  uint8_t* pieces;         // likewise
  uint32_t* atomics;
  uint64_t kept;         // cycles that others kept it waiting, beyond its own time
  uint64_t sync_ticket;  // global wave sync: what this wave waits for, 0 when for nothing
  uint64_t sync_since;   // in its own time, likewise
  uint64_t dividing_rows[kRowWords];  // exec/run/random_rounding.h: of a division of integers

  VGPU_INLINE uint64_t pair(int reg) const {
    uint64_t v;
    std::memcpy(&v, &sgpr[reg], 8);
    return v;
  }
  VGPU_INLINE void set_pair(int reg, uint64_t v) { std::memcpy(&sgpr[reg], &v, 8); }
  VGPU_INLINE uint64_t exec() const { return pair(kExec); }
  VGPU_INLINE void set_exec(uint64_t v) { set_pair(kExec, v); }
  VGPU_INLINE uint64_t vcc() const { return pair(kVcc); }
  VGPU_INLINE void set_vcc(uint64_t v) { set_pair(kVcc, v); }
  VGPU_INLINE uint32_t* row(const Operand& o, int dword = 0) const {
    uint32_t* base = o.kind == OperandKind::Agpr ? agpr : vgpr;
    return base + (o.reg + dword) * kLanes;
  }
};

// The value of a Special source operand. vccz and execz are computed when read.
VGPU_INLINE uint64_t special_value(const Wave& wave, int encoding) {
  switch (encoding) {
    case 235: return kSharedAperture;
    case 236: return kSharedAperture | kApertureLimit;
    case 237: return kPrivateAperture;
    case 238: return kPrivateAperture | kApertureLimit;
    case 251: return wave.vcc() == 0;
    case 252: return wave.exec() == 0;
    case 253: return wave.scc;
    default: return 0;  // pops_exiting_wave_id: graphics only
  }
}

enum class Fault : uint8_t {
  MemoryAccess,  // no allocation there, or one that this device may not touch
  MisalignedAtomic,
  IllegalInstruction,
  LdsOverflow,
  Assertion,  // s_trap from abort() or assert()
  Timeout,
};

// Ends the running dispatch the way the device would. Defined in exec/report/fault.cpp.
[[noreturn]] void raise_fault(Wave& wave, const Inst& inst, Fault fault, int lane,
                              uint64_t address);

}  // namespace vgpu
