// Optional checks of what kernels do, asked for with VROCM_CHECK. They look at each instruction
// before it executes; without them the interpreter never comes here.
#pragma once

#include <string>

#include "exec/group/workgroup.h"
#include "exec/wave/asked_checks.h"
#include "exec/wave/wave.h"
#include "memory/address_space.h"

namespace vgpu {

void check_dispatch_begins(const Dispatch& dispatch);
void check_dispatch_ends();
void check_instruction(Wave& wave, const Inst& inst);  // wave.pc is behind it already

// What a check has to say about an instruction, or two: `other_pc` is 0 when there is only one.
struct Finding {
  uint64_t pc = 0, other_pc = 0;
  std::string what, where;
};
Finding make_finding(const Wave& wave, uint64_t pc, uint64_t other_pc, const std::string& what);
void report_finding(const Finding& finding);  // once per pair of code addresses

// Device memory that was just mapped, to be recognised as unwritten later.
void check_memory_mapped(uint64_t base, uint64_t bytes, MemoryKind kind);

}  // namespace vgpu
