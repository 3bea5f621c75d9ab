#include "contents/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "contents/arguments.h"
#include "hooks/gate.h"
#include "hooks/tables.h"

namespace capture {
namespace {

constexpr uint64_t kHostPage = 4096;

struct Book {
  std::mutex mutex;
  std::map<uint64_t, Region> regions;  // by device address
};

Book& book() {
  static Book* instance = new Book;  // the program may allocate until its very end
  return *instance;
}

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

void remember(const Region& region) {
  std::lock_guard<std::mutex> lock(book().mutex);
  book().regions[region.base] = region;
}

void forget(const void* pointer) {
  std::lock_guard<std::mutex> lock(book().mutex);
  const auto it = book().regions.find(address_of(pointer));
  if (it == book().regions.end()) return;
  forget_changes(it->second.base, it->second.size);
  book().regions.erase(it);
}

bool is_gpu(hsa_agent_t agent) {
  hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
  return core().hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_DEVICE, &type) == HSA_STATUS_SUCCESS &&
         type == HSA_DEVICE_TYPE_GPU;
}

// Owner and kind of pool memory, as the runtime knows them, and whether `agent` may touch it.
void complete(Region& region, hsa_agent_t agent) {
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  uint32_t count = 0;
  hsa_agent_t* allowed = nullptr;
  if (amd().hsa_amd_pointer_info_fn(reinterpret_cast<void*>(region.base), &info, std::malloc,
                                    &count, &allowed) != HSA_STATUS_SUCCESS) {
    return;
  }
  const bool host = !is_gpu(info.agentOwner);
  region.kind = host ? MemoryKind::Host : MemoryKind::Device;
  region.owner = host ? 0 : info.agentOwner.handle;
  region.pool_flags = info.global_flags;
  if (host) region.host = address_of(info.hostBaseAddress);
  region.accessible = std::any_of(allowed, allowed + count,
                                  [agent](hsa_agent_t one) { return one.handle == agent.handle; });
  std::free(allowed);
}

bool may_access(const Region& region, hsa_agent_t agent) {
  hsa_access_permission_t permission = HSA_ACCESS_PERMISSION_NONE;
  return amd().hsa_amd_vmem_get_access_fn(reinterpret_cast<void*>(region.base), &permission,
                                          agent) == HSA_STATUS_SUCCESS &&
         permission != HSA_ACCESS_PERMISSION_NONE;
}

// Programs unmap memory of their own without telling the runtime.
bool is_mapped(const Region& region) {
  const uint64_t begin = region.host / kHostPage * kHostPage;
  return msync(reinterpret_cast<void*>(begin), region.host + region.size - begin, MS_ASYNC) == 0;
}

// Attributes of shared memory, and locks, may cover parts of what is known already.
std::vector<Region> without_overlaps(const std::vector<Region>& by_address) {
  std::vector<Region> kept;
  for (Region region : by_address) {
    const uint64_t free = kept.empty() ? 0 : kept.back().base + kept.back().size;
    if (region.base + region.size <= free) continue;
    if (region.base < free) {
      const uint64_t known = free - region.base;
      region.base += known;
      region.size -= known;
      if (region.host) region.host += known;
    }
    kept.push_back(region);
  }
  return kept;
}

// --- Pools and regions ---------------------------------------------------------------------------

hsa_status_t pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags, void** ptr) {
  const Passing pass(gate());
  const hsa_status_t status = amd().hsa_amd_memory_pool_allocate_fn(pool, size, flags, ptr);
  if (status == HSA_STATUS_SUCCESS) {
    Region region;
    region.base = address_of(*ptr);
    region.size = size;
    region.alloc_flags = flags;
    remember(region);
  }
  return status;
}

hsa_status_t pool_free(void* ptr) {
  const Passing pass(gate());
  forget(ptr);
  return amd().hsa_amd_memory_pool_free_fn(ptr);
}

hsa_status_t region_allocate(hsa_region_t from, size_t size, void** ptr) {
  const Passing pass(gate());
  const hsa_status_t status = core().hsa_memory_allocate_fn(from, size, ptr);
  if (status == HSA_STATUS_SUCCESS) {
    Region region;
    region.base = address_of(*ptr);
    region.size = size;
    remember(region);
  }
  return status;
}

