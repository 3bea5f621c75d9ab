#include "counting_access.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "../exec/memory_buffer.h"
#include "../isa/decode.h"
#include "lane_loops.h"

namespace vgpu {
namespace model {
namespace {

bool contains(const char* name, const char* part) { return std::strstr(name, part) != nullptr; }

Touch touch_of(const char* name) {
  if (contains(name, "_atomic_")) return Touch::Atomic;
  if (contains(name, "_load_")) return Touch::Read;
  return contains(name, "_store_") ? Touch::Write : Touch::None;
}

uint32_t bytes_of(const Inst& inst, const char* name, Touch touch) {
  if (touch == Touch::Atomic) return contains(name, "_x2") || contains(name, "_f64") ? 8 : 4;
  if (contains(name, "byte")) return 1;
  if (contains(name, "short")) return 2;
  const Operand& data = touch == Touch::Write ? inst.src[1] : inst.dst;
  return std::max<uint32_t>(1, data.dwords) * 4;   // none when the data goes to LDS: one dword
}

void buffer_addresses(const Wave& wave, const Inst& inst, LaneAccess& access) {
  baseline::Buffer buffer(wave, inst);
  for (int l = 0; l < kLanes; ++l) {
    access.at[l] = buffer.address(l, 0);
    if (!buffer.inside(l, 0, access.shape.bytes)) access.exec &= ~(uint64_t(1) << l);
  }
  access.row = lane_loops().in_a_row(access.at, access.exec, access.shape.bytes);
}

// Offsets in the private memory of each lane.
void private_addresses(const Wave& wave, const Inst& inst, LaneAccess& access) {
  uint32_t base = uint32_t(inst.offset);
  if (inst.src[2].kind == OperandKind::Sgpr) base += wave.sgpr[inst.src[2].reg & 127];
  const uint32_t* vaddr =
      inst.src[0].kind == OperandKind::None ? nullptr : wave.row(inst.src[0]);
  for (int l = 0; l < kLanes; ++l)
    access.at[l] = kPrivateAperture | uint32_t(base + (vaddr ? vaddr[l] : 0));
}

void lds_addresses(const Wave& wave, const Inst& inst, int element, LaneAccess& access) {
  uint32_t offset = uint32_t(inst.offset) & 0xffff;
  if (access.shape.pair_unit) offset = (offset >> (element * 8) & 0xff) * access.shape.pair_unit;
  access.row = lane_loops().lds_addresses(wave, wave.row(inst.src[0]), offset, access.shape.bytes,
                                          access.at);
}

// How a scalar memory instruction forms its address.
struct ScalarShape {
  Touch touch = Touch::None;
  uint64_t base_mask = ~uint64_t(0);
  uint64_t offset_unit = 1;
};

std::vector<ScalarShape> scalar_shapes() {
  constexpr size_t kOps = size_t(Op::count_);
  std::vector<ScalarShape> shapes(kOps);
  for (size_t op = 0; op < shapes.size(); ++op) {
    const char* name = mnemonic(Op(op));
    if (std::strncmp(name, "s_", 2) != 0) continue;
    shapes[op].touch = touch_of(name);
    if (contains(name, "s_buffer_")) shapes[op].base_mask = 0xffff'ffff'ffff;  // flags lie above
    if (contains(name, "s_scratch_")) shapes[op].offset_unit = 64;
  }
  return shapes;
}

}  // namespace

AccessShape counted_shape(const Inst& inst) {
  if (inst.format == Format::DS) return access_shape(inst);
  const char* name = mnemonic(inst.op);
  Touch touch = touch_of(name);
  return {touch, touch == Touch::None ? 0 : bytes_of(inst, name, touch), 0};
}

bool counted_lanes(const Wave& wave, const Inst& inst, const AccessShape& shape, int element,
                   LaneAccess& access) {
  if (shape.touch == Touch::None || (element == 1 && shape.pair_unit == 0)) return false;
  access.shape = shape;
  access.exec = wave.exec();
  access.row = false;
  switch (inst.format) {
    case Format::DS: lds_addresses(wave, inst, element, access); break;
    case Format::MUBUF: case Format::MTBUF: buffer_addresses(wave, inst, access); break;
    case Format::SCRATCH: private_addresses(wave, inst, access); break;
    default:
      access.row = lane_loops().global_addresses(wave, inst, access.shape.bytes, access.at);
  }
  return access.exec != 0;
}

bool scalar_access(const Wave& wave, const Inst& inst, ScalarAccess& access) {
  static const auto* const kShapes = new std::vector<ScalarShape>(scalar_shapes());
  if (inst.src[0].kind != OperandKind::Sgpr || inst.op >= Op::count_) return false;
  const ScalarShape& shape = (*kShapes)[size_t(inst.op)];
  if (shape.touch == Touch::None) return false;
  uint64_t base = wave.pair(inst.src[0].reg & 126) & shape.base_mask;
  uint64_t offset = uint64_t(int64_t(inst.offset));
  if (inst.src[1].kind == OperandKind::Sgpr)
    offset += wave.sgpr[inst.src[1].reg & 127] * shape.offset_unit;
  access = {(base + offset) & ~uint64_t(3), std::max<uint32_t>(1, inst.dst.dwords) * 4,
            shape.touch == Touch::Write, shape.touch == Touch::Atomic};
  return true;
}

}  // namespace model
}  // namespace vgpu
