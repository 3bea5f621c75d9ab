// One row per opcode and encoding format, found by opcode in constant time.
#pragma once

#include <cstdint>

#include "isa/decode/operand_types.h"
#include "isa/inst.h"

namespace vgpu {
namespace isa {

struct Sop12cRow {  // SOP1, SOP2, SOPC
  uint16_t opcode = 0;
  Op op = Op::invalid;
  OperandType dst, src0, src1;
  // The src1 field is an immediate that names index modes.
  bool gpr_idx() const { return op == Op::s_set_gpr_idx_on; }
};

// What the 16-bit immediate of SOPK and SOPP means, which decides how it is printed.
enum class Immediate : uint8_t {
  ZERO,
  HEX,
  SIMM16,
  UIMM16,
  BRANCH,
  WAITCNT,
  SENDMSG,
  HWREG,
  GPR_IDX,
  ENDPGM,
};

struct SopkRow {
  uint16_t opcode = 0;
  Op op = Op::invalid;
  bool reads = false;  // the register is a source
  OperandType reg;
  Immediate immediate = Immediate::ZERO;
  bool literal = false;
};

struct SoppRow {
  uint16_t opcode = 0;
  Op op = Op::invalid;
  Immediate immediate = Immediate::ZERO;
};

enum class SmemKind : uint8_t { LOAD, STORE, ATOMIC, TIME, CACHE, PROBE, DISCARD };

struct SmemRow {
  uint16_t opcode = 0;
  Op op = Op::invalid;
  SmemKind kind = SmemKind::LOAD;
  uint8_t data = 0, base = 0;  // dwords
};

// Operands of VOP2 that the encoding implies.
enum class Implied : uint8_t { NONE, VCC_IN, VCC_OUT, VCC_INOUT, LITERAL_SRC1, LITERAL_SRC2 };

struct Form {  // the modifier dword of SDWA or DPP
  bool exists = false;
  uint32_t used = 0, zero = 0, one = 0;  // bits that matter, must be zero, must be one
};

struct VopRow {  // VOP1, VOP2, VOPC
  uint16_t opcode = 0;
  Op op = Op::invalid;
  OperandType dst, src0, src1;
  Implied implied = Implied::NONE;
  Form sdwa, dpp;
};

// Bits of a VOP3 modifier mask: abs 0..2, op_sel 3..6, clamp 7, omod 8..9, neg 10..12.
struct Vop3Mods {
  uint16_t used = 0, zero = 0;
};

struct Vop3Row {
  uint16_t opcode = 0;
  Op op = Op::invalid;
  OperandType dst, sdst, src[3];
  Vop3Mods mods;
};

enum class Vop3pKind : uint8_t { PACKED, MIX, ACCVGPR, MFMA, SMFMAC };

struct Vop3pRow {
  uint16_t opcode = 0;
  Op op = Op::invalid;
  Vop3pKind kind = Vop3pKind::PACKED;
  OperandType dst, src[3];
};

enum class DsOffset : uint8_t { ONE_OFFSET, TWO_OFFSETS, SWIZZLE, NO_OFFSET, NO_GDS, GWS };

struct DsRow {
  uint16_t opcode = 0;
  Op op = Op::invalid;
  uint8_t dst = 0, addr = 0, data0 = 0, data1 = 0;  // dwords
  DsOffset offset = DsOffset::ONE_OFFSET;
};

// CACHE maintains what sc0 and sc1 say, CACHE_ALL everything.
enum class Access : uint8_t { LOAD, STORE, ATOMIC, LDS, CACHE, CACHE_ALL };

struct FlatRow {
  uint16_t opcode = 0;
  Op op = Op::invalid;
  Access access = Access::LOAD;
  uint8_t dst = 0, data = 0;  // dwords
};

struct BufferRow {  // MUBUF, MTBUF
  uint16_t opcode = 0;
  Op op = Op::invalid;
  Access access = Access::LOAD;
  uint8_t data = 0;  // dwords
  bool lds = false;  // the lds bit may be set
};

// Null when the opcode does not exist. `opcode` may be any value of the format's field.
const Sop12cRow* sop1_row(unsigned opcode);
const Sop12cRow* sop2_row(unsigned opcode);
const Sop12cRow* sopc_row(unsigned opcode);
const SopkRow* sopk_row(unsigned opcode);
const SoppRow* sopp_row(unsigned opcode);
const SmemRow* smem_row(unsigned opcode);
const VopRow* vop1_row(unsigned opcode);
const VopRow* vop2_row(unsigned opcode);
const VopRow* vopc_row(unsigned opcode);
const Vop3Row* vop3_row(unsigned opcode);
const Vop3pRow* vop3p_row(unsigned opcode);
const DsRow* ds_row(unsigned opcode);
const FlatRow* flat_row(unsigned opcode);
const FlatRow* scratch_row(unsigned opcode);
const FlatRow* global_row(unsigned opcode);
const BufferRow* mubuf_row(unsigned opcode);
const BufferRow* mtbuf_row(unsigned opcode);

}  // namespace isa
}  // namespace vgpu
