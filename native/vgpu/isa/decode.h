// Decoding gfx942 machine code by complete encoding tables, and printing it as llvm-mc does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "inst.h"

namespace vgpu {

// Decodes the instruction at `words` (`available` dwords may be read). Returns false, leaving
// inst.words and inst.bytes = 4, when no gfx942 instruction has this encoding.
bool decode(const uint32_t* words, size_t available, Inst& inst);

const char* mnemonic(Op op);

// The assembly text of a decoded instruction as LLVM prints it. `pc` is its byte address,
// needed for branch targets only.
std::string disassemble(const Inst& inst, uint64_t pc = 0);

}  // namespace vgpu
