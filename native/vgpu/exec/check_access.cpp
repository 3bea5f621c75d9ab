#include "check_access.h"

#include <string>
#include <vector>

#include "../isa/decode.h"
#include "memory_buffer.h"

namespace vgpu {
namespace {

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// The longest ending that matches gives the width.
uint32_t bytes_of_name(const std::string& name) {
  static const struct { const char* part; uint32_t bytes; } kWidths[] = {
      {"dwordx16", 64}, {"dwordx8", 32}, {"dwordx4", 16}, {"dwordx3", 12}, {"dwordx2", 8},
      {"dword", 4},     {"byte", 1},     {"short", 2},    {"_b128", 16},   {"_b96", 12},
      {"_x2", 8},       {"_b64", 8},     {"_u64", 8},     {"_i64", 8},     {"_f64", 8},
      {"_u8", 1},       {"_i8", 1},      {"_b8", 1},      {"_u16", 2},     {"_i16", 2},
      {"_b16", 2}};
  for (const auto& width : kWidths)
    if (contains(name, width.part)) return width.bytes;
  return 4;
}

AccessShape memory_shape(const std::string& name) {
  if (contains(name, "_format_") || contains(name, "_lds_")) return {};
  uint32_t bytes = bytes_of_name(name);
  if (contains(name, "_atomic_")) return {Touch::Atomic, bytes, 0};
  if (contains(name, "_load_")) return {Touch::Read, bytes, 0};
  if (contains(name, "_store_")) return {Touch::Write, bytes, 0};
  return {};
}

AccessShape lds_shape(const std::string& name) {
  static const char* const kOthers[] = {"permute", "swizzle", "gws", "nop", "append",
                                        "consume", "addtid",  "condxchg"};
  for (const char* other : kOthers)
    if (contains(name, other)) return {};
  uint32_t bytes = bytes_of_name(name);
  bool pair = contains(name, "read2") || contains(name, "write2") || contains(name, "wrxchg2");
  uint32_t unit = !pair ? 0 : contains(name, "st64") ? bytes * 64 : bytes;
  Touch touch = contains(name, "ds_read") ? Touch::Read
                : contains(name, "ds_write") ? Touch::Write
                                             : Touch::Atomic;
  return {touch, bytes, unit};
}

AccessShape shape_of(const Inst& inst) {
  std::string name = mnemonic(inst.op);
  switch (inst.format) {
    case Format::DS: return lds_shape(name);
    case Format::FLAT: case Format::GLOBAL: return memory_shape(name);
    case Format::MUBUF: return inst.lds ? AccessShape{} : memory_shape(name);
    default: return {};  // private memory belongs to its lane; scalar memory is read-only
  }
}

void lds_addresses(const Wave& wave, const Inst& inst, int element, LaneAccess& access) {
  uint32_t offset = uint32_t(inst.offset) & 0xffff;
  if (access.shape.pair_unit)
    offset = (offset >> (element * 8) & 0xff) * access.shape.pair_unit;
  const uint32_t* vaddr = wave.row(inst.src[0]);
  for (int l = 0; l < kLanes; ++l) access.at[l] = kSharedAperture + uint32_t(vaddr[l] + offset);
}

void buffer_addresses(const Wave& wave, const Inst& inst, LaneAccess& access) {
  baseline::Buffer buffer(wave, inst);
  for (int l = 0; l < kLanes; ++l) {
    access.at[l] = buffer.address(l, 0);
    if (!buffer.inside(l, 0, access.shape.bytes)) access.exec &= ~(uint64_t(1) << l);
  }
}

}  // namespace

AccessShape access_shape(const Inst& inst) {
  struct Known {
    bool filled = false;
    AccessShape shape;
  };
  constexpr size_t kOps = size_t(Op::count_);
  static thread_local std::vector<Known> known(kOps);
  if (inst.op >= Op::count_) return {};
  if (inst.format == Format::MUBUF) return shape_of(inst);  // depends on more than the opcode
  Known& entry = known[size_t(inst.op)];
  if (!entry.filled) entry = {true, shape_of(inst)};
  return entry.shape;
}

bool lane_access(const Wave& wave, const Inst& inst, int element, LaneAccess& access) {
  access.shape = access_shape(inst);
  access.exec = wave.exec();
  if (access.shape.touch == Touch::None || (element == 1 && access.shape.pair_unit == 0))
    return false;
  if (inst.format == Format::DS) {
    lds_addresses(wave, inst, element, access);
  } else if (inst.format == Format::MUBUF) {
    buffer_addresses(wave, inst, access);
  } else {
    baseline::GlobalSpace::addresses(wave, inst, access.at);
  }
  return access.exec != 0;
}

}  // namespace vgpu
