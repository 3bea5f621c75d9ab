#include "vmem.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include "../exec/device.h"
#include "allocation.h"
#include "api.h"
#include "aperture.h"
#include "runtime.h"

namespace vrocm {
namespace {

struct PhysicalMemory {  // a handle
  Pool* pool;
  size_t bytes;
  hsa_amd_memory_type_t type;
  int fd;                // its content is a file, which may be mapped several times
  int references = 1;
  int mappings = 0;
};

struct Reservation {
  size_t bytes;
  bool in_aperture;      // else mapped from the system, at os_base
  uint64_t os_base;
  size_t os_bytes;
  int mappings = 0;
};

struct Mapping {
  size_t bytes;
  PhysicalMemory* memory;
  Reservation* reservation;
  std::map<Agent*, hsa_access_permission_t> access;
};

struct Vmem {
  std::mutex mutex;
  std::map<uint64_t, Reservation> reservations;  // by address
  std::map<uint64_t, Mapping> mappings;          // by address
  std::map<uint64_t, std::unique_ptr<PhysicalMemory>> memories;  // by handle
};

Vmem& vmem() {
  static Vmem* instance = new Vmem;
  return *instance;
}

// The entry whose [key, key + bytes) holds the whole range, or end().
template <typename Map>
typename Map::iterator holding(Map& map, uint64_t address, size_t bytes) {
  auto it = map.upper_bound(address);
  if (it == map.begin()) return map.end();
  --it;
  const uint64_t within = address - it->first;
  return within < it->second.bytes && bytes <= it->second.bytes - within ? it : map.end();
}

// --- Addresses ----------------------------------------------------------------------------------

// The wanted address inside the aperture or, when free, anywhere else in the address space.
bool reserve_wanted(uint64_t address, size_t bytes, Reservation& reservation) {
  Aperture& aperture = Aperture::get();
  if (aperture.contains(address)) {
    reservation = {bytes, true, 0, 0};
    return aperture.reserve_at(address, bytes);
  }
  void* mapped =
      mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped == MAP_FAILED) return false;
  reservation = {bytes, false, address, bytes};
  if (reinterpret_cast<uint64_t>(mapped) == address) return true;
  munmap(mapped, bytes);  // kernels before 4.17 take the address as a hint
  return false;
}

// ROCr's NO_REGISTER: plain host memory, readable and writable at once.
uint64_t reserve_plain(uint64_t hint, size_t bytes, size_t alignment, Reservation& reservation) {
  const size_t with_slack = bytes + alignment - kPageSize;
  void* mapped = mmap(reinterpret_cast<void*>(hint), with_slack, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return 0;
  reservation = {bytes, false, reinterpret_cast<uint64_t>(mapped), with_slack};
  return align_up(reservation.os_base, alignment);
}

// --- Mappings -----------------------------------------------------------------------------------

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
                     next_label("virtual memory mapping"));
  } else if (had && !has) {
    vgpu::unmap_memory(address);
  }
  return HSA_STATUS_SUCCESS;
}

// All mappings that together are exactly [address, address + bytes), or none.
std::vector<std::map<uint64_t, Mapping>::iterator> mappings_of(uint64_t address, size_t bytes) {
  std::vector<std::map<uint64_t, Mapping>::iterator> found;
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

void release_if_unused(uint64_t handle) {
  const auto it = vmem().memories.find(handle);
  PhysicalMemory& memory = *it->second;
  if (memory.references > 0 || memory.mappings > 0) return;
  close(memory.fd);
  memory.pool->owner->memory_used -= memory.bytes;
  vmem().memories.erase(it);
}

uint64_t handle_of(const PhysicalMemory* memory) { return reinterpret_cast<uint64_t>(memory); }

PhysicalMemory* memory_from(hsa_amd_vmem_alloc_handle_t handle) {
  const auto it = vmem().memories.find(handle.handle);
  return it == vmem().memories.end() ? nullptr : it->second.get();
}

hsa_status_t adopt(PhysicalMemory memory, hsa_amd_vmem_alloc_handle_t* handle) {
  memory.pool->owner->memory_used += memory.bytes;
  auto owned = std::make_unique<PhysicalMemory>(memory);
  handle->handle = handle_of(owned.get());
  vmem().memories[handle->handle] = std::move(owned);
  return HSA_STATUS_SUCCESS;
}

bool overlaps_mapping(uint64_t address, size_t bytes) {
  auto it = vmem().mappings.lower_bound(address);
  if (it != vmem().mappings.end() && it->first < address + bytes) return true;
  if (it == vmem().mappings.begin()) return false;
  --it;
  return it->first + it->second.bytes > address;
}

void unmap_one(std::map<uint64_t, Mapping>::iterator it) {
  Mapping& mapping = it->second;
  if (gpu_has_access(mapping)) vgpu::unmap_memory(it->first);
  Aperture::discard(it->first, mapping.bytes);
  --mapping.reservation->mappings;
  --mapping.memory->mappings;
  const uint64_t handle = handle_of(mapping.memory);
  vmem().mappings.erase(it);
  release_if_unused(handle);
}

}  // namespace

