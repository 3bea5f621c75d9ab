#include "hsa/memory/host_access.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "device/device.h"
#include "hsa/base/aperture.h"

namespace vrocm {
namespace {

struct Range {
  uint64_t begin, end;
  bool operator<(const Range& other) const { return begin < other.begin; }
  bool operator==(const Range& other) const { return begin == other.begin && end == other.end; }
};

struct Grants {
  std::mutex mutex;
  std::vector<Range> ranges;            // as granted, page aligned
  std::map<uint64_t, uint64_t> mapped;  // disjoint runs that the device knows, begin to end
};

Grants& grants() {
  static Grants* instance = new Grants;
  return *instance;
}

Range pages_of(uint64_t base, size_t bytes) {
  return {base / kPageSize * kPageSize, align_up(base + bytes, kPageSize)};
}

// The disjoint union of all ranges; ranges that merely touch stay separate.
std::map<uint64_t, uint64_t> union_of(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::map<uint64_t, uint64_t> runs;
  for (const Range& range : ranges) {
    if (!runs.empty() && range.begin < runs.rbegin()->second) {
      runs.rbegin()->second = std::max(runs.rbegin()->second, range.end);
    } else {
      runs[range.begin] = range.end;
    }
  }
  return runs;
}

// Maps new runs before it unmaps old ones: pages that stay are never inaccessible in between.
void tell_device(Grants& g) {
  const auto wanted = union_of(g.ranges);
  for (const auto& run : wanted) {
    const auto known = g.mapped.find(run.first);
    if (known != g.mapped.end() && known->second == run.second) continue;
    if (known != g.mapped.end() && known->second > run.second) vgpu::unmap_memory(run.first);
    vgpu::map_memory(run.first, run.second - run.first, vgpu::MemoryKind::Host,
                     "registered host memory");
  }
  for (const auto& run : g.mapped) {
    if (wanted.count(run.first) == 0) vgpu::unmap_memory(run.first);
  }
  g.mapped = wanted;
}

}  // namespace

void grant_host_range(uint64_t base, size_t bytes) {
  Grants& g = grants();
  std::lock_guard<std::mutex> lock(g.mutex);
  g.ranges.push_back(pages_of(base, bytes));
  tell_device(g);
}

bool revoke_host_range(uint64_t base, size_t bytes) {
  Grants& g = grants();
  std::lock_guard<std::mutex> lock(g.mutex);
  const auto it = std::find(g.ranges.begin(), g.ranges.end(), pages_of(base, bytes));
  if (it == g.ranges.end()) return false;
  g.ranges.erase(it);
  tell_device(g);
  return true;
}

}  // namespace vrocm
