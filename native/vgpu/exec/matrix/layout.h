// Where the elements of matrix operands lie in registers (CDNA3 ISA, "Matrix Arithmetic").
//
// A lane of A holds consecutive k of one row i, a lane of B consecutive k of one column j:
//   lane = i + M * (block + blocks * group),  k = group * elements_per_lane + e.
// A row of D is M consecutive lanes of one register:
//   f32, i32: row i is in register i % 4 of its quadruple; quadruples fill the lane groups of a
//             register first, then further registers, then (M > 4) the registers of the next block
//   f64:      rows fill the lane groups first, then registers
//   M = 4:    the blocks stand side by side in the lanes
#pragma once

#include "exec/float/bits.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace matrix {

template <int M_, int K_, int Blocks_>
struct Shape {
  static constexpr int M = M_, K = K_, blocks = Blocks_;
  static constexpr int groups = kLanes / (M * blocks);     // lanes that share a row of A
  static constexpr int per_lane = K / groups;              // elements of A or B in one lane
  static constexpr int outputs = M * M * blocks / kLanes;  // elements of D in one lane
  static constexpr int first_lane(int block, int group) { return M * (block + blocks * group); }
};

// The first element of row i of D; `d` has kLanes elements per register.
template <class S, class T>
VGPU_INLINE T* row_of_d(T* d, int block, int i) {
  if constexpr (sizeof(T) == 8) {
    constexpr int rows = kLanes / (S::M * S::blocks);  // rows side by side in one register
    return d + i / rows * kLanes + S::first_lane(block, i % rows);
  } else if constexpr (S::M == 4) {
    return d + i * kLanes + 4 * block;
  } else {
    constexpr int lane_groups = kLanes / S::M;
    const int quad = i / 4;
    const int reg = block * (S::M * S::M / kLanes) + quad / lane_groups * 4 + i % 4;
    return d + reg * kLanes + quad % lane_groups * S::M;
  }
}

}  // namespace matrix
}  // namespace VGPU_TARGET
}  // namespace vgpu
