// VROCM_CHECK=divide: an integer division by zero, which C++ does not define. The compiler divides by
// way of v_rcp_iflag_f32, which nothing else uses.
#include <string>

#include "exec/check/check.h"
#include "exec/check/rules.h"
#include "exec/cover/lane_operands.h"

namespace vgpu {

void check_divide(const Wave& wave, const Inst& inst) {
  if (inst.op != Op::v_rcp_iflag_f32) return;
  constexpr uint64_t kWithoutSign = 0x7fff'ffff;
  const cover::LaneOperands operands(wave, inst);
  for (uint64_t left = operands.active(); left; left &= left - 1) {
    const int lane = __builtin_ctzll(left);
    if (operands.value(0, lane) & kWithoutSign) continue;
    report_finding(make_finding(wave, wave.pc - inst.bytes, 0,
                                "lane " + std::to_string(lane) + " divides an integer by zero"));
    return;
  }
}

}  // namespace vgpu
