#include "isa/decode/rows.h"

#include <array>
#include <cstddef>

namespace vgpu {
namespace isa {
namespace {

using namespace types;

template <size_t kOpcodes, class Row, size_t kRows>
constexpr std::array<Row, kOpcodes> by_opcode(const Row (&rows)[kRows]) {
  std::array<Row, kOpcodes> table{};
  for (const Row& row : rows) table[row.opcode] = row;
  return table;
}

template <class Row, size_t kOpcodes>
const Row* find(const std::array<Row, kOpcodes>& table, unsigned opcode) {
  return opcode < kOpcodes && table[opcode].op != Op::invalid ? &table[opcode] : nullptr;
}

#define NO_FORM \
  Form {}
#define FORM(used, zero, one) \
  Form { true, used, zero, one }
#define MODS(used, zero) \
  Vop3Mods { used, zero }

constexpr Sop12cRow kSop1[] = {
#define SOP1(opcode, op, dst, src0) {opcode, Op::op, dst, src0, NONE},
#include "isa/tables/sop1.inc"
};
constexpr Sop12cRow kSop2[] = {
#define SOP2(opcode, op, dst, src0, src1) {opcode, Op::op, dst, src0, src1},
#include "isa/tables/sop2.inc"
};
constexpr OperandType GPR_IDX = NONE;  // an immediate, no operand
constexpr Sop12cRow kSopc[] = {
#define SOPC(opcode, op, src0, src1) {opcode, Op::op, NONE, src0, src1},
#include "isa/tables/sopc.inc"
};

constexpr bool SRC = true, DST = false, LITERAL = true, NO_LITERAL = false;
constexpr SopkRow kSopk[] = {
#define SOPK(opcode, op, role, reg, immediate, literal) \
  {opcode, Op::op, role, reg, Immediate::immediate, literal},
#include "isa/tables/sopk.inc"
};
constexpr SoppRow kSopp[] = {
#define SOPP(opcode, op, immediate) {opcode, Op::op, Immediate::immediate},
#include "isa/tables/sopp.inc"
};
constexpr SmemRow kSmem[] = {
#define SMEM(opcode, op, kind, data, base) {opcode, Op::op, SmemKind::kind, data, base},
#include "isa/tables/smem.inc"
};
constexpr VopRow kVop1[] = {
#define VOP1(opcode, op, dst, src0, sdwa, dpp) \
  {opcode, Op::op, dst, src0, NONE, Implied::NONE, sdwa, dpp},
#include "isa/tables/vop1.inc"
};
constexpr VopRow kVop2[] = {
#define VOP2(opcode, op, dst, src0, src1, implied, sdwa, dpp) \
  {opcode, Op::op, dst, src0, src1, Implied::implied, sdwa, dpp},
#include "isa/tables/vop2.inc"
};
constexpr VopRow kVopc[] = {
#define VOPC(opcode, op, src0, src1, sdwa) \
  {opcode, Op::op, NONE, src0, src1, Implied::NONE, sdwa, NO_FORM},
#include "isa/tables/vopc.inc"
};
constexpr Vop3Row kVop3[] = {
#define VOP3(opcode, op, dst, sdst, src0, src1, src2, mods) \
  {opcode, Op::op, dst, sdst, {src0, src1, src2}, mods},
#include "isa/tables/vop3.inc"
};
constexpr Vop3pRow kVop3p[] = {
#define VOP3P(opcode, op, kind, dst, src0, src1, src2) \
  {opcode, Op::op, Vop3pKind::kind, dst, {src0, src1, src2}},
#include "isa/tables/vop3p.inc"
};
constexpr DsRow kDs[] = {
#define DS(opcode, op, dst, addr, data0, data1, offset) \
  {opcode, Op::op, dst, addr, data0, data1, DsOffset::offset},
#include "isa/tables/ds.inc"
};

#define FLAT(opcode, op, access, dst, data) {opcode, Op::op, Access::access, dst, data},
constexpr FlatRow kFlat[] = {
#include "isa/tables/flat.inc"
};
constexpr FlatRow kScratch[] = {
#include "isa/tables/scratch.inc"
};
constexpr FlatRow kGlobal[] = {
#include "isa/tables/global.inc"
};

constexpr bool LDS_OK = true, NO_LDS = false;
constexpr BufferRow kMubuf[] = {
#define MUBUF(opcode, op, access, data, lds) {opcode, Op::op, Access::access, data, lds},
#include "isa/tables/mubuf.inc"
};
constexpr BufferRow kMtbuf[] = {
#define MTBUF(opcode, op, access, data) {opcode, Op::op, Access::access, data, false},
#include "isa/tables/mtbuf.inc"
};

constexpr auto kSop1ByOpcode = by_opcode<256>(kSop1);
constexpr auto kSop2ByOpcode = by_opcode<128>(kSop2);
constexpr auto kSopcByOpcode = by_opcode<128>(kSopc);
constexpr auto kSopkByOpcode = by_opcode<32>(kSopk);
constexpr auto kSoppByOpcode = by_opcode<128>(kSopp);
constexpr auto kSmemByOpcode = by_opcode<256>(kSmem);
constexpr auto kVop1ByOpcode = by_opcode<256>(kVop1);
constexpr auto kVop2ByOpcode = by_opcode<64>(kVop2);
constexpr auto kVopcByOpcode = by_opcode<256>(kVopc);
constexpr auto kVop3ByOpcode = by_opcode<1024>(kVop3);
constexpr auto kVop3pByOpcode = by_opcode<128>(kVop3p);
constexpr auto kDsByOpcode = by_opcode<256>(kDs);
constexpr auto kFlatByOpcode = by_opcode<128>(kFlat);
constexpr auto kScratchByOpcode = by_opcode<128>(kScratch);
constexpr auto kGlobalByOpcode = by_opcode<128>(kGlobal);
constexpr auto kMubufByOpcode = by_opcode<128>(kMubuf);
constexpr auto kMtbufByOpcode = by_opcode<16>(kMtbuf);

}  // namespace

const Sop12cRow* sop1_row(unsigned opcode) { return find(kSop1ByOpcode, opcode); }
const Sop12cRow* sop2_row(unsigned opcode) { return find(kSop2ByOpcode, opcode); }
const Sop12cRow* sopc_row(unsigned opcode) { return find(kSopcByOpcode, opcode); }
const SopkRow* sopk_row(unsigned opcode) { return find(kSopkByOpcode, opcode); }
const SoppRow* sopp_row(unsigned opcode) { return find(kSoppByOpcode, opcode); }
const SmemRow* smem_row(unsigned opcode) { return find(kSmemByOpcode, opcode); }
const VopRow* vop1_row(unsigned opcode) { return find(kVop1ByOpcode, opcode); }
const VopRow* vop2_row(unsigned opcode) { return find(kVop2ByOpcode, opcode); }
const VopRow* vopc_row(unsigned opcode) { return find(kVopcByOpcode, opcode); }
const Vop3Row* vop3_row(unsigned opcode) { return find(kVop3ByOpcode, opcode); }
const Vop3pRow* vop3p_row(unsigned opcode) { return find(kVop3pByOpcode, opcode); }
const DsRow* ds_row(unsigned opcode) { return find(kDsByOpcode, opcode); }
const FlatRow* flat_row(unsigned opcode) { return find(kFlatByOpcode, opcode); }
const FlatRow* scratch_row(unsigned opcode) { return find(kScratchByOpcode, opcode); }
const FlatRow* global_row(unsigned opcode) { return find(kGlobalByOpcode, opcode); }
const BufferRow* mubuf_row(unsigned opcode) { return find(kMubufByOpcode, opcode); }
const BufferRow* mtbuf_row(unsigned opcode) { return find(kMtbufByOpcode, opcode); }

}  // namespace isa
}  // namespace vgpu
