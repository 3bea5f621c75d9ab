#include "hsa/memory/vmem.h"

#include <sys/mman.h>
#include <unistd.h>

#include "device/device.h"
#include "hsa/base/aperture.h"
#include "hsa/base/runtime.h"
#include "hsa/memory/allocation.h"
#include "hsa/memory/vmem_state.h"

namespace vrocm {
namespace {

// The device reads and writes through the host's mapping, so the mapping gets every permission
// that any agent has.
int protection_of(const Mapping& mapping) {
  int protection = PROT_NONE;
  for (const auto& entry : mapping.access) {
    if (entry.second & HSA_ACCESS_PERMISSION_RO) protection |= PROT_READ;
    if (entry.second & HSA_ACCESS_PERMISSION_WO) protection |= PROT_READ | PROT_WRITE;
  }
  return protection;
}

bool gpu_has_access(const Mapping& mapping) {
  for (const auto& entry : mapping.access) {
    if (entry.first->is_gpu() && entry.second != HSA_ACCESS_PERMISSION_NONE) return true;
  }
  return false;
}

}  // namespace

Vmem& vmem() {
  static Vmem* instance = new Vmem;
  return *instance;
}

// --- Addresses ----------------------------------------------------------------------------------

bool reserve_wanted(uint64_t address, size_t bytes, Reservation& reservation) {
  Aperture& aperture = Aperture::get();
  if (aperture.contains(address)) {
    reservation = {bytes, true, 0, 0};
    return aperture.reserve_at(address, bytes);
  }
  void* mapped = mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped == MAP_FAILED) return false;
  reservation = {bytes, false, address, bytes};
  if (reinterpret_cast<uint64_t>(mapped) == address) return true;
  munmap(mapped, bytes);  // kernels before 4.17 take the address as a hint
  return false;
}

uint64_t reserve_plain(uint64_t hint, size_t bytes, size_t alignment, Reservation& reservation) {
  const size_t with_slack = bytes + alignment - kPageSize;
  void* mapped = mmap(reinterpret_cast<void*>(hint), with_slack, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return 0;
  reservation = {bytes, false, reinterpret_cast<uint64_t>(mapped), with_slack};
  return align_up(reservation.os_base, alignment);
}

// --- Mappings -----------------------------------------------------------------------------------

hsa_status_t change_access(uint64_t address, Mapping& mapping, Agent* agent,
                           hsa_access_permission_t permission) {
  const bool had = gpu_has_access(mapping);
  mapping.access[agent] = permission;
  if (mprotect(reinterpret_cast<void*>(address), mapping.bytes, protection_of(mapping)) != 0) {
    return HSA_STATUS_ERROR;
  }
  const bool has = gpu_has_access(mapping);
  if (has && !had) {
    vgpu::map_memory(address, mapping.bytes, vgpu::MemoryKind::Device,
                     next_label("virtual memory mapping"), mapping.memory->pool->owner->node);
  } else if (had && !has) {
    vgpu::unmap_memory(address);
  }
  return HSA_STATUS_SUCCESS;
}

std::vector<MappingAt> mappings_of(uint64_t address, size_t bytes) {
  std::vector<MappingAt> found;
  uint64_t at = address;
  while (at < address + bytes) {
    const auto it = vmem().mappings.find(at);
    if (it == vmem().mappings.end()) return {};
    found.push_back(it);
    at += it->second.bytes;
  }
  if (at != address + bytes) found.clear();
  return found;
}

void release_if_unused(hsa_amd_vmem_alloc_handle_t handle) {
  const auto it = vmem().memories.find(handle.handle);
  PhysicalMemory& memory = *it->second;
  if (memory.references > 0 || memory.mappings > 0) return;
  close(memory.fd);
  memory.pool->owner->memory_used -= memory.bytes;
  vmem().memories.erase(it);
}

hsa_amd_vmem_alloc_handle_t handle_of(const PhysicalMemory* memory) {
  return {reinterpret_cast<uint64_t>(memory)};
}

PhysicalMemory* memory_from(hsa_amd_vmem_alloc_handle_t handle) {
  const auto it = vmem().memories.find(handle.handle);
  return it == vmem().memories.end() ? nullptr : it->second.get();
}

hsa_amd_vmem_alloc_handle_t adopt(const PhysicalMemory& memory) {
  memory.pool->owner->memory_used += memory.bytes;
  auto owned = std::make_unique<PhysicalMemory>(memory);
  const hsa_amd_vmem_alloc_handle_t handle = handle_of(owned.get());
  vmem().memories[handle.handle] = std::move(owned);
  return handle;
}

bool overlaps_mapping(uint64_t address, size_t bytes) {
  auto it = vmem().mappings.lower_bound(address);
  if (it != vmem().mappings.end() && it->first < address + bytes) return true;
  if (it == vmem().mappings.begin()) return false;
  --it;
  return it->first + it->second.bytes > address;
}

void unmap_one(MappingAt at) {
  Mapping& mapping = at->second;
  if (gpu_has_access(mapping)) vgpu::unmap_memory(at->first);
  Aperture::discard(at->first, mapping.bytes);
  --mapping.reservation->mappings;
  --mapping.memory->mappings;
  const hsa_amd_vmem_alloc_handle_t handle = handle_of(mapping.memory);
  vmem().mappings.erase(at);
  release_if_unused(handle);
}

// --- For the functions that take any pointer ----------------------------------------------------

bool describe_vmem(const void* pointer, hsa_amd_pointer_info_t& info, std::vector<Agent*>& access) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  std::lock_guard<std::mutex> lock(vmem().mutex);
  const auto mapping = holding(vmem().mappings, address, 1);
  if (mapping != vmem().mappings.end()) {
    info.type = HSA_EXT_POINTER_TYPE_HSA;
    info.agentBaseAddress = info.hostBaseAddress = reinterpret_cast<void*>(mapping->first);
    info.sizeInBytes = mapping->second.bytes;
    info.agentOwner = mapping->second.memory->pool->owner->handle();
    info.global_flags = mapping->second.memory->pool->global_flags;
    for (const auto& entry : mapping->second.access) access.push_back(entry.first);
    return true;
  }
  const auto reserved = holding(vmem().reservations, address, 1);
  if (reserved == vmem().reservations.end()) return false;
  info.type = HSA_EXT_POINTER_TYPE_RESERVED_ADDR;
  info.agentBaseAddress = info.hostBaseAddress = reinterpret_cast<void*>(reserved->first);
  info.sizeInBytes = reserved->second.bytes;
  return true;
}

hsa_status_t allow_vmem_access(const void* pointer, const std::vector<Agent*>& allowed) {
  std::lock_guard<std::mutex> lock(vmem().mutex);
  const auto it = holding(vmem().mappings, reinterpret_cast<uint64_t>(pointer), 1);
  VROCM_REQUIRE(it != vmem().mappings.end(), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  for (Agent* agent : allowed) {
    const hsa_status_t status =
        change_access(it->first, it->second, agent, HSA_ACCESS_PERMISSION_RW);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

}  // namespace vrocm
