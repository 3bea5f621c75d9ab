#include "model/xcd/interlocks.h"

namespace vgpu {
namespace model {
namespace {

constexpr uint16_t kVcc = 106, kExec = 126;  // two registers each

}  // namespace

void Interlocks::note_scalars(const Inst& inst, double ready) {
  for (const Operand* operand : {&inst.dst, &inst.sdst})
    if (operand->kind == OperandKind::Sgpr)
      results_[next_++ % kResults] = {operand->reg, uint16_t(operand->reg + operand->dwords - 1),
                                      ready};
  scalar_ready_ = ready;
}

double Interlocks::scalars_ready(const Inst& inst) const {
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
