// How long the matrix core of a SIMD is busy with an instruction.
#pragma once

#include <cstdint>

#include "isa/inst.h"

namespace vgpu {
namespace model {

// 0 when `op` is no matrix instruction.
uint16_t matrix_cycles(Op op);

// What A holds; F32 when `op` is no matrix instruction.
enum class MatrixElement : uint8_t { F32, Xf32, F16, Bf16, I8, F64, Bf8, Fp8 };
MatrixElement matrix_element(Op op);

// Multiplications and additions of one instruction, each counted as one operation.
uint64_t matrix_operations(Op op);

}  // namespace model
}  // namespace vgpu
