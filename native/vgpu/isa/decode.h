// Decoding gfx942 machine code by complete encoding tables, and printing it as llvm-mc does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "isa/inst.h"

namespace vgpu {

// Decodes the instruction at `words` (`available` dwords may be read). Returns false, leaving
// inst.words and inst.bytes = 4, when no gfx942 instruction has this encoding. LLVM accepts a few
// encodings more: the register null of later architectures, and special registers where only
// vector registers or writable ones can be.
bool decode(const uint32_t* words, size_t available, Inst& inst);

const char* mnemonic(Op op);

// The assembly text of a decoded instruction as llvm-mc prints it. With the byte address `pc` of
// the instruction, branches name their target address in a comment.
std::string disassemble(const Inst& inst, uint64_t pc = 0);

}  // namespace vgpu
