// Chooses the handler of a vector instruction by what modifies it.
#include "vector_op.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

// Every opcode's entry by Op, built from the tables on first use.
struct Directory {
  const VectorOp* entries[size_t(Op::count_)] = {};
  Directory() {
    const VectorTable tables[] = {vector_integer_ops(), vector_float32_ops(), vector_float64_ops(),
                                  vector_half_ops(),    vector_convert_ops(), vector_compare_ops(),
                                  vector_packed_ops(),  vector_lane_ops()};
    for (const VectorTable& table : tables)
      for (size_t i = 0; i < table.count; ++i)
        entries[size_t(table.entries[i].op)] = &table.entries[i];
  }
};

const VectorOp* find(Op op) {
  static const Directory directory;
  return op < Op::count_ ? directory.entries[size_t(op)] : nullptr;
}

bool packed_selection_is_default(const Inst& inst, const OpInfo& info) {
  unsigned used = 0;
  for (int s = 0; s < 3; ++s) {
    const Shape shape = info.src[s];
    if (shape == Shape::PackedB16 || shape == Shape::PackedF16 || shape == Shape::PackedF32)
      used |= 1u << s;
  }
  return (inst.op_sel & used) == 0 && (inst.op_sel_hi & used) == used && inst.neg_hi == 0;
}

// Whether nothing but neg and abs of a VOP3 modifies the instruction.
bool is_direct(const Inst& inst, const OpInfo& info) {
  if (info.flags & kAlwaysFull || inst.modifier != Modifier::Plain) return false;
  if (inst.omod || inst.clamp) return false;
  if (inst.format == Format::VOP3P)
    return packed_selection_is_default(inst, info) && inst.neg == 0 && inst.abs == 0;
  return inst.op_sel == 0;
}

}  // namespace

ExecFn select_vector(const Inst& inst) {
  const VectorOp* op = find(inst.op);
  if (!op) return nullptr;
  if (!op->info) return op->plain;
  if (!is_direct(inst, *op->info)) return op->full;
  return inst.neg || inst.abs ? op->signs : op->plain;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
