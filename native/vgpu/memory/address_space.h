// Which memory the device may touch. GPU addresses are host addresses; access is granted by page.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <shared_mutex>
#include <string>
#include <vector>

#include "memory/access_range.h"
#include "memory/link.h"
#include "memory/placement.h"

namespace vgpu {

enum class MemoryKind : uint8_t { Device, Host, Code };

struct Allocation {
  uint64_t base = 0;
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::Device;
  std::string label;
  uint64_t physical = 0;           // where the model places `base`; given by the address space
  uint32_t device = kFirstDevice;  // that has it, unless the host does
};

class AddressSpace {
 public:
  static constexpr uint64_t kPage = 4096;

  static AddressSpace& instance();

  void map(const Allocation& allocation);
  void unmap(uint64_t base);

  // False when a byte of [low, high) is not accessible. Otherwise `range` has the pages of the
  // allocation around it, or nothing when several allocations hold it together.
  bool find(uint64_t low, uint64_t high, AccessRange& range) const;

  // The allocation that holds `address` or lies nearest to it; false when there is none at all.
  bool nearest(uint64_t address, Allocation& allocation) const;

  // The allocation that holds `address`; false when there is none.
  bool holding(uint64_t address, Allocation& allocation) const;
  bool holding_physical(uint64_t physical, Allocation& allocation) const;

  uint64_t physical_end() const;  // behind all of them

  // Moves pages of host memory to the agent, or back to the host; there they stay until they are
  // unmapped.
  void move(uint64_t base, uint64_t bytes, uint32_t agent);
  // The part of an allocation around `address` that is all with one agent, whose number is returned.
  bool part_holding(uint64_t address, Allocation& part, uint32_t& owner) const;
  // What the agent reaches over a link, by address.
  std::vector<LinkedRange> linked_to(uint32_t agent) const;

  // Changes whenever a remembered AccessRange may have become wrong.
  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }

 private:
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Allocation> allocations_;  // by base
  std::atomic<uint64_t> epoch_{0};
  uint64_t next_physical_ = 0;
  Placement placement_;  // of host memory

  std::vector<Placement::Part> parts_of(const Allocation& allocation) const;
};

}  // namespace vgpu
