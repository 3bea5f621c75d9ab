// Execution handlers are compiled once per host instruction set (host/cpu_target.h), each
// time inside its own namespace VGPU_TARGET, and bound to decoded instructions once.
#pragma once

#include "host/cpu_target.h"
#include "isa/inst.h"

namespace vgpu {
namespace VGPU_TARGET {

// Each returns the best handler for this decoded instruction, or null when it is not theirs.
ExecFn select_scalar(const Inst& inst);  // SOP1, SOP2, SOPC, SOPK, SOPP, SMEM
ExecFn select_vector(const Inst& inst);  // VOP1, VOP2, VOPC, VOP3, VOP3P without MFMA; SDWA, DPP
ExecFn select_matrix(const Inst& inst);  // MFMA, SMFMAC
ExecFn select_memory(const Inst& inst);  // DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF

}  // namespace VGPU_TARGET

// Binds inst.exec with the best host instruction set that this CPU has (VROCM_CPU overrides).
// Leaves it null when the opcode has no handler.
void bind(Inst& inst);

}  // namespace vgpu
