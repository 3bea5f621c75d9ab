#include "model/sampling/shorten.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

bool is_cut(const GroupTape& group) {
  return std::any_of(group.waves.begin(), group.waves.end(),
                     [](const WaveTape& wave) { return wave.cut(); });
}

// Of many rounds one is simulated at least.
bool are_too_long(const std::vector<GroupTape>& tapes, const LaunchShape& shape) {
  uint64_t steps = 0;
  for (const GroupTape& group : tapes)
    for (const WaveTape& wave : group.waves) steps += wave.executed;
  const uint64_t round = groups_per_round(shape), factor = whole_factor(shape, tapes.size());
  return (factor > 1 ? steps * round / tapes.size() : steps) > factor * kTapedSteps;
}

// Where all that it touched is on its tapes nobody has to be told what was touched before.
void forget_marks(GroupTape& group) {
  if (group.touched_bytes == 0) return;
  group.touched_bytes = 0;
  for (WaveTape& wave : group.waves)
    for (uint64_t& request : wave.lines) request &= ~kTouchedBefore;
}

}  // namespace

void WaveTape::shorten(const TapeRoom& room) {
  if (same) return;  // is short
  bool has_changed = false;
  for (; schedule.shorten(room); has_changed = true)
    for (const WindowSchedule::Thinned& thinned : schedule.thinned())
      drop_every_other(thinned.place, thinned.gap);
  if (!has_changed) return;
  remove_skipped();
  weigh_windows();
  if (cut()) share_visits();
}

void shorten(std::vector<GroupTape>& planned, const LaunchShape& shape, const SamplePlan& plan) {
  if (plan.whole || plan.all || plan.each || plan.traced_units) return;
  if (std::any_of(planned.begin(), planned.end(), is_cut) || are_too_long(planned, shape)) {
    for (GroupTape& group : planned)
      for (WaveTape& wave : group.waves) wave.shorten({plan.most_runs, 0});
    return;
  }
  for (GroupTape& group : planned) forget_marks(group);
}

}  // namespace model
}  // namespace vgpu
