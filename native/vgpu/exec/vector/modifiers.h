// What encodings add around an opcode: lane permutation (DPP), sub-dword selection (SDWA), half
// selection, negation and absolute value on the way in; output scaling, clamping and partial writes
// on the way out. All work on prepared rows of 64 lanes.
#pragma once

#include "exec/vector/opcode/op.h"

namespace vgpu {
namespace VGPU_TARGET {

// Lane whose value `lane` receives under a DPP control, or -1 when it lies outside.
int dpp_source_lane(unsigned control, int lane);

// Permutes `rows` in place and returns the lanes whose result is written (before exec): those
// without a valid source read 0 or are left out.
u64 apply_dpp(const Dpp& dpp, u64 exec, u32* rows, int dwords);

// Which halves (dwords for PackedF32) of a source an operation takes as low and high, and whether
// it negates them.
struct PackedSelection {
  bool low = false, high = true, negate_low = false, negate_high = false;
  bool is_default() const { return !low && high && !negate_low && !negate_high; }
};
PackedSelection packed_selection(const Inst& inst, int index, Shape shape);

// The part of a source that SDWA selects: `rows` itself or `selected`, which may be `rows`.
constexpr uint8_t kWholeDword = 6;
const u32* select_parts(const Sdwa& sdwa, int index, const u32* rows, u32* selected);
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
