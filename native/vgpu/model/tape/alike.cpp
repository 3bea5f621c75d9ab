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

// Which lines of a workgroup others touch at other steps than it does.
class LinesOfOne {
 public:
  explicit LinesOfOne(const GroupTape& group) : group_(group) {
    for (const WaveTape& wave : group.waves)
      for (uint64_t request : wave.lines) lines_.push_back(line_of(request));
    std::sort(lines_.begin(), lines_.end());
    lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
    shared_.resize(lines_.size());
    for (uint64_t line : lines_) filter_[place(line)] = 1;
  }

  void compare(const GroupTape& other) {
    for (size_t w = 0; w < std::min(other.waves.size(), group_.waves.size()); ++w) {
      const std::vector<uint64_t>&theirs = other.waves[w].lines, &ours = group_.waves[w].lines;
      for (size_t n = 0; n < theirs.size(); ++n) {
        const uint64_t line = line_of(theirs[n]);
        if (!filter_[place(line)] || (n < ours.size() && line_of(ours[n]) == line)) continue;
        const auto found = std::lower_bound(lines_.begin(), lines_.end(), line);
        if (found != lines_.end() && *found == line) shared_[size_t(found - lines_.begin())] = 1;
      }
    }
  }
  bool most_are_shared() const {
    return 2 * size_t(std::count(shared_.begin(), shared_.end(), 1)) > lines_.size();
  }

 private:
  static constexpr uint64_t kPlaces = 1 << 14;
  static uint64_t place(uint64_t line) { return line % kPlaces; }

  const GroupTape& group_;
  std::vector<uint64_t> lines_;
  std::vector<uint8_t> shared_;  // each of them
  std::vector<uint8_t> filter_ =
      std::vector<uint8_t>(kPlaces);  // by place: one of them may lie there
};

}  // namespace

bool follow_each_other(const std::vector<GroupTape>& tapes) {
  constexpr size_t kNear = 32;  // as far as neighbours are compared
  const size_t middle = tapes.size() / 2, end = std::min(tapes.size(), middle + kNear + 1);
  LinesOfOne lines(tapes[middle]);
  for (size_t n = middle - std::min(middle, kNear); n < end; ++n)
    if (n != middle) lines.compare(tapes[n]);
  return lines.most_are_shared();
}

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
