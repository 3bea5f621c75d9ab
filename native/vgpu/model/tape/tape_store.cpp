#include "model/tape/tape_store.h"

#include <algorithm>
#include <utility>

namespace vgpu {
namespace model {
namespace {

// Of equal ones the later is given up first.
bool stays_longer(const GroupTape& a, const GroupTape& b) {
  return a.longest != b.longest ? a.longest > b.longest : a.group < b.group;
}

// What is missing at its beginning is taken to pass like the rest. Where that is more than a third, in
// cycles and in steps, a workgroup is rather taken to be like the usual ones, and longer. Those that are
// much longer than these are taped early enough.
bool shows_little(const GroupTape& tape) {
  constexpr uint64_t kMostMissing = 3;  // one of so many
  uint64_t before = 0, steps = 0;
  for (const WaveTape& wave : tape.waves) {
    before += wave.first;
    steps += wave.executed;
  }
  return kMostMissing * tape.before > tape.longest && kMostMissing * before > steps;
}

std::vector<GroupTape> in_order(std::vector<GroupTape> tapes) {
  std::sort(tapes.begin(), tapes.end(),
            [](const GroupTape& a, const GroupTape& b) { return a.group < b.group; });
  return tapes;
}

}  // namespace

void TapeStore::add(GroupTape tape) {
  std::lock_guard lock(mutex_);
  if (tape.planned) {
    planned_.push_back(std::move(tape));
    return;
  }
  if (shows_little(tape)) {
    spare_tapes().give_back(std::move(tape));
    return;
  }
  long_.push_back(std::move(tape));
  std::push_heap(long_.begin(), long_.end(), stays_longer);
  if (long_.size() <= kMostLong) return;
  std::pop_heap(long_.begin(), long_.end(), stays_longer);
  spare_tapes().give_back(std::move(long_.back()));
  long_.pop_back();
}

std::vector<GroupTape> TapeStore::take_planned() { return in_order(std::move(planned_)); }
std::vector<GroupTape> TapeStore::take_long() { return in_order(std::move(long_)); }

}  // namespace model
}  // namespace vgpu
