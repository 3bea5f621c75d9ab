// hsa_amd_vmem_*: reserve addresses, create memory, map one to the other, share it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hsa/base/aperture.h"
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/memory/vmem_state.h"

namespace vrocm {
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
  *memory_handle = adopt({object, size, type, fd});
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle) {
  VROCM_REQUIRE_OPEN();
  std::lock_guard<std::mutex> lock(vmem().mutex);
  PhysicalMemory* memory = memory_from(memory_handle);
  VROCM_REQUIRE(memory && memory->references > 0, HSA_STATUS_ERROR_INVALID_ALLOCATION);
  --memory->references;
  release_if_unused(memory_handle);  // mappings keep it alive
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
  VROCM_REQUIRE_ARGUMENT(holding(vmem().reservations, address, size) != vmem().reservations.end());
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
  *handle = adopt({pool ? pool : cpu_agent()->pools.front().get(),
                   static_cast<size_t>(info.st_size), MEMORY_TYPE_NONE, fd});
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t* memory_handle,
                                              void* addr) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(memory_handle && addr);
  std::lock_guard<std::mutex> lock(vmem().mutex);
  const auto it = holding(vmem().mappings, reinterpret_cast<uint64_t>(addr), 1);
  VROCM_REQUIRE(it != vmem().mappings.end(), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ++it->second.memory->references;
  *memory_handle = handle_of(it->second.memory);
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
