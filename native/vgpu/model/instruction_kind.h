// What the device's sequencer sees in an instruction: which unit executes it and for how long.
#pragma once

#include <cstdint>

#include "../isa/inst.h"

namespace vgpu {
namespace model {

enum class Unit : uint8_t {
  Valu,       // vector arithmetic
  Matrix,     // MFMA, SMFMAC: issued through the vector port, executed by the matrix core
  Salu,       // scalar arithmetic
  Smem,       // scalar memory
  Vmem,       // buffer, global and scratch memory
  Flat,       // flat memory: global, LDS or private, known by address only
  Lds,
  Branch,
  Message,    // s_sendmsg
  Internal,   // s_nop, s_waitcnt, s_barrier, s_sleep, s_setprio: handled by the sequencer itself
};

struct InstructionKind {
  Unit unit = Unit::Internal;
  uint16_t issue = 4;      // cycles that its port is busy
  uint16_t latency = 4;    // until a dependent instruction may issue; memory: not used
  bool alone = false;      // does not overlap matrix instructions
};

InstructionKind classify(const Inst& inst);

}  // namespace model
}  // namespace vgpu
