#include "hip/core/memory.h"

#include <cstdio>

#include "hip/core/graph_capture.h"
#include "hip/core/runtime.h"
#include "hip/memory/advice.h"
#include "hip/memory/peers.h"
#include "hip/memory/pool.h"
#include "vrocm/trace.h"

namespace vgpu::hip {
namespace {

// Names the next allocation in fault reports: "hipMalloc #3".
class Label {
 public:
  explicit Label(const char* what) {
    static std::atomic<unsigned> count{0};
    std::snprintf(text_, sizeof text_, "%s #%u", what, ++count);
    vrocm_set_allocation_label(text_);
  }
  ~Label() { vrocm_set_allocation_label(nullptr); }

 private:
  char text_[48];
};

const char* label_of(AllocationKind kind) {
  return kind == AllocationKind::Managed ? "hipMallocManaged" : "hipHostMalloc";
}

}  // namespace

MemoryMap& MemoryMap::get() {
  static MemoryMap* map = new MemoryMap();
  return *map;
}

void MemoryMap::add(Allocation allocation) {
  std::lock_guard<std::mutex> hold(mutex_);
  allocation.id = ++last_id_;
  by_base_[allocation.base] = allocation;
}

void MemoryMap::hand_out_again(const void* base) {
  std::lock_guard<std::mutex> hold(mutex_);
  auto found = by_base_.find(reinterpret_cast<uintptr_t>(base));
  if (found != by_base_.end()) found->second.id = ++last_id_;
}

std::optional<Allocation> MemoryMap::remove(const void* base) {
  std::lock_guard<std::mutex> hold(mutex_);
  auto found = by_base_.find(reinterpret_cast<uintptr_t>(base));
  if (found == by_base_.end()) return std::nullopt;
  Allocation allocation = found->second;
  by_base_.erase(found);
  return allocation;
}

const Allocation* MemoryMap::around(const void* pointer) const {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto above = by_base_.upper_bound(address);
  if (above == by_base_.begin()) return nullptr;
  const Allocation& allocation = std::prev(above)->second;
  return address - allocation.base < allocation.bytes ? &allocation : nullptr;
}

std::optional<Allocation> MemoryMap::find(const void* pointer) const {
  std::lock_guard<std::mutex> hold(mutex_);
  const Allocation* found = around(pointer);
  return found ? std::optional<Allocation>(*found) : std::nullopt;
}

bool MemoryMap::set_waits_for_copies(const void* pointer, bool waits) {
  std::lock_guard<std::mutex> hold(mutex_);
  const Allocation* found = around(pointer);
  if (found) by_base_[found->base].waits_for_copies = waits;
  return found != nullptr;
}

void MemoryMap::mark_as_array(const void* base) {
  std::lock_guard<std::mutex> hold(mutex_);
  by_base_[reinterpret_cast<uintptr_t>(base)].is_array = true;
}

std::vector<Allocation> MemoryMap::of_device(int device) const {
  std::vector<Allocation> found;
  std::lock_guard<std::mutex> hold(mutex_);
  for (auto& [base, allocation] : by_base_)
    if (allocation.kind == AllocationKind::Device && allocation.device == device)
      found.push_back(allocation);
  return found;
}

bool is_device_kind(AllocationKind kind) {
  return kind == AllocationKind::Device || kind == AllocationKind::Borrowed ||
         kind == AllocationKind::Imported;
}

hipError_t allocate_device(void** pointer, size_t bytes, unsigned flags) {
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  if (hipError_t status = capture_forbids_waiting()) return status;
  return allocate_on(runtime.current(), pointer, bytes, flags);
}

hipError_t allocate_on(Device& device, void** pointer, size_t bytes, unsigned flags) {
  if (!pointer) return hipErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return hipSuccess;
  if (bytes > device.memory_bytes - device.used_bytes) return hipErrorOutOfMemory;
  Label label("hipMalloc");
  bool fine = flags & (hipDeviceMallocFinegrained | hipDeviceMallocUncached);
  void* memory = nullptr;
  if (hsa_amd_memory_pool_allocate(fine ? device.fine : device.coarse, bytes, 0, &memory) !=
      HSA_STATUS_SUCCESS)
    return hipErrorOutOfMemory;
  open_to_peers(device, memory);
  device.used_bytes += bytes;
  MemoryMap::get().add({reinterpret_cast<uintptr_t>(memory), bytes, AllocationKind::Device,
                        device.index, flags, nullptr});
  *pointer = memory;
  return hipSuccess;
}

hipError_t allocate_host(void** pointer, size_t bytes, unsigned flags, AllocationKind kind) {
  if (!pointer) return hipErrorInvalidValue;
  *pointer = nullptr;
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  if (hipError_t status = capture_forbids_waiting()) return status;
  if (bytes == 0) return hipSuccess;
  constexpr unsigned kCoherence = hipHostMallocCoherent | hipHostMallocNonCoherent;
  if (kind == AllocationKind::Pinned && (flags & kCoherence) == kCoherence)
    return hipErrorInvalidValue;
  Label label(label_of(kind));
  bool coarse = flags & hipHostMallocNonCoherent;
  void* memory = nullptr;
  if (hsa_amd_memory_pool_allocate(coarse ? runtime.host_coarse() : runtime.host_fine(), bytes, 0,
                                   &memory) != HSA_STATUS_SUCCESS)
    return hipErrorOutOfMemory;
  for (int i = 0; i < runtime.device_count(); ++i)
    hsa_amd_agents_allow_access(1, &runtime.device(i).agent, nullptr, memory);
  MemoryMap::get().add(
      {reinterpret_cast<uintptr_t>(memory), bytes, kind, runtime.current_index(), flags, nullptr});
  *pointer = memory;
  return hipSuccess;
}

hipError_t release(void* pointer) {
  if (!pointer) return hipSuccess;
  Runtime& runtime = Runtime::get();
  if (runtime.status() != hipSuccess) return runtime.status();
  std::optional<Allocation> known = MemoryMap::get().find(pointer);
  if (!known || is_parked(pointer)) return hipErrorInvalidValue;
  // A free waits for the device: work that uses the memory may still be queued.
  runtime.synchronize_device(runtime.device(known->device));
  return release_now(pointer);
}

hipError_t release_now(void* pointer) {
  std::optional<Allocation> known = MemoryMap::get().find(pointer);
  if (!known || known->base != reinterpret_cast<uintptr_t>(pointer) ||
      known->kind == AllocationKind::Registered || known->kind == AllocationKind::Borrowed)
    return hipErrorInvalidValue;
  MemoryMap::get().remove(pointer);
  leave_pool(pointer);
  if (known->kind == AllocationKind::Managed) AdviceMap::get().forget({known->base, known->bytes});
  if (known->kind == AllocationKind::Device)
    Runtime::get().device(known->device).used_bytes -= known->bytes;
  const hsa_status_t status = known->kind == AllocationKind::Imported
                                  ? hsa_amd_ipc_memory_detach(pointer)
                                  : hsa_amd_memory_pool_free(pointer);
  return status == HSA_STATUS_SUCCESS ? hipSuccess : hipErrorInvalidValue;
}

bool range_is_valid(const void* address, size_t bytes) {
  if (!address) return bytes == 0;
  std::optional<Allocation> known = MemoryMap::get().find(address);
  if (!known) return true;  // the program's own memory: the host would fault, as with memcpy
  return bytes <= known->base + known->bytes - reinterpret_cast<uintptr_t>(address);
}

bool is_inside_allocation(const void* address, size_t bytes) {
  return MemoryMap::get().find(address) && range_is_valid(address, bytes);
}

bool is_same_allocation(const void* base, const void* place) {
  std::optional<Allocation> known = MemoryMap::get().find(base);
  if (!known) return true;
  return reinterpret_cast<uintptr_t>(place) - known->base < known->bytes;
}

bool is_device_address(const void* address) {
  std::optional<Allocation> known = MemoryMap::get().find(address);
  return known && is_device_kind(known->kind);
}

bool is_pageable_host(const void* address) { return !MemoryMap::get().find(address); }

}  // namespace vgpu::hip
