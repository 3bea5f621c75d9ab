#include "hip/memory/advice.h"

#include <iterator>

namespace vgpu::hip {
namespace {

constexpr uintptr_t kPage = 4096;

int same_or(int first, int second, int otherwise) { return first == second ? first : otherwise; }

void keep_common(std::set<int>& kept, const std::set<int>& other) {
  for (auto it = kept.begin(); it != kept.end();) it = other.count(*it) ? ++it : kept.erase(it);
}

}  // namespace

PageRange::PageRange(uintptr_t address, size_t bytes)
    : begin(address & ~(kPage - 1)), end((address + bytes + kPage - 1) & ~(kPage - 1)) {}

AdviceMap& AdviceMap::get() {
  static AdviceMap* map = new AdviceMap();
  return *map;
}

AdviceMap::Pieces::const_iterator AdviceMap::piece_at(uintptr_t address) const {
  return std::prev(pieces_.upper_bound(address));
}

AdviceMap::Pieces::iterator AdviceMap::split(uintptr_t address) {
  auto piece = std::prev(pieces_.upper_bound(address));
  return piece->first == address ? piece : pieces_.emplace(address, piece->second).first;
}

void AdviceMap::change(PageRange range, const std::function<void(Advice&)>& apply) {
  std::lock_guard<std::mutex> hold(mutex_);
  auto first = split(range.begin);
  const auto last = split(range.end);
  for (; first != last; ++first) apply(first->second);
}

void AdviceMap::forget(PageRange range) {
  std::lock_guard<std::mutex> hold(mutex_);
  auto first = split(range.begin);
  const auto last = split(range.end);
  first->second = Advice{};
  pieces_.erase(std::next(first), last);
}

Advice AdviceMap::common(PageRange range) const {
  std::lock_guard<std::mutex> hold(mutex_);
  auto piece = piece_at(range.begin);
  Advice all = piece->second;
  for (++piece; piece != pieces_.end() && piece->first < range.end; ++piece) {
    const Advice& next = piece->second;
    all.read_mostly = all.read_mostly && next.read_mostly;
    all.preferred = same_or(all.preferred, next.preferred, hipInvalidDeviceId);
    all.prefetched = same_or(all.prefetched, next.prefetched, hipInvalidDeviceId);
    keep_common(all.accessed_by, next.accessed_by);
  }
  return all;
}

bool AdviceMap::coherency_differs(PageRange range) const {
  std::lock_guard<std::mutex> hold(mutex_);
  auto piece = piece_at(range.begin);
  const bool coarse = piece->second.coarse;
  for (++piece; piece != pieces_.end() && piece->first < range.end; ++piece)
    if (piece->second.coarse != coarse) return true;
  return false;
}

}  // namespace vgpu::hip
