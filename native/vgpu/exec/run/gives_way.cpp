#include "exec/run/gives_way.h"

#include "exec/wave/own_chain.h"
#include "isa/op_class.h"

namespace vgpu {
namespace {

bool loads_into_lds(const Inst& inst) {
  return inst.lds || op_class(inst.op).form == MemoryForm::ToLds;
}

}  // namespace

bool comes_too_early(Wave& wave, const Inst& inst) {
  LdsTurn& turn = wave.group->turn;
  uint64_t when = own_time(wave);
  if (inst.format != Format::DS && inst.format != Format::FLAT) {
    if (!loads_into_lds(inst)) return false;
    when += arch::calibration::kVectorHitLatency;  // then it is there, at the earliest
  }
  if (when <= turn.end) return false;
  turn.wanted = when;
  turn.gave_way = true;
  return true;
}

}  // namespace vgpu
