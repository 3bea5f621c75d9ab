// Floating-point operations of an instruction: a multiplication with addition is two, a conversion,
// comparison, minimum or move none.
#pragma once

#include <cstdint>

#include "isa/inst.h"

namespace vgpu::cover {

// Who knows the operations of a matrix instruction, 0 where they are integers'; asked for every one.
using MatrixFlops = uint64_t (*)(Op);
void set_matrix_flops(MatrixFlops who);

// Of a wave in which these lanes are active. Matrix instructions do not look at them.
uint64_t flops(Op op, uint64_t exec);

}  // namespace vgpu::cover
