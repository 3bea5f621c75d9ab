// Steps that cost nothing: of a mechanism that is free, or at a place.
#include "model/xcd/xcd.h"

namespace vgpu {
namespace model {

InstructionKind Xcd::kind_at(const Step& step) const {
  InstructionKind kind = kind_of(step.slot->inst, kinds_);
  if (is_spill(step)) kind.issue = kind.turn = 0;
  if (is_free_here(step)) {
    kind.issue = kind.latency = kind.turn = 0;
    kind.alone = false;
    kind.free = true;
  }
  return kind;
}

// Free: what it asks for is in the caches from now on, and there at once.
void Xcd::pass_memory(WaveClock& wave, const Step& step, double now) {
  for_members(wave, step, [&](uint32_t member, const TapeAccess& access, const uint64_t* lines) {
    memory_.touch(wave.unit + int(member), access, lines, now);
  });
  const Unit unit = step.slot->unit;
  if (unit != Unit::Smem) wave.vector.add(now);
  if (unit != Unit::Vmem) wave.scalar_and_lds.add(now);
}

}  // namespace model
}  // namespace vgpu
