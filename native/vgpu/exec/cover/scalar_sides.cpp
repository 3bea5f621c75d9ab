#include "exec/cover/sides.h"
#include "exec/cover/trial.h"
#include "exec/scalar/operands.h"

namespace vgpu::cover {
namespace {

using baseline::read32;
using baseline::read64;

uint64_t read(const Wave& wave, const Operand& operand) {
  return operand.dwords == 2 ? read64(wave, operand) : read32(wave, operand);
}

uint8_t taken(bool value) { return value ? kTaken : kNotTaken; }

// Lanes that pass go on at the target, the others behind the branch.
uint8_t fork(const Wave& wave, uint64_t condition) {
  const uint64_t pass = condition & wave.exec(), fail = ~condition & wave.exec();
  return uint8_t((pass || !fail ? kTaken : 0) | (fail ? kNotTaken : 0));
}

uint8_t branch(const Wave& wave, const Inst& inst) {
  switch (inst.op) {
    case Op::s_cbranch_scc0: return taken(!wave.scc);
    case Op::s_cbranch_scc1: return taken(wave.scc);
    case Op::s_cbranch_vccz: return taken(wave.vcc() == 0);
    case Op::s_cbranch_vccnz: return taken(wave.vcc() != 0);
    case Op::s_cbranch_execz: return taken(wave.exec() == 0);
    case Op::s_cbranch_execnz: return taken(wave.exec() != 0);
    case Op::s_cbranch_g_fork: return fork(wave, read64(wave, inst.src[0]));
    case Op::s_cbranch_i_fork: return fork(wave, wave.pair((inst.words[0] >> 16) & 126));
    // Whether a path is left on the stack, whose height is in MODE.
    case Op::s_cbranch_join: return taken(wave.mode >> 29 != (read32(wave, inst.src[0]) & 7));
    default: return kNotTaken;  // debuggers': there is none
  }
}

bool has_unsigned_immediate(Op op) {
  return op == Op::s_cmpk_eq_u32 || op == Op::s_cmpk_lg_u32 || op == Op::s_cmpk_gt_u32 ||
         op == Op::s_cmpk_ge_u32 || op == Op::s_cmpk_lt_u32 || op == Op::s_cmpk_le_u32;
}

OperandPair compared(const Wave& wave, const Inst& inst) {
  if (inst.format != Format::SOPK) return {read(wave, inst.src[0]), read(wave, inst.src[1])};
  const uint32_t immediate = uint32_t(inst.imm);
  return {read32(wave, inst.src[0]),
          has_unsigned_immediate(inst.op) ? immediate & 0xffff : immediate};
}

uint8_t compare(Wave& wave, const Inst& inst) {
  const Trial trial(wave, inst);
  return side(wave.scc);
}

uint64_t result(Wave& wave, const Inst& inst) {
  const Trial trial(wave, inst);
  return read(wave, inst.dst);
}

uint8_t extreme(uint64_t chosen, uint64_t first, uint64_t second) {
  if (chosen != first) return kFalse;
  return first != second ? kTrue : 0;
}

bool clears_bits(const Wave& wave, const Inst& inst) {
  const uint64_t kept = read(wave, inst.src[0]) & read(wave, inst.src[1]);
  for (int n = 0; n < 2; ++n)
    if (inst.src[n].kind != OperandKind::Constant && (read(wave, inst.src[n]) & ~kept)) return true;
  return false;
}

// Of active lanes. A mask that the instruction negates is told negated.
uint8_t mask_pair(const Wave& wave, const Inst& inst) {
  const bool negates = inst.op == Op::s_andn2_b64 || inst.op == Op::s_orn2_b64;
  const uint64_t lanes = wave.exec(), first = read64(wave, inst.src[0]) & lanes,
                 second = (read64(wave, inst.src[1]) ^ (negates ? ~0ull : 0)) & lanes;
  const auto shown = [](uint64_t where, uint8_t fact) { return where ? fact : uint8_t(0); };
  return shown(first & ~second, kTrue) | shown(second & ~first, kFalse) |
         shown(first & second, kTaken) | shown(lanes & ~first & ~second, kNotTaken);
}

}  // namespace

Sides scalar_sides(Wave& wave, const Inst& inst, Kind kind) {
  switch (kind) {
    case Kind::Branch: return {branch(wave, inst), {}};
    case Kind::ScalarCompare: return {compare(wave, inst), compared(wave, inst)};
    case Kind::ScalarSelect: return {side(wave.scc), {}};
    case Kind::ScalarExtreme:
      return {extreme(result(wave, inst), read(wave, inst.src[0]), read(wave, inst.src[1])), {}};
    case Kind::MaskPair: return {mask_pair(wave, inst), {}};
    case Kind::ScalarAnd: return {side(clears_bits(wave, inst)), {}};
    case Kind::ScalarField: return {side(result(wave, inst) != read(wave, inst.src[0])), {}};
    default: return {};
  }
}

}  // namespace vgpu::cover
