#include "memory/address_space.h"

#include <algorithm>
#include <mutex>

namespace vgpu {
namespace {

constexpr uint64_t page_floor(uint64_t a) { return a & ~(AddressSpace::kPage - 1); }
constexpr uint64_t page_ceil(uint64_t a) { return page_floor(a + AddressSpace::kPage - 1); }

uint64_t first_page(const Allocation& a) { return page_floor(a.base); }
uint64_t last_page_end(const Allocation& a) { return page_ceil(a.base + a.bytes); }

uint64_t distance(const Allocation& a, uint64_t address) {
  if (address < a.base) return a.base - address;
  return address < a.base + a.bytes ? 0 : address - (a.base + a.bytes) + 1;
}

}  // namespace

AddressSpace& AddressSpace::instance() {
  static AddressSpace* space = new AddressSpace;  // outlives static destructors of the program
  return *space;
}

void AddressSpace::map(const Allocation& allocation) {
  std::unique_lock lock(mutex_);
  Allocation& kept = allocations_[allocation.base] = allocation;
  // One behind the other, with the alignment of the host address below a page.
  kept.physical = next_physical_ + allocation.base % kPage;
  next_physical_ += page_ceil(allocation.base % kPage + allocation.bytes);
}

void AddressSpace::unmap(uint64_t base) {
  std::unique_lock lock(mutex_);
  const auto known = allocations_.find(base);
  if (known == allocations_.end()) return;
  placement_.move(first_page(known->second), last_page_end(known->second), kHostAgent);
  allocations_.erase(known);
  epoch_.fetch_add(1, std::memory_order_release);
}

bool AddressSpace::find(uint64_t low, uint64_t high, AccessRange& range) const {
  if (high <= low) return false;
  std::shared_lock lock(mutex_);
  // The last allocation that starts on low's page or before; small ones may share a page.
  auto it = allocations_.lower_bound(page_floor(low) + kPage);
  while (it != allocations_.begin()) {
    --it;
    if (last_page_end(it->second) <= low) {
      if (it->first < page_floor(low)) return false;
      continue;
    }
    range = {first_page(it->second), last_page_end(it->second),
             it->second.physical - it->second.base};
    if (high <= range.high) return true;
    // It reaches over several allocations, which have no common `to_physical`: not remembered.
    uint64_t end = range.high;
    for (++it; end < high && it != allocations_.end(); ++it) {
      if (first_page(it->second) > end) return false;
      end = std::max(end, last_page_end(it->second));
    }
    range = AccessRange{};
    return high <= end;
  }
  return false;
}

bool AddressSpace::nearest(uint64_t address, Allocation& allocation) const {
  std::shared_lock lock(mutex_);
  if (allocations_.empty()) return false;
  auto after = allocations_.upper_bound(address);
  auto best = after == allocations_.end() ? std::prev(after) : after;
  if (after != allocations_.begin()) {
    auto before = std::prev(after);
    if (distance(before->second, address) <= distance(best->second, address)) best = before;
  }
  allocation = best->second;
  return true;
}

bool AddressSpace::holding(uint64_t address, Allocation& allocation) const {
  std::shared_lock lock(mutex_);
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin()) return false;
  --it;
  if (address - it->second.base >= it->second.bytes) return false;
  allocation = it->second;
  return true;
}

bool AddressSpace::holding_physical(uint64_t physical, Allocation& allocation) const {
  std::shared_lock lock(mutex_);
  for (const auto& entry : allocations_) {
    if (physical - entry.second.physical >= entry.second.bytes) continue;
    allocation = entry.second;
    return true;
  }
  return false;
}

void AddressSpace::move(uint64_t base, uint64_t bytes, uint32_t agent) {
  std::unique_lock lock(mutex_);
  placement_.move(page_floor(base), page_ceil(base + bytes), agent);
  epoch_.fetch_add(1, std::memory_order_release);
}

std::vector<Placement::Part> AddressSpace::parts_of(const Allocation& allocation) const {
  const uint64_t end = allocation.base + allocation.bytes;
  if (allocation.kind == MemoryKind::Host) return placement_.parts(allocation.base, end);
  return {{allocation.base, end, allocation.device}};
}

bool AddressSpace::part_holding(uint64_t address, Allocation& part, uint32_t& owner) const {
  if (!holding(address, part)) return false;
  std::shared_lock lock(mutex_);
  for (const Placement::Part& one : parts_of(part)) {
    if (one.end <= address) continue;
    part.physical += one.begin - part.base;
    part.base = one.begin;
    part.bytes = one.end - one.begin;
    owner = one.owner;
    return true;
  }
  return false;
}

std::vector<LinkedRange> AddressSpace::linked_to(uint32_t agent) const {
  std::vector<LinkedRange> ranges;
  std::shared_lock lock(mutex_);
  for (const auto& [base, allocation] : allocations_)
    for (const Placement::Part& part : parts_of(allocation)) {
      const Link link = link_between(agent, part.owner);
      if (link == kOwnMemory) continue;
      ranges.push_back({allocation.physical + (part.begin - base),
                        allocation.physical + (part.end - base), link});
    }
  lock.unlock();
  std::sort(ranges.begin(), ranges.end(),
            [](const LinkedRange& a, const LinkedRange& b) { return a.begin < b.begin; });
  return ranges;
}

uint64_t AddressSpace::physical_end() const {
  std::shared_lock lock(mutex_);
  return next_physical_;
}

bool find_range(uint64_t low, uint64_t high, AccessRange& range) {
  return AddressSpace::instance().find(low, high, range);
}

}  // namespace vgpu
