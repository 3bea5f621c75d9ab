#include "hsa/memory/allocation.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "device/device.h"
#include "hsa/base/aperture.h"
#include "hsa/trace/trace_sink.h"
#include "vrocm/trace.h"

namespace vrocm {
namespace {

struct Register {
  std::mutex mutex;
  std::map<uint64_t, Allocation> by_base;
};

Register& all() {
  static Register* instance = new Register;
  return *instance;
}

thread_local std::string wanted_label;

bool any_gpu(const std::vector<Agent*>& list) {
  return std::any_of(list.begin(), list.end(), [](Agent* agent) { return agent->is_gpu(); });
}

vgpu::MemoryKind kind_of(const Allocation& allocation) {
  return allocation.owner->is_gpu() ? vgpu::MemoryKind::Device : vgpu::MemoryKind::Host;
}

}  // namespace

Allocations::Allocations() : lock_(all().mutex) {}
Allocations::~Allocations() = default;

Allocation& Allocations::add(Allocation allocation) {
  const uint64_t base = allocation.base;
  return all().by_base.insert_or_assign(base, std::move(allocation)).first->second;
}

Allocation* Allocations::find(const void* pointer) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  auto it = all().by_base.upper_bound(address);
  if (it == all().by_base.begin()) return nullptr;
  --it;
  return address - it->first < it->second.bytes ? &it->second : nullptr;
}

Allocation* Allocations::at(const void* pointer) {
  auto it = all().by_base.find(reinterpret_cast<uint64_t>(pointer));
  return it == all().by_base.end() ? nullptr : &it->second;
}

void Allocations::remove(uint64_t base) { all().by_base.erase(base); }

void set_access(Allocation& allocation, std::vector<Agent*> access) {
  const bool had_gpu = any_gpu(allocation.access);
  const bool has_gpu = any_gpu(access);
  allocation.access = std::move(access);
  if (has_gpu && !had_gpu) {
    vgpu::map_memory(allocation.base, allocation.requested, kind_of(allocation), allocation.label,
                     allocation.owner->node);
  } else if (had_gpu && !has_gpu) {
    vgpu::unmap_memory(allocation.base);
  }
}

std::string next_label(const char* kind) {
  if (!wanted_label.empty()) return wanted_label;
  static std::atomic<uint64_t> count{0};
  return std::string(kind) + " #" + std::to_string(++count);
}

void* allocate_from(Pool& pool, size_t bytes, std::vector<Agent*> access, const char* kind) {
  const size_t mapped = align_up(bytes, kPageSize);
  Agent& owner = *pool.owner;
  if (owner.memory_used.fetch_add(mapped) + mapped > pool.bytes) {
    owner.memory_used -= mapped;
    return nullptr;
  }
  const uint64_t base =
      Aperture::get().reserve(mapped, mapped >= kLargePage ? kLargePage : kPageSize);
  if (!base || !Aperture::commit(base, mapped)) {
    if (base) Aperture::get().release(base, mapped);
    owner.memory_used -= mapped;
    return nullptr;
  }
  Allocation allocation{base,  mapped, bytes,           HSA_EXT_POINTER_TYPE_HSA,
                        &pool, &owner, next_label(kind)};
  {
    Allocations registered;
    set_access(registered.add(std::move(allocation)), std::move(access));
  }
  trace_allocation(reinterpret_cast<void*>(base), bytes, owner, true);
  return reinterpret_cast<void*>(base);
}

hsa_status_t free_allocation(void* pointer) {
  Allocation gone;
  {
    Allocations registered;
    Allocation* found = registered.at(pointer);
    if (!found || found->type != HSA_EXT_POINTER_TYPE_HSA) {
      return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    }
    set_access(*found, {});
    gone = *found;
    registered.remove(gone.base);
  }
  for (const auto& callback : gone.on_free) callback.function(callback.pointer, callback.user_data);
  trace_allocation(pointer, gone.requested, *gone.owner, false);
  Aperture::discard(gone.base, gone.bytes);
  Aperture::get().release(gone.base, gone.bytes);
  if (gone.fd >= 0) close(gone.fd);
  gone.owner->memory_used -= gone.bytes;
  return HSA_STATUS_SUCCESS;
}

}  // namespace vrocm

extern "C" void vrocm_set_allocation_label(const char* label) {
  vrocm::wanted_label = label ? label : "";
}
