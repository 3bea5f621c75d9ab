#include "model/tape/alike.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

// Where lanes are switched off at random the one or other line is not asked for.
bool about_equal(uint64_t a, uint64_t b) {
  constexpr uint64_t kPart = 8;
  return (a > b ? a - b : b - a) * kPart <= std::max(a, b);
}

bool same_windows(const StepPattern& a, const StepPattern& b) {
  return std::equal(a.windows.begin(), a.windows.end(), b.windows.begin(), b.windows.end(),
                    [](const TapeWindow& mine, const TapeWindow& other) {
                      return mine.first == other.first && mine.look == other.look;
                    });
}

bool same_steps(const StepPattern& a, const StepPattern& b) {
  if (a.steps.size() != b.steps.size()) return false;
  uint64_t of_a = 0, of_b = 0;  // cycles of the LDS, where they differ
  for (size_t n = 0; n < a.steps.size(); ++n) {
    const Step &mine = a.steps[n], &other = b.steps[n];
    if (mine.slot != other.slot) return false;
    if (mine.detail == other.detail) continue;
    if (mine.slot->unit != Unit::Lds) return false;
    of_a += mine.detail;
    of_b += other.detail;
  }
  return about_equal(of_a, of_b);
}

bool are_alike(const WaveTape& a, const WaveTape& b) {
  return a.executed == b.executed && a.first == b.first &&
         about_equal(a.lines.size(), b.lines.size()) &&
         ((a.same && a.same == b.same) ||
          (same_windows(a.did(), b.did()) && same_steps(a.did(), b.did())));
}

}  // namespace

bool are_alike(const GroupTape& a, const GroupTape& b) {
  return std::equal(
      a.waves.begin(), a.waves.end(), b.waves.begin(), b.waves.end(),
      [](const WaveTape& mine, const WaveTape& other) { return are_alike(mine, other); });
}

std::vector<uint8_t> like_the_one_before(const std::vector<GroupTape>& tapes) {
  std::vector<uint8_t> alike(tapes.size());
  for (size_t n = 1; n < tapes.size(); ++n) alike[n] = are_alike(tapes[n - 1], tapes[n]);
  return alike;
}

}  // namespace model
}  // namespace vgpu
