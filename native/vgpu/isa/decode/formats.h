// One decoder per encoding format. Each fills everything but inst.words; `available` counts the
// dwords at `words`, at least one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/inst.h"

namespace vgpu {
namespace isa {

// What the format decoders read: the words and how many of them exist.
struct Code {
  const uint32_t* words;
  size_t available;
  const uint32_t* second() const { return available >= 2 ? words + 1 : nullptr; }
};

constexpr uint32_t bits(uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & ((1u << (high - low + 1)) - 1);
}

bool decode_sop1(const Code& code, Inst& inst);
bool decode_sop2(const Code& code, Inst& inst);
bool decode_sopc(const Code& code, Inst& inst);
bool decode_sopk(const Code& code, Inst& inst);
bool decode_sopp(const Code& code, Inst& inst);
bool decode_smem(const Code& code, Inst& inst);
bool decode_vop1(const Code& code, Inst& inst);
bool decode_vop2(const Code& code, Inst& inst);
bool decode_vopc(const Code& code, Inst& inst);
bool decode_vop3(const Code& code, Inst& inst);
bool decode_vop3p(const Code& code, Inst& inst);
bool decode_ds(const Code& code, Inst& inst);
bool decode_flat(const Code& code, Inst& inst);
bool decode_mubuf(const Code& code, Inst& inst);
bool decode_mtbuf(const Code& code, Inst& inst);

}  // namespace isa
}  // namespace vgpu
