#include "exec/cover/lane_operands.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "exec/vector/modifiers.h"

namespace vgpu::cover {
namespace {

using baseline::OpInfo;
using baseline::Shape;

using InfoByOpcode = std::array<const OpInfo*, size_t(Op::count_)>;

InfoByOpcode collected() {
  InfoByOpcode infos{};
  for (const baseline::VectorTable& table :
       {baseline::vector_integer_ops(), baseline::vector_float32_ops(),
        baseline::vector_float64_ops(), baseline::vector_half_ops(), baseline::vector_convert_ops(),
        baseline::vector_compare_ops(), baseline::vector_packed_ops()})
    for (size_t n = 0; n < table.count; ++n)
      infos[size_t(table.entries[n].op)] = table.entries[n].info;
  return infos;
}

const OpInfo& info_of(Op op) {
  static const InfoByOpcode infos = collected();
  return *infos[size_t(op)];
}

uint64_t scalar_source(const Wave& wave, const Operand& operand, int dwords) {
  if (operand.kind == OperandKind::Constant) return operand.value;
  if (operand.kind == OperandKind::Special) return special_value(wave, operand.reg);
  return dwords == 1 ? wave.sgpr[operand.reg & 127] : wave.pair(operand.reg & 127);
}

void copy_source(const Wave& wave, const Operand& operand, int dwords, uint32_t* rows) {
  if (operand.kind == OperandKind::Vgpr || operand.kind == OperandKind::Agpr) {
    std::memcpy(rows, wave.row(operand), size_t(dwords) * kLanes * sizeof *rows);
    return;
  }
  const uint64_t value = scalar_source(wave, operand, dwords);
  for (int d = 0; d < dwords; ++d)
    std::fill_n(rows + d * kLanes, kLanes, uint32_t(value >> (32 * (d & 1))));
}

}  // namespace

LaneOperands::LaneOperands(const Wave& wave, const Inst& inst)
    : info_(info_of(inst.op)), mode_(wave.mode), active_(wave.exec()) {
  for (int source = 0; source < count(); ++source) {
    const int dwords = baseline::dwords_of(shape(source));
    copy_source(wave, inst.src[source], dwords, rows_[source]);
    if (source == 0 && inst.modifier == Modifier::Dpp)
      active_ &= baseline::apply_dpp(inst.dpp, wave.exec(), rows_[0], dwords);
    baseline::modify_source(inst, source, shape(source), rows_[source]);
  }
}

int LaneOperands::count() const {
  int sources = 0;
  while (sources < 3 && info_.src[sources] != Shape::None) ++sources;
  return sources;
}

void LaneOperands::compute() {
  baseline::KernelArgs arguments{};
  arguments.dst = result_;
  arguments.exec = ~uint64_t(0);
  arguments.mode = mode_;
  for (int source = 0; source < 3; ++source)
    arguments.src[source] = baseline::rows_at(rows_[source]);
  info_.kernel(arguments);
}

uint64_t LaneOperands::at(const uint32_t* rows, Shape shape, int lane) {
  if (baseline::is_half_wide(shape)) return rows[lane] & 0xffff;
  const uint64_t high = baseline::dwords_of(shape) > 1 ? rows[lane + kLanes] : 0;
  return rows[lane] | high << 32;
}

}  // namespace vgpu::cover