bool describe_vmem(const void* pointer, hsa_amd_pointer_info_t& info,
                   std::vector<Agent*>& access) {
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

namespace api {

hsa_status_t hsa_amd_vmem_address_reserve(void** va, size_t size, uint64_t address,
                                          uint64_t flags) {
  return api::hsa_amd_vmem_address_reserve_align(va, size, address, 0, flags);
}

// A wanted address that is taken is no error: the reservation succeeds elsewhere.
hsa_status_t hsa_amd_vmem_address_reserve_align(void** va, size_t size, uint64_t address,
                                                uint64_t alignment, uint64_t flags) {
  VROCM_REQUIRE_OPEN();
  if (alignment == 0) alignment = kPageSize;
  VROCM_REQUIRE_ARGUMENT(va && size && size % kPageSize == 0);
  VROCM_REQUIRE_ARGUMENT(alignment >= kPageSize && (alignment & (alignment - 1)) == 0);
  std::lock_guard<std::mutex> lock(vmem().mutex);
  Reservation reservation{};
  uint64_t base = 0;
  if (flags & HSA_AMD_VMEM_ADDRESS_NO_REGISTER) {
    base = reserve_plain(address, size, alignment, reservation);
  } else if (address && address % alignment == 0 && reserve_wanted(address, size, reservation)) {
    base = address;
  } else {
    base = Aperture::get().reserve(size, alignment);
    reservation = {size, true, 0, 0};
  }
  VROCM_REQUIRE(base, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  vmem().reservations[base] = reservation;
  *va = reinterpret_cast<void*>(base);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_address_free(void* va, size_t size) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(va && size);
  std::lock_guard<std::mutex> lock(vmem().mutex);
  const auto it = vmem().reservations.find(reinterpret_cast<uint64_t>(va));
  VROCM_REQUIRE(it != vmem().reservations.end(), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  VROCM_REQUIRE_ARGUMENT(size == it->second.bytes);
  VROCM_REQUIRE(it->second.mappings == 0, HSA_STATUS_ERROR_RESOURCE_FREE);
  if (it->second.in_aperture) {
    Aperture::get().release(it->first, size);
  } else {
    munmap(reinterpret_cast<void*>(it->second.os_base), it->second.os_bytes);
  }
  vmem().reservations.erase(it);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size,
                                        hsa_amd_memory_type_t type, uint64_t,
                                        hsa_amd_vmem_alloc_handle_t* memory_handle) {
  VROCM_REQUIRE_OPEN();
  Pool* object = pool_from_handle(pool.handle);
  VROCM_REQUIRE_ARGUMENT(object && object->allocatable && memory_handle);
  VROCM_REQUIRE_ARGUMENT(size && size % kPageSize == 0);
  VROCM_REQUIRE_ARGUMENT(type == MEMORY_TYPE_NONE || type == MEMORY_TYPE_PINNED);
  VROCM_REQUIRE(object->owner->memory_used + size <= object->bytes,
                HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  const int fd = memfd_create("vrocm-memory", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(size)) != 0) {
    if (fd >= 0) close(fd);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  std::lock_guard<std::mutex> lock(vmem().mutex);
  return adopt({object, size, type, fd}, memory_handle);
}

hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle) {
  VROCM_REQUIRE_OPEN();
  std::lock_guard<std::mutex> lock(vmem().mutex);
  PhysicalMemory* memory = memory_from(memory_handle);
  VROCM_REQUIRE(memory && memory->references > 0, HSA_STATUS_ERROR_INVALID_ALLOCATION);
  --memory->references;
  release_if_unused(memory_handle.handle);  // mappings keep it alive
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_map(void* va, size_t size, size_t in_offset,
                              hsa_amd_vmem_alloc_handle_t memory_handle, uint64_t) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(va && size);
  const auto address = reinterpret_cast<uint64_t>(va);
  std::lock_guard<std::mutex> lock(vmem().mutex);
  const auto reserved = holding(vmem().reservations, address, size);
  VROCM_REQUIRE_ARGUMENT(reserved != vmem().reservations.end());
  VROCM_REQUIRE_ARGUMENT(!overlaps_mapping(address, size));
  PhysicalMemory* memory = memory_from(memory_handle);
  VROCM_REQUIRE_ARGUMENT(memory);
  VROCM_REQUIRE(memory->pool->owner->is_gpu(), HSA_STATUS_ERROR_INVALID_AGENT);
  VROCM_REQUIRE_ARGUMENT(in_offset % kPageSize == 0 && in_offset <= memory->bytes &&
                         size <= memory->bytes - in_offset);
  VROCM_REQUIRE(mmap(va, size, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->fd,
                     static_cast<off_t>(in_offset)) != MAP_FAILED,
                HSA_STATUS_ERROR);
  vmem().mappings[address] = {size, memory, &reserved->second, {}};
  ++reserved->second.mappings;
  ++memory->mappings;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_unmap(void* va, size_t size) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(va && size);
  std::lock_guard<std::mutex> lock(vmem().mutex);
  const auto found = mappings_of(reinterpret_cast<uint64_t>(va), size);
  VROCM_REQUIRE(!found.empty(), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  for (const auto& it : found) unmap_one(it);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_set_access(void* va, size_t size,
                                     const hsa_amd_memory_access_desc_t* desc, size_t desc_cnt) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(va && size && desc && desc_cnt);
  for (size_t i = 0; i < desc_cnt; ++i) {
    VROCM_REQUIRE(agent_from_handle(desc[i].agent_handle), HSA_STATUS_ERROR_INVALID_AGENT);
  }
  const auto address = reinterpret_cast<uint64_t>(va);
  std::lock_guard<std::mutex> lock(vmem().mutex);
  VROCM_REQUIRE_ARGUMENT(holding(vmem().reservations, address, size) !=
                         vmem().reservations.end());
  const auto found = mappings_of(address, size);
  VROCM_REQUIRE(!found.empty(), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  for (const auto& it : found) {
    for (size_t i = 0; i < desc_cnt; ++i) {
      const hsa_status_t status = change_access(
          it->first, it->second, agent_from_handle(desc[i].agent_handle), desc[i].permissions);
      if (status != HSA_STATUS_SUCCESS) return status;
    }
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_get_access(void* va, hsa_access_permission_t* perms,
                                     hsa_agent_t agent_handle) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(va && perms);
  *perms = HSA_ACCESS_PERMISSION_NONE;
  std::lock_guard<std::mutex> lock(vmem().mutex);
  const auto it = holding(vmem().mappings, reinterpret_cast<uint64_t>(va), 1);
  VROCM_REQUIRE(it != vmem().mappings.end(), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  Agent* agent = agent_from_handle(agent_handle);
  VROCM_REQUIRE(agent, HSA_STATUS_ERROR_INVALID_AGENT);
  const auto known = it->second.access.find(agent);
  if (known != it->second.access.end()) *perms = known->second;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_export_shareable_handle(int* dmabuf_fd,
                                                  hsa_amd_vmem_alloc_handle_t handle,
                                                  uint64_t flags) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(dmabuf_fd && flags == 0);
  std::lock_guard<std::mutex> lock(vmem().mutex);
  const PhysicalMemory* memory = memory_from(handle);
  VROCM_REQUIRE(memory, HSA_STATUS_ERROR_INVALID_ALLOCATION);
  *dmabuf_fd = fcntl(memory->fd, F_DUPFD_CLOEXEC, 0);
  return *dmabuf_fd >= 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t hsa_amd_vmem_import_shareable_handle(int dmabuf_fd,
                                                  hsa_amd_vmem_alloc_handle_t* handle) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(handle);
  struct stat info;
  VROCM_REQUIRE_ARGUMENT(dmabuf_fd >= 0 && fstat(dmabuf_fd, &info) == 0 && info.st_size > 0);
  const int fd = fcntl(dmabuf_fd, F_DUPFD_CLOEXEC, 0);
  VROCM_REQUIRE(fd >= 0, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  Pool* pool = nullptr;  // the file does not say whose it was; take the first device's memory
  for (const auto& agent : agents()) {
    if (agent->is_gpu() && !pool) pool = agent->pools.front().get();
  }
  std::lock_guard<std::mutex> lock(vmem().mutex);
  return adopt({pool ? pool : cpu_agent()->pools.front().get(),
                static_cast<size_t>(info.st_size), MEMORY_TYPE_NONE, fd},
               handle);
}

hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t* memory_handle,
                                              void* addr) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(memory_handle && addr);
  std::lock_guard<std::mutex> lock(vmem().mutex);
  const auto it = holding(vmem().mappings, reinterpret_cast<uint64_t>(addr), 1);
  VROCM_REQUIRE(it != vmem().mappings.end(), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ++it->second.memory->references;
  memory_handle->handle = handle_of(it->second.memory);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_get_alloc_properties_from_handle(
    hsa_amd_vmem_alloc_handle_t memory_handle, hsa_amd_memory_pool_t* pool,
    hsa_amd_memory_type_t* type) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(pool && type);
  std::lock_guard<std::mutex> lock(vmem().mutex);
  const PhysicalMemory* memory = memory_from(memory_handle);
  VROCM_REQUIRE(memory, HSA_STATUS_ERROR_INVALID_ALLOCATION);
  pool->handle = reinterpret_cast<uint64_t>(memory->pool);
  *type = memory->type;
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
