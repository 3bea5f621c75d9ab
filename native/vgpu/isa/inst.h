// A decoded gfx942 instruction: what the decoder produces, the disassembler prints and the
// execution handlers read. One Inst is decoded once per code address and executed many times.
#pragma once

#include <cstdint>

namespace vgpu {

struct Wave;
struct Inst;

// Every mnemonic of the target, without encoding suffixes (_e32, _e64, _sdwa, _dpp).
enum class Op : uint16_t {
#define VGPU_OP(name, ...) name,
#include "isa/op_list.inc"
#undef VGPU_OP
  count_,
  invalid = 0xffff,
};

enum class Format : uint8_t {
  SOP1,
  SOP2,
  SOPC,
  SOPK,
  SOPP,
  SMEM,
  VOP1,
  VOP2,
  VOPC,
  VOP3,
  VOP3P,  // VOP3P holds MFMA/SMFMAC/accvgpr moves too
  DS,
  FLAT,
  GLOBAL,
  SCRATCH,
  MUBUF,
  MTBUF,
};

enum class OperandKind : uint8_t {
  None,
  Vgpr,      // reg = first register
  Agpr,      // reg = first accumulation register
  Sgpr,      // reg = encoding 0..127: s0..s101, vcc 106/107, ttmp 108.., m0 124, exec 126/127
  Constant,  // value = inline constant or literal, already in the operand's own type
  Special,   // reg = encoding: 235..238 apertures, 251 vccz, 252 execz, 253 scc, 254 lds_direct
};

struct Operand {
  OperandKind kind = OperandKind::None;
  uint8_t dwords = 0;  // registers it spans: 1, 2, 3, 4, 8, 16, 32
  uint16_t reg = 0;
  uint16_t encoding = 0;  // the source field as it stood in the instruction (0..511)
  uint64_t value = 0;     // Constant only
};

// How a VOP instruction was encoded beyond its plain form.
enum class Modifier : uint8_t { Plain, Sdwa, Dpp };

struct Sdwa {                           // fields of the SDWA dword
  uint8_t dst_sel = 6, dst_unused = 0;  // 0..3 byte, 4..5 word, 6 dword
  uint8_t src_sel[2] = {6, 6};
  bool sext[2] = {false, false};
  uint8_t sdst = 0;  // VOPC only: destination SGPR
  bool sd = false;   // VOPC only: sdst is used instead of VCC
};

struct Dpp {          // fields of the DPP dword
  uint16_t ctrl = 0;  // 9 bits
  uint8_t row_mask = 0xf, bank_mask = 0xf;
  bool bound_ctrl = false, fetch_inactive = false;
};

using ExecFn = void (*)(Wave&, const Inst&);

struct Inst {
  ExecFn exec = nullptr;  // bound after decoding; null means "decoded but not executable"
  Op op = Op::invalid;
  Format format = Format::SOPP;
  Modifier modifier = Modifier::Plain;
  uint8_t bytes = 4;           // 4, 8 or 12 with a literal
  uint8_t ahead = 0;           // dwords to the next one where that is decoded, too (DecodedCode)
  uint8_t dfmt = 0, nfmt = 0;  // MTBUF

  // Destinations and sources in the order of the assembly syntax. Memory formats use:
  //   FLAT/GLOBAL/SCRATCH: dst = loaded data, src[0] = vaddr, src[1] = store data, src[2] = saddr
  //   DS:                  dst = loaded data, src[0] = addr (data of ds_gws_*), src[1] = data0,
  //                        src[2] = data1
  //   MUBUF/MTBUF:         dst = loaded data, src[0] = vaddr, src[1] = store data,
  //                        src[2] = srsrc, src[3] = soffset
  //   SMEM:                dst = sdata, src[0] = sbase, src[1] = soffset (None: immediate only);
  //                        sc0 holds glc
  // SOPK: the register is dst or, where it is only read, src[0]. s_setreg_imm32_b32 has its literal
  // in src[0] and the hardware register in imm.
  Operand dst;
  Operand sdst;  // second, scalar destination (carry out, v_div_scale) or VOPC's
  Operand src[4];

  // VOP3/VOP3P modifiers, one bit per source. v_fma_mix* has abs, and no neg_hi.
  uint8_t neg = 0, abs = 0, neg_hi = 0;
  uint8_t op_sel = 0, op_sel_hi = 0;  // bit 3 of op_sel selects the destination half
  uint8_t omod = 0;                   // 0 none, 1 *2, 2 *4, 3 /2
  bool clamp = false;
  uint8_t cbsz = 0, abid = 0, blgp = 0;  // MFMA broadcast and negation controls

  // Memory modifiers.
  bool sc0 = false, sc1 = false, nt = false;
  bool lds = false, offen = false, idxen = false, gds = false;

  Sdwa sdwa;
  Dpp dpp;
  int32_t offset = 0;             // signed where the encoding is; DS offset0 | offset1 << 8
  int32_t imm = 0;                // simm16 of SOPK/SOPP (sign extended), or the literal
  uint32_t words[3] = {0, 0, 0};  // the raw encoding
};
static_assert(sizeof(Inst) == 168, "the order of the fields leaves no gaps: many are kept");

}  // namespace vgpu