hsa_status_t region_free(void* ptr) {
  const Passing pass(gate());
  forget(ptr);
  return core().hsa_memory_free_fn(ptr);
}

// --- Host memory of the program ------------------------------------------------------------------

void remember_host(MemoryKind kind, uint64_t device, const void* host, size_t size,
                   uint32_t flags) {
  Region region;
  region.base = device;
  region.size = size;
  region.kind = kind;
  region.host = address_of(host);
  region.alloc_flags = flags;
  remember(region);
}

hsa_status_t lock(void* host, size_t size, hsa_agent_t* agents, int count, void** agent_ptr) {
  const Passing pass(gate());
  const hsa_status_t status = amd().hsa_amd_memory_lock_fn(host, size, agents, count, agent_ptr);
  if (status == HSA_STATUS_SUCCESS) {
    remember_host(MemoryKind::Locked, address_of(*agent_ptr), host, size, 0);
  }
  return status;
}

hsa_status_t lock_to_pool(void* host, size_t size, hsa_agent_t* agents, int count,
                          hsa_amd_memory_pool_t pool, uint32_t flags, void** agent_ptr) {
  const Passing pass(gate());
  const hsa_status_t status =
      amd().hsa_amd_memory_lock_to_pool_fn(host, size, agents, count, pool, flags, agent_ptr);
  if (status == HSA_STATUS_SUCCESS) {
    remember_host(MemoryKind::Locked, address_of(*agent_ptr), host, size, flags);
  }
  return status;
}

// Locks nest: the memory is gone when the runtime no longer calls it locked.
void forget_unlocked(const void* host) {
  std::lock_guard<std::mutex> guard(book().mutex);
  for (auto it = book().regions.begin(); it != book().regions.end();) {
    const Region& region = it->second;
    hsa_amd_pointer_info_t info{};
    info.size = sizeof info;
    const bool gone =
        region.kind == MemoryKind::Locked && region.host == address_of(host) &&
        (amd().hsa_amd_pointer_info_fn(reinterpret_cast<void*>(region.base), &info, nullptr,
                                       nullptr, nullptr) != HSA_STATUS_SUCCESS ||
         info.type != HSA_EXT_POINTER_TYPE_LOCKED);
    it = gone ? book().regions.erase(it) : std::next(it);
  }
}

hsa_status_t unlock(void* host) {
  const Passing pass(gate());
  const hsa_status_t status = amd().hsa_amd_memory_unlock_fn(host);
  if (status == HSA_STATUS_SUCCESS) forget_unlocked(host);
  return status;
}

hsa_status_t set_svm_attributes(void* ptr, size_t size, hsa_amd_svm_attribute_pair_t* list,
                                size_t count) {
  const Passing pass(gate());
  const hsa_status_t status = amd().hsa_amd_svm_attributes_set_fn(ptr, size, list, count);
  for (size_t i = 0; status == HSA_STATUS_SUCCESS && i < count; ++i) {
    const uint64_t what = list[i].attribute;
    if (what == HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS) forget(ptr);
    if (what == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE ||
        what == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE) {
      remember_host(MemoryKind::Svm, address_of(ptr), ptr, size, 0);
    }
  }
  return status;
}

// --- Other processes -----------------------------------------------------------------------------

hsa_status_t ipc_attach(const hsa_amd_ipc_memory_t* handle, size_t size, uint32_t count,
                        const hsa_agent_t* agents, void** ptr) {
  const Passing pass(gate());
  const hsa_status_t status = amd().hsa_amd_ipc_memory_attach_fn(handle, size, count, agents, ptr);
  if (status == HSA_STATUS_SUCCESS) {
    Region region;
    region.base = address_of(*ptr);
    region.size = size;
    region.kind = MemoryKind::Ipc;
    remember(region);
  }
  return status;
}

hsa_status_t ipc_detach(void* ptr) {
  const Passing pass(gate());
  forget(ptr);
  return amd().hsa_amd_ipc_memory_detach_fn(ptr);
}

