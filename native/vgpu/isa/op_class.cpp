#include "isa/op_class.h"

#include <cstddef>

namespace vgpu {
namespace {

constexpr OpClass kClasses[] = {
#define VGPU_OP(name, unit, rate, arithmetic, number, touch, bytes, pair, form, commutes, beside) \
  {Unit::unit, Rate::rate, Arithmetic::arithmetic, Number::number,     Touch::touch,              \
   bytes,      pair,       MemoryForm::form,       Commutes::commutes, BesideMatrix::beside},
#include "isa/op_list.inc"
#undef VGPU_OP
};
constexpr OpClass kNothing;

}  // namespace

const OpClass& op_class(Op op) {
  return op < Op::count_ ? kClasses[static_cast<size_t>(op)] : kNothing;
}

}  // namespace vgpu
