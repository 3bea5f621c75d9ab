#include "exec/check/access.h"

#include "exec/touch/touched_memory.h"

namespace vgpu {

AccessShape access_shape(const Inst& inst) {
  const OpClass& of = op_class(inst.op);
  switch (inst.format) {
    case Format::DS:
    case Format::FLAT:
    case Format::GLOBAL:
    case Format::MUBUF: break;
    default: return {};
  }
  const bool into_lds = of.form == MemoryForm::ToLds || (inst.format == Format::MUBUF && inst.lds);
  return into_lds || of.form == MemoryForm::Typed ? AccessShape{} : shape_of(of);
}

bool lane_access(const Wave& wave, const Inst& inst, int element, LaneAccess& access) {
  access.shape = access_shape(inst);
  if (!touched_lanes(wave, inst, access.shape, element, access)) return false;
  access.spell_out();
  return true;
}

}  // namespace vgpu
