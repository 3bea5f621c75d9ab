#include "isa/decode.h"

#include "isa/decode/formats.h"

namespace vgpu {
namespace {

using Decoder = bool (*)(const isa::Code&, Inst&);

// The format is a prefix of the first dword; longer prefixes are carved out of shorter ones.
Decoder decoder_of(uint32_t word) {
  using namespace isa;
  if (word >> 31 == 0) {
    switch (bits(word, 30, 25)) {
      case 0x3f: return decode_vop1;
      case 0x3e: return decode_vopc;
      default: return decode_vop2;
    }
  }
  if (word >> 30 == 2) {
    switch (bits(word, 29, 23)) {
      case 0x7d: return decode_sop1;
      case 0x7e: return decode_sopc;
      case 0x7f: return decode_sopp;
      default: return bits(word, 29, 28) == 3 ? decode_sopk : decode_sop2;
    }
  }
  switch (bits(word, 31, 26)) {
    case 0x30: return decode_smem;
    case 0x34: return bits(word, 25, 23) == 7 ? decode_vop3p : decode_vop3;
    case 0x36: return decode_ds;
    case 0x37: return decode_flat;
    case 0x38: return decode_mubuf;
    case 0x3a: return decode_mtbuf;
    default: return nullptr;
  }
}

constexpr const char* kMnemonics[] = {
#define VGPU_OP(name, ...) #name,
#include "isa/op_list.inc"
#undef VGPU_OP
};

}  // namespace

bool decode(const uint32_t* words, size_t available, Inst& inst) {
  inst = Inst{};
  for (size_t i = 0; i < 3 && i < available; ++i) inst.words[i] = words[i];
  const Decoder decoder = available > 0 ? decoder_of(words[0]) : nullptr;
  if (decoder != nullptr && decoder({words, available}, inst) && inst.bytes <= 4 * available) {
    for (size_t i = inst.bytes / 4u; i < 3; ++i) inst.words[i] = 0;
    return true;
  }
  Inst invalid;
  for (size_t i = 0; i < 3; ++i) invalid.words[i] = inst.words[i];
  inst = invalid;
  return false;
}

const char* mnemonic(Op op) {
  return op < Op::count_ ? kMnemonics[static_cast<size_t>(op)] : "invalid";
}

}  // namespace vgpu
