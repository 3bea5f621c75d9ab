// Memory pools and regions: what they are, allocating from them, who may access the memory.
#include <algorithm>

#include "hsa/base/answer.h"
#include "hsa/base/aperture.h"
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/memory/allocation.h"
#include "hsa/memory/vmem.h"

namespace vrocm {
namespace {

std::vector<Agent*> everyone() {
  std::vector<Agent*> all;
  for (const auto& agent : agents()) all.push_back(agent.get());
  return all;
}

// The host reaches GPU memory through the PCIe window after asking; GPUs reach foreign memory
// likewise. LDS is nobody's to allocate.
hsa_amd_memory_pool_access_t default_access(const Agent& agent, const Pool& pool) {
  if (pool.segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  return pool.owner == &agent ? HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT
                              : HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT;
}

}  // namespace

namespace api {

hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t agent, hsa_status_t (*callback)(hsa_amd_memory_pool_t memory_pool, void* data),
    void* data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  const Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_AGENT);
  for (const auto& pool : object->pools) {
    const hsa_status_t status = callback({reinterpret_cast<uint64_t>(pool.get())}, data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t memory_pool,
                                          hsa_amd_memory_pool_info_t attribute, void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(value);
  const Pool* pool = pool_from_handle(memory_pool.handle);
  VROCM_REQUIRE(pool, HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  const size_t of_allocatable = pool->allocatable ? 1 : 0;
  switch (attribute) {
    case HSA_AMD_MEMORY_POOL_INFO_SEGMENT: return answer(value, pool->segment);
    case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS: return answer(value, pool->global_flags);
    case HSA_AMD_MEMORY_POOL_INFO_SIZE: return answer(value, pool->bytes);
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED: return answer(value, pool->allocatable);
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
      return answer(value, of_allocatable * kPageSize);
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE:
      return answer(value, of_allocatable * (pool->owner->is_gpu() ? kLargePage : kPageSize));
    case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
      return answer(value, pool->allocatable && !pool->owner->is_gpu());
    case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
      return answer(value, of_allocatable * pool->bytes);
    case HSA_AMD_MEMORY_POOL_INFO_LOCATION:
      return answer(value, pool->owner->is_gpu() ? HSA_AMD_MEMORY_POOL_LOCATION_GPU
                                                 : HSA_AMD_MEMORY_POOL_LOCATION_CPU);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent,
                                                hsa_amd_memory_pool_t memory_pool,
                                                hsa_amd_agent_memory_pool_info_t attribute,
                                                void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(value);
  const Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_AGENT);
  const Pool* pool = pool_from_handle(memory_pool.handle);
  VROCM_REQUIRE(pool, HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  const bool local = pool->owner == object;
  const bool between_gpus = object->is_gpu() && pool->owner->is_gpu();
  switch (attribute) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
      return answer(value, default_access(*object, *pool));
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS: return answer(value, local ? 0u : 1u);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO: {
      if (local) return HSA_STATUS_SUCCESS;
      hsa_amd_memory_pool_link_info_t link{};
      link.atomic_support_32bit = link.atomic_support_64bit = true;
      link.link_type = between_gpus ? HSA_AMD_LINK_INFO_TYPE_XGMI : HSA_AMD_LINK_INFO_TYPE_PCIE;
      link.numa_distance = between_gpus ? 15 : 20;
      return answer(value, link);
    }
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t memory_pool, size_t size,
                                          uint32_t flags, void** ptr) {
  VROCM_REQUIRE_OPEN();
  constexpr uint32_t kKnownFlags = HSA_AMD_MEMORY_POOL_PCIE_FLAG |
                                   HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG |
                                   HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG;
  VROCM_REQUIRE_ARGUMENT(size > 0 && ptr && (flags & ~kKnownFlags) == 0);
  Pool* pool = pool_from_handle(memory_pool.handle);
  VROCM_REQUIRE(pool, HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  VROCM_REQUIRE(pool->allocatable && size <= pool->bytes, HSA_STATUS_ERROR_INVALID_ALLOCATION);
  *ptr = allocate_from(*pool, size, {pool->owner}, "pool allocation");
  VROCM_REQUIRE(*ptr, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_free(void* ptr) { return api::hsa_memory_free(ptr); }

hsa_status_t hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t* agents,
                                         const uint32_t* flags, const void* ptr) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(num_agents && agents && !flags && ptr);
  std::vector<Agent*> access;
  for (uint32_t i = 0; i < num_agents; ++i) {
    Agent* agent = agent_from_handle(agents[i]);
    VROCM_REQUIRE(agent, HSA_STATUS_ERROR_INVALID_AGENT);
    access.push_back(agent);
  }
  Allocations registered;
  Allocation* allocation = registered.find(ptr);
  if (!allocation) return allow_vmem_access(ptr, access);
  if (std::find(access.begin(), access.end(), allocation->owner) == access.end()) {
    access.push_back(allocation->owner);  // the owner never loses its own memory
  }
  if (allocation->type == HSA_EXT_POINTER_TYPE_LOCKED) {
    allocation->access = std::move(access);  // the lock itself grants, until it is undone
  } else {
    set_access(*allocation, std::move(access));
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t src_memory_pool,
                                             hsa_amd_memory_pool_t dst_memory_pool, bool* result) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(result);
  VROCM_REQUIRE(
      pool_from_handle(src_memory_pool.handle) && pool_from_handle(dst_memory_pool.handle),
      HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  *result = false;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_migrate(const void* ptr, hsa_amd_memory_pool_t memory_pool,
                                    uint32_t flags) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && flags == 0);
  VROCM_REQUIRE(pool_from_handle(memory_pool.handle), HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  return HSA_STATUS_ERROR_OUT_OF_RESOURCES;  // what ROCr answers: it does not migrate either
}

// --- Regions: the older names of the same pools, open to every agent from the start -------------

hsa_status_t hsa_agent_iterate_regions(hsa_agent_t agent,
                                       hsa_status_t (*callback)(hsa_region_t region, void* data),
                                       void* data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  const Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_AGENT);
  std::vector<const Agent*> owners{object};
  if (object->is_gpu()) owners.push_back(cpu_agent());  // system memory is everybody's region
  for (const Agent* owner : owners) {
    for (const auto& pool : owner->pools) {
      const hsa_status_t status = callback({reinterpret_cast<uint64_t>(pool.get())}, data);
      if (status != HSA_STATUS_SUCCESS) return status;
    }
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_region_get_info(hsa_region_t region, hsa_region_info_t attribute, void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(value);
  const Pool* pool = pool_from_handle(region.handle);
  VROCM_REQUIRE(pool, HSA_STATUS_ERROR_INVALID_REGION);
  switch (static_cast<int>(attribute)) {
    case HSA_REGION_INFO_ALLOC_MAX_SIZE:
      return answer(value, pool->allocatable ? pool->bytes : size_t{0});
    case HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE: return answer(value, uint32_t{0});
    case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE: return answer(value, pool->allocatable);
    case HSA_AMD_REGION_INFO_BASE: return answer(value, static_cast<void*>(nullptr));
    case HSA_AMD_REGION_INFO_BUS_WIDTH:
    case HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY:
      return api::hsa_agent_get_info(
          pool->owner->handle(),
          static_cast<hsa_agent_info_t>(attribute ==
                                                hsa_region_info_t(HSA_AMD_REGION_INFO_BUS_WIDTH)
                                            ? HSA_AMD_AGENT_INFO_MEMORY_WIDTH
                                            : HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY),
          value);
    default:
      return api::hsa_amd_memory_pool_get_info(
          {region.handle}, static_cast<hsa_amd_memory_pool_info_t>(attribute), value);
  }
}

hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void** ptr) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(size > 0 && ptr);
  Pool* pool = pool_from_handle(region.handle);
  VROCM_REQUIRE(pool, HSA_STATUS_ERROR_INVALID_REGION);
  VROCM_REQUIRE(pool->allocatable && size <= pool->bytes, HSA_STATUS_ERROR_INVALID_ALLOCATION);
  *ptr = allocate_from(*pool, size, everyone(), "region allocation");
  VROCM_REQUIRE(*ptr, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_memory_free(void* ptr) {
  VROCM_REQUIRE_OPEN();
  if (!ptr) return HSA_STATUS_SUCCESS;
  return free_allocation(ptr);
}

hsa_status_t hsa_memory_assign_agent(void* ptr, hsa_agent_t agent, hsa_access_permission_t access) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && access >= HSA_ACCESS_PERMISSION_RO &&
                         access <= HSA_ACCESS_PERMISSION_RW);
  VROCM_REQUIRE(agent_from_handle(agent), HSA_STATUS_ERROR_INVALID_AGENT);
  return HSA_STATUS_SUCCESS;  // all memory is coherent: ownership is not tracked
}

// Registration is a hint for memory that the device can reach anyway; it does not pin.
hsa_status_t hsa_memory_register(void* ptr, size_t size) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && size);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_memory_deregister(void*, size_t) {
  VROCM_REQUIRE_OPEN();
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
