#include "model/instruction/matrix_cycles.h"

#include <algorithm>

#include "model/launch/structure.h"

namespace vgpu {
namespace model {
namespace {

using Element = MatrixElement;

struct MatrixShape {
  Op op;
  int rows, depth, blocks;
  Element element;
  bool sparse;
};

constexpr MatrixShape kShapes[] = {
#define DENSE(op, rows, depth, blocks, a, b) {Op::op, rows, depth, blocks, Element::a, false},
#define SPARSE(op, rows, depth, a, b) {Op::op, rows, depth, 1, Element::a, true},
#include "isa/tables/matrix.inc"
#undef DENSE
#undef SPARSE
};

const MatrixShape* shape_of(Op op) {
  for (const MatrixShape& shape : kShapes)
    if (shape.op == op) return &shape;
  return nullptr;
}

// Operations per cycle and CU at full rate.
int full_rate(Element element) {
  using namespace calibration;
  switch (element) {
    case Element::F32: return kMatrixRateF32;
    case Element::Xf32: return kMatrixRateXf32;
    case Element::F64: return kMatrixRateF64;
    case Element::F16:
    case Element::Bf16: return kMatrixRateF16;
    default: return kMatrixRateI8;  // 8-bit integers and floats
  }
}

// The forms with several blocks kept the rate of the first generation.
int rate(const MatrixShape& shape) {
  int full = full_rate(shape.element) * (shape.sparse ? 2 : 1);
  bool narrow = shape.element == Element::F16 || shape.element == Element::Bf16 ||
                shape.element == Element::I8;
  return narrow && shape.blocks > 1 ? std::min(full, calibration::kMatrixRateBlocked) : full;
}

uint64_t operations(const MatrixShape& shape) {
  return uint64_t(2) * uint64_t(shape.rows) * uint64_t(shape.rows) * uint64_t(shape.depth) *
         uint64_t(shape.blocks);
}

}  // namespace

uint16_t matrix_cycles(Op op) {
  const MatrixShape* shape = shape_of(op);
  if (!shape) return 0;
  uint64_t cycles = operations(*shape) * calibration::kSimdsPerUnit / uint64_t(rate(*shape));
  int least = shape->element == Element::F64 ? calibration::kMatrixLeastDoubleCycles
                                             : calibration::kMatrixLeastCycles;
  return uint16_t(std::max<uint64_t>(cycles, uint64_t(least)));
}

MatrixElement matrix_element(Op op) {
  const MatrixShape* shape = shape_of(op);
  return shape ? shape->element : Element::F32;
}

uint64_t matrix_operations(Op op) {
  const MatrixShape* shape = shape_of(op);
  return shape ? operations(*shape) : 0;
}

}  // namespace model
}  // namespace vgpu
