#include "exec/touch/touched_memory.h"

#include <algorithm>

#include "exec/memory/addresses.h"
#include "exec/memory/buffer.h"

namespace vgpu {
namespace {

constexpr uint64_t kDescriptorBase = 0xffff'ffff'ffff;  // flags lie above
constexpr uint64_t kScratchUnit = 64;

void buffer_lanes(const Wave& wave, const Inst& inst, LaneAccess& access) {
  baseline::Buffer buffer(wave, inst);
  for (int l = 0; l < kLanes; ++l) {
    access.at[l] = buffer.address(l, 0);
    if (!buffer.inside(l, 0, access.shape.bytes)) access.exec &= ~(uint64_t(1) << l);
  }
  access.row = lane_addresses().in_a_row(access.at, access.exec, access.shape.bytes);
}

// Offsets in the private memory of each lane.
void private_lanes(const Wave& wave, const Inst& inst, LaneAccess& access) {
  uint32_t base = uint32_t(inst.offset);
  if (inst.src[2].kind == OperandKind::Sgpr) base += wave.sgpr[inst.src[2].reg & 127];
  const uint32_t* vaddr = inst.src[0].kind == OperandKind::None ? nullptr : wave.row(inst.src[0]);
  for (int l = 0; l < kLanes; ++l)
    access.at[l] = kPrivateAperture | uint32_t(base + (vaddr ? vaddr[l] : 0));
}

void lds_lanes(const Wave& wave, const Inst& inst, LaneAccess& access) {
  uint32_t offset = uint32_t(inst.offset) & 0xffff;
  if (access.shape.pair_unit)
    offset = (offset >> (access.element * 8) & 0xff) * access.shape.pair_unit;
  access.row =
      lane_addresses().lds(wave, wave.row(inst.src[0]), offset, access.shape.bytes, access.at);
}

}  // namespace

bool touched_lanes(const Wave& wave, const Inst& inst, const AccessShape& shape, int element,
                   LaneAccess& access) {
  if (shape.touch == Touch::None || (element == 1 && shape.pair_unit == 0)) return false;
  access.shape = shape;
  access.exec = wave.exec();
  access.element = element;
  access.row = false;
  switch (inst.format) {
    case Format::DS: lds_lanes(wave, inst, access); break;
    case Format::MUBUF:
    case Format::MTBUF: buffer_lanes(wave, inst, access); break;
    case Format::SCRATCH: private_lanes(wave, inst, access); break;
    default: access.row = lane_addresses().global(wave, inst, access.shape.bytes, access.at);
  }
  return access.exec != 0;
}

bool touched_scalar(const Wave& wave, const Inst& inst, ScalarAccess& access) {
  const OpClass& of = op_class(inst.op);
  if (inst.src[0].kind != OperandKind::Sgpr || of.touch == Touch::None) return false;
  uint64_t base = wave.pair(inst.src[0].reg & 126);
  if (of.form == MemoryForm::Descriptor) base &= kDescriptorBase;
  uint64_t offset = uint64_t(int64_t(inst.offset));
  if (inst.src[1].kind == OperandKind::Sgpr)
    offset +=
        wave.sgpr[inst.src[1].reg & 127] * (of.form == MemoryForm::Scratch ? kScratchUnit : 1);
  access = {(base + offset) & ~uint64_t(3), of.bytes, of.touch};
  return true;
}

}  // namespace vgpu
