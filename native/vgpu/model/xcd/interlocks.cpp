#include "model/xcd/interlocks.h"

#include <algorithm>

#include "model/launch/structure.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr uint16_t kVcc = 106, kExec = 126;   // two registers each

}  // namespace

void Interlocks::issued(const Inst& inst, Unit unit, double now) {
  const double done = now + kIssueCycles;
  if (unit == Unit::Valu) {
    memory_from_ = done + kVectorToMemoryCycles;
    writes(inst.dst, done + kVectorToScalarCycles);
    writes(inst.sdst, done + kVectorToScalarCycles);
  } else if (unit == Unit::Salu) {
    branch_from_ = done + kScalarToBranchCycles;
  }
}

double Interlocks::until(const Inst& inst, Unit unit) const {
  switch (unit) {
    case Unit::Vmem: case Unit::Flat: case Unit::Lds: return memory_from_;
    case Unit::Branch: return std::max(branch_from_, scalars_ready(inst));
    case Unit::Salu: case Unit::Smem: return scalars_ready(inst);
    default: return 0;
  }
}

void Interlocks::writes(const Operand& operand, double ready) {
  if (operand.kind != OperandKind::Sgpr) return;
  results_[next_++ % kResults] = {operand.reg, uint16_t(operand.reg + operand.dwords - 1), ready};
  scalar_ready_ = ready;
}

double Interlocks::scalars_ready(const Inst& inst) const {
  if (scalar_ready_ == 0) return 0;
  if (inst.op == Op::s_cbranch_vccz || inst.op == Op::s_cbranch_vccnz) return read(kVcc, kVcc + 1);
  if (inst.op == Op::s_cbranch_execz || inst.op == Op::s_cbranch_execnz)
    return read(kExec, kExec + 1);
  double ready = 0;
  for (const Operand& source : inst.src)
    if (source.kind == OperandKind::Sgpr)
      ready = std::max(ready, read(source.reg, uint16_t(source.reg + source.dwords - 1)));
  return ready;
}

double Interlocks::read(uint16_t first, uint16_t last) const {
  double ready = 0;
  for (const ScalarResult& result : results_)
    if (first <= result.last && last >= result.first) ready = std::max(ready, result.ready);
  return ready;
}

}  // namespace model
}  // namespace vgpu
