#include "memory_history.h"

#include <algorithm>

#include "structure.h"

namespace vgpu {
namespace model {
namespace {

// A number in [0, 1) that depends on the line only.
double chance(uint64_t line) {
  uint64_t h = line * 0x9e3779b97f4a7c15u;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return double(h >> 11) * 0x1p-53;
}

// Lines still present when a footprint is swept again. The cache is hashed and not quite LRU: it
// begins to lose lines before it is full and keeps none of a sweep that is a little larger.
double kept_of_sweep(double bytes) {
  using namespace calibration;
  double fill = bytes / double(kMallBytes);
  double x = (fill - kMallFirstLoss) / (kMallAllLost - kMallFirstLoss);
  x = std::clamp(x, 0.0, 1.0);
  return 1 - x * x;
}

}  // namespace

void MemoryHistory::begin(const std::vector<Block>& touched) {
  touched_ = touched;
  footprint_ = 0;
  for (const Block& block : touched_) footprint_ += double(block.bytes);
  reuse_ = kept_of_sweep(footprint_);
}

const MemoryHistory::Resident* MemoryHistory::find(uint64_t address) const {
  for (const Resident& resident : residents_)
    if (address - resident.block.base < resident.block.bytes) return &resident;
  return nullptr;
}

bool MemoryHistory::holds(uint64_t line, bool again) const {
  if (again) return chance(line) < reuse_;
  const Resident* resident = find(line * calibration::kVectorLineBytes);
  return resident && chance(line) < resident->share;
}

bool MemoryHistory::first_touch(uint64_t line) {
  uint64_t page = line * calibration::kVectorLineBytes / uint64_t(calibration::kPageBytes);
  return pages_.insert(page).second;
}

void MemoryHistory::end() {
  ++clock_;
  for (const Block& block : touched_) {
    auto same = std::find_if(residents_.begin(), residents_.end(), [&](const Resident& r) {
      return r.block.base == block.base && r.block.bytes == block.bytes;
    });
    if (same == residents_.end()) {
      residents_.push_back({block, reuse_, clock_});
    } else {
      same->share = reuse_;
      same->used = clock_;
    }
  }
  std::sort(residents_.begin(), residents_.end(), [](const Resident& a, const Resident& b) {
    return a.used != b.used ? a.used > b.used : a.block.base < b.block.base;
  });
  double held = 0;
  size_t kept = 0;
  for (; kept < residents_.size() && held < double(calibration::kMallBytes); ++kept)
    held += residents_[kept].share * double(residents_[kept].block.bytes);
  residents_.resize(kept);
}

}  // namespace model
}  // namespace vgpu
