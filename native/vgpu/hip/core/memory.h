// What memory the program got from HIP, by address: the base of every copy, query and free.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace vgpu::hip {

struct Device;

// Borrowed: device memory that hipFree does not take: variables of modules, mappings, memory of
// another process. Imported: of a pool of another process, which hipFree gives up.
enum class AllocationKind : uint8_t { Device, Pinned, Managed, Registered, Borrowed, Imported };

struct Allocation {
  uintptr_t base = 0;
  size_t bytes = 0;
  AllocationKind kind = AllocationKind::Device;
  int device = 0;
  unsigned flags = 0;
  void* user = nullptr;           // Registered: the program's own pointer
  bool waits_for_copies = false;  // HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS
  bool is_array = false;
  uint32_t id = 0;  // HIP_POINTER_ATTRIBUTE_BUFFER_ID; given by the map, never again
};

class MemoryMap {
 public:
  static MemoryMap& get();
  void add(Allocation allocation);
  void hand_out_again(const void* base);  // memory that the program freed: another allocation
  std::optional<Allocation> remove(const void* base);
  std::optional<Allocation> find(const void* address) const;   // also inside an allocation
  std::vector<Allocation> of_device(int device) const;         // its own memory, hipMalloc'ed
  bool set_waits_for_copies(const void* address, bool waits);  // false: no such memory
  void mark_as_array(const void* base);

 private:
  const Allocation* around(const void* address) const;  // with the mutex held

  mutable std::mutex mutex_;
  std::map<uintptr_t, Allocation> by_base_;
  uint32_t last_id_ = 0;
};

// Device memory; no bytes give a null pointer and success, as HIP does.
hipError_t allocate_on(Device& device, void** pointer, size_t bytes, unsigned flags);
// The same on the current device, for a call of the program: refused during a capture.
hipError_t allocate_device(void** pointer, size_t bytes, unsigned flags = 0);
hipError_t allocate_host(void** pointer, size_t bytes, unsigned flags, AllocationKind kind);
hipError_t release(void* pointer);  // waits for the device first
hipError_t release_now(void* pointer);

// Whether [address, address + bytes) may be used as one side of a copy: host memory of the
// program, or inside one allocation.
bool range_is_valid(const void* address, size_t bytes);
// The same for a fill, which HIP refuses for memory that it does not know.
bool is_inside_allocation(const void* address, size_t bytes);
// Whether a place that was reached from `base` is still in the same allocation. Memory that HIP
// does not know has no end here.
bool is_same_allocation(const void* base, const void* place);
bool is_device_kind(AllocationKind kind);
bool is_device_address(const void* address);
bool is_pageable_host(const void* address);  // not known to HIP: plain malloc or stack

// Of what programs give as an imported file: its number (HIP 7.1) or a pointer to it (before).
int shared_descriptor(const void* given);

}  // namespace vgpu::hip
