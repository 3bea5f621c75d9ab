#include "exec/check/access.h"

#include "exec/memory/select.h"
#include "exec/touch/touched_memory.h"

namespace vgpu {

namespace {

bool is_load_into_lds(const Inst& inst) {
  const OpClass& of = op_class(inst.op);
  return of.form == MemoryForm::ToLds ||
         (inst.format == Format::MUBUF && inst.lds && of.touch == Touch::Read);
}

}  // namespace

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

// Every lane has its dword, however few bytes it reads and wherever.
bool lds_filled(const Wave& wave, const Inst& inst, LaneAccess& access) {
  if (wave.exec() == 0 || !is_load_into_lds(inst)) return false;
  access.shape = {Touch::Write, 4, 0};
  access.exec = wave.exec();
  access.element = 0;
  access.row = false;
  for (int lane = 0; lane < kLanes; ++lane)
    access.at[lane] = kSharedAperture | baseline::lds_slot(wave, inst, lane);
  return true;
}

}  // namespace vgpu
