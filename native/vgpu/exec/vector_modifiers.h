// What encodings add around an opcode: lane permutation (DPP), sub-dword selection (SDWA), half
// selection, negation and absolute value on the way in; output scaling, clamping and partial writes
// on the way out. All work on prepared rows of 64 lanes.
#pragma once

#include "vector_op.h"

namespace vgpu {
namespace VGPU_TARGET {

// Lane whose value `lane` receives under a DPP control, or -1 when it lies outside.
int dpp_source_lane(unsigned control, int lane);

struct DppResult {
  u64 write;  // lanes whose result is written, before exec
};
// Permutes `rows` in place; lanes without a valid source read 0 or are not written.
DppResult apply_dpp(const Dpp& dpp, u64 exec, u32* rows, int dwords);

// One source operand, modified as the encoding says. `index` is its position.
void modify_source(const Inst& inst, int index, Shape shape, u32* rows);
void flush_denormals(Shape shape, u32* rows);

// Output modifier and clamp of floating results.
void scale_result(Shape shape, int omod, u32* rows);
void clamp_result(Shape shape, bool nan_to_zero, u32* rows);

// Places a result among the bits of `old` that stay, in `rows`.
void place_sdwa(const Sdwa& sdwa, const u32* old, u32* rows);
void place_half(bool high, const u32* old, u32* rows);
void place_byte(int byte, const u32* old, u32* rows);

}  // namespace VGPU_TARGET
}  // namespace vgpu
