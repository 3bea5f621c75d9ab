#include "memory/placement.h"

#include <algorithm>

namespace vgpu {

void Placement::move(uint64_t begin, uint64_t end, uint32_t agent) {
  if (begin >= end) return;
  auto at = moved_.upper_bound(begin);
  if (at != moved_.begin()) --at;
  while (at != moved_.end() && at->first < end) {
    const Part old = at->second;
    if (old.end <= begin) {
      ++at;
      continue;
    }
    at = moved_.erase(at);
    if (old.begin < begin) moved_[old.begin] = {old.begin, begin, old.owner};
    if (old.end > end) moved_[end] = {end, old.end, old.owner};
  }
  if (agent != kHostAgent) moved_[begin] = {begin, end, agent};
}

std::vector<Placement::Part> Placement::parts(uint64_t begin, uint64_t end) const {
  std::vector<Part> found;
  auto next = moved_.upper_bound(begin);
  if (next != moved_.begin() && std::prev(next)->second.end > begin) --next;
  for (uint64_t at = begin; at < end;) {
    const bool is_moved = next != moved_.end() && next->first <= at;
    const uint64_t until = is_moved ? next->second.end : next != moved_.end() ? next->first : end;
    found.push_back({at, std::min(until, end), is_moved ? next->second.owner : kHostAgent});
    at = found.back().end;
    if (is_moved) ++next;
  }
  return found;
}

}  // namespace vgpu
