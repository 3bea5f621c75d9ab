#include "model/tape/step_pattern.h"

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

namespace vgpu {
namespace model {
namespace {

constexpr size_t kMostShared = 1024;  // steps
constexpr size_t kMostSpare = 64;

static_assert(std::has_unique_object_representations_v<Step>, "compared as memory");
static_assert(std::has_unique_object_representations_v<TapeAccess>, "compared as memory");

bool is_same(const TapeWindow& a, const TapeWindow& b) {
  return a.first == b.first && a.place == b.place && a.begins_run == b.begins_run &&
         a.look == b.look && a.visit == b.visit && a.barriers == b.barriers && a.code == b.code &&
         a.weight == b.weight;
}

template <class Thing>
bool same_memory(const std::vector<Thing>& a, const std::vector<Thing>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Thing)) == 0;
}

bool is_same(const StepPattern& a, const StepPattern& b) {
  if (!same_memory(a.steps, b.steps) || !same_memory(a.accesses, b.accesses)) return false;
  if (a.windows.size() != b.windows.size()) return false;
  for (size_t n = 0; n < a.windows.size(); ++n)
    if (!is_same(a.windows[n], b.windows[n])) return false;
  return true;
}

// Of what tells most of them apart.
uint64_t hash_of(const StepPattern& pattern) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  uint64_t hash = pattern.windows.size() << 32 | pattern.accesses.size();
  for (const Step& step : pattern.steps)
    hash = hash * kFactor + (reinterpret_cast<uintptr_t>(step.slot) ^ uint64_t(step.detail) << 40);
  for (const TapeAccess& access : pattern.accesses)
    hash = hash * kFactor + (uint64_t(access.first) << 32 | access.count << 16 | access.lanes);
  return hash * kFactor;
}

// What waves of this host thread did lately. A pattern is kept when it is seen for the second time.
struct Seen {
  uint64_t hash = 0;
  std::shared_ptr<const StepPattern> pattern;
};
Seen& seen(uint64_t hash) {
  static thread_local std::array<Seen, 64> all;
  return all[hash >> 58];
}

std::vector<StepPattern>& spare_patterns() {
  static thread_local std::vector<StepPattern> spare;
  return spare;
}

}  // namespace

void StepPattern::start() {
  if (steps.capacity() == 0 && !spare_patterns().empty()) {
    *this = std::move(spare_patterns().back());
    spare_patterns().pop_back();
  }
  steps.clear();
  windows.clear();
  accesses.assign(1, TapeAccess{});
}

std::shared_ptr<const StepPattern> share(StepPattern& pattern) {
  if (pattern.steps.size() > kMostShared) return nullptr;
  const uint64_t hash = hash_of(pattern);
  Seen& known = seen(hash);
  if (known.hash != hash) {
    known = {hash, nullptr};
    return nullptr;
  }
  if (!known.pattern) known.pattern = std::make_shared<const StepPattern>(pattern);
  if (!is_same(*known.pattern, pattern)) return nullptr;
  if (spare_patterns().size() < kMostSpare) spare_patterns().push_back(std::move(pattern));
  pattern = {};
  return known.pattern;
}

}  // namespace model
}  // namespace vgpu