// --- Virtual memory: every mapping is a region of its own ----------------------------------------

hsa_status_t vmem_map(void* va, size_t size, size_t offset, hsa_amd_vmem_alloc_handle_t handle,
                      uint64_t flags) {
  const Passing pass(gate());
  const hsa_status_t status = amd().hsa_amd_vmem_map_fn(va, size, offset, handle, flags);
  if (status == HSA_STATUS_SUCCESS) {
    Region region;
    region.base = address_of(va);
    region.size = size;
    region.kind = MemoryKind::Vmem;
    region.handle = handle.handle;
    remember(region);
  }
  return status;
}

hsa_status_t vmem_unmap(void* va, size_t size) {
  const Passing pass(gate());
  const hsa_status_t status = amd().hsa_amd_vmem_unmap_fn(va, size);
  if (status != HSA_STATUS_SUCCESS) return status;
  std::lock_guard<std::mutex> guard(book().mutex);
  auto& regions = book().regions;
  auto it = regions.lower_bound(address_of(va));
  while (it != regions.end() && it->first < address_of(va) + size) {
    it = it->second.kind == MemoryKind::Vmem ? regions.erase(it) : std::next(it);
  }
  return status;
}

// --- Copies by the host, which would change memory under a capture --------------------------------

hsa_status_t memory_copy(void* to, const void* from, size_t size) {
  const Passing pass(gate());
  return core().hsa_memory_copy_fn(to, from, size);
}

hsa_status_t memory_fill(void* ptr, uint32_t value, size_t count) {
  const Passing pass(gate());
  return amd().hsa_amd_memory_fill_fn(ptr, value, count);
}

}  // namespace

const char* name_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::Device: return "device";
    case MemoryKind::Host: return "host";
    case MemoryKind::Vmem: return "vmem";
    case MemoryKind::Locked: return "locked";
    case MemoryKind::Svm: return "svm";
    case MemoryKind::Ipc: return "ipc";
    case MemoryKind::Code: return "code";
  }
  return "unknown";
}

void watch_memory(HsaApiTable* table) {
  table->amd_ext_->hsa_amd_memory_pool_allocate_fn = pool_allocate;
  table->amd_ext_->hsa_amd_memory_pool_free_fn = pool_free;
  table->core_->hsa_memory_allocate_fn = region_allocate;
  table->core_->hsa_memory_free_fn = region_free;
  table->amd_ext_->hsa_amd_memory_lock_fn = lock;
  table->amd_ext_->hsa_amd_memory_lock_to_pool_fn = lock_to_pool;
  table->amd_ext_->hsa_amd_memory_unlock_fn = unlock;
  table->amd_ext_->hsa_amd_svm_attributes_set_fn = set_svm_attributes;
  table->amd_ext_->hsa_amd_ipc_memory_attach_fn = ipc_attach;
  table->amd_ext_->hsa_amd_ipc_memory_detach_fn = ipc_detach;
  table->amd_ext_->hsa_amd_vmem_map_fn = vmem_map;
  table->amd_ext_->hsa_amd_vmem_unmap_fn = vmem_unmap;
  table->core_->hsa_memory_copy_fn = memory_copy;
  table->amd_ext_->hsa_amd_memory_fill_fn = memory_fill;
}

std::vector<Region> reachable_memory(hsa_agent_t agent) {
  std::vector<Region> all;
  {
    std::lock_guard<std::mutex> lock(book().mutex);
    for (const auto& entry : book().regions) all.push_back(entry.second);
  }
  for (Region& region : all) {
    if (region.kind == MemoryKind::Device) complete(region, agent);
    if (region.kind == MemoryKind::Vmem) {
      region.accessible = may_access(region, agent);
      region.owner = agent.handle;
    }
  }
  const auto gone = [](const Region& region) {
    const bool foreign = region.kind == MemoryKind::Locked || region.kind == MemoryKind::Svm;
    return !region.accessible || (foreign && !is_mapped(region));
  };
  all.erase(std::remove_if(all.begin(), all.end(), gone), all.end());
  return without_overlaps(all);
}

}  // namespace capture
