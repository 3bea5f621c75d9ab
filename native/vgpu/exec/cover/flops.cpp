#include "exec/cover/flops.h"

#include <atomic>

#include "isa/op_class.h"

namespace vgpu::cover {
namespace {

std::atomic<MatrixFlops> matrix_flops{nullptr};

bool is_float(Number number) {
  return number == Number::F16 || number == Number::F32 || number == Number::F64;
}

uint64_t of_arithmetic(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::Add:
    case Arithmetic::Mul:
    case Arithmetic::Trans: return 1;
    case Arithmetic::Fma: return 2;
    default: return 0;
  }
}

// Elements of a lane, each of which is computed as the class of the opcode says.
uint64_t elements(Op op) {
  switch (op) {
    case Op::v_pk_add_f16:
    case Op::v_pk_add_f32:
    case Op::v_pk_mul_f16:
    case Op::v_pk_mul_f32:
    case Op::v_pk_fma_f16:
    case Op::v_pk_fma_f32:
    case Op::v_dot2_f32_f16:
    case Op::v_dot2c_f32_f16: return 2;
    default: return 1;
  }
}

uint64_t of_lane(Op op) {
  if (op == Op::v_pk_fmac_f16) return 4;  // the hardware's counters class it nowhere
  const OpClass& of = op_class(op);
  return is_float(of.number) ? of_arithmetic(of.arithmetic) * elements(op) : 0;
}

}  // namespace

void set_matrix_flops(MatrixFlops who) { matrix_flops.store(who); }

uint64_t flops(Op op, uint64_t exec) {
  if (op_class(op).unit == Unit::Matrix) {
    const MatrixFlops who = matrix_flops.load();
    return who ? who(op) : 0;
  }
  return of_lane(op) * uint64_t(__builtin_popcountll(exec));
}

}  // namespace vgpu::cover
