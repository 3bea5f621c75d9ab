#include "model/tape/twin.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

bool has_lines(const WaveTape& wave, const Step& step) {
  if (step.detail == 0 || step.slot->unit == Unit::Lds) return false;
  const TapeAccess& access = wave.did().accesses[step.detail];
  return access.count > 0 && !access.scalar && !access.link;
}

uint64_t first_line(const WaveTape& wave, const Step& step) {
  return line_of(wave.lines[wave.did().accesses[step.detail].first]);
}

// How many lines behind the memory of `other` that of `late` lies, as far as both are seen to do the
// same at their ends; 0 when that is not the same everywhere.
int64_t lines_apart(const WaveTape& late, const WaveTape& other) {
  const std::vector<Step>&my_steps = late.did().steps, &their_steps = other.did().steps;
  const size_t both = std::min(my_steps.size(), their_steps.size());
  int64_t apart = 0;
  bool known = false;
  for (size_t back = 1; back <= both; ++back) {
    const Step& mine = my_steps[my_steps.size() - back];
    const Step& theirs = their_steps[their_steps.size() - back];
    if (mine.slot != theirs.slot) break;
    if (!has_lines(late, mine) || !has_lines(other, theirs)) continue;
    const int64_t here = int64_t(first_line(late, mine)) - int64_t(first_line(other, theirs));
    if (known && here != apart) return 0;
    apart = here;
    known = true;
  }
  return apart;
}

void move_lines(WaveTape& wave, int64_t by) {
  for (const TapeAccess& access : wave.did().accesses) {
    if (access.scalar || access.link) continue;
    for (uint32_t n = access.first; n < access.first + access.count; ++n)
      wave.lines[n] = uint64_t(int64_t(wave.lines[n]) + by * int64_t(request_of(1)));
  }
}

}  // namespace

void represent_late_waves(GroupTape& tape) {
  for (WaveTape& late : tape.waves) {
    if (late.first == 0) continue;
    const auto other = std::find_if(
        tape.waves.begin(), tape.waves.end(),
        [&](const WaveTape& wave) { return wave.first == 0 && wave.executed == late.executed; });
    if (other == tape.waves.end()) continue;
    const int64_t apart = lines_apart(late, *other);
    late = *other;
    move_lines(late, apart);
  }
}

}  // namespace model
}  // namespace vgpu
