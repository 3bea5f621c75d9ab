// As hipamd/src/hip_memory.cpp of ROCm/clr: ihipMemcpy, ihipMemcpyParam3D, ihipMemset, ihipMemset3D.
#include "hip/copy/host_waits.h"

#include "hip/core/memory.h"

namespace vgpu::hip {
namespace {

// Memory that ROCm counts as the host's: pinned, registered and managed memory, and signals.
bool counts_as_host(const Allocation& memory) {
  return !is_device_kind(memory.kind) || memory.flags == hipMallocSignalMemory;
}

bool is_inside_one_device(const Allocation& target, const Allocation& source) {
  return !counts_as_host(target) && !counts_as_host(source) && target.device == source.device &&
         !target.is_array && !source.is_array;
}

}  // namespace

bool copy_holds_host(const void* target, const void* source, bool synchronous) {
  const std::optional<Allocation> to = MemoryMap::get().find(target);
  const std::optional<Allocation> from = MemoryMap::get().find(source);
  if (!to || !from) return true;                                  // pageable memory
  if (counts_as_host(*to) && counts_as_host(*from)) return true;  // also from pinned to pinned
  if (!synchronous) return false;
  if (!is_inside_one_device(*to, *from)) return true;
  return to->waits_for_copies && from->waits_for_copies;
}

bool fill_holds_host(const void* target, bool synchronous) {
  if (!synchronous) return false;
  const std::optional<Allocation> memory = MemoryMap::get().find(target);
  if (!memory || counts_as_host(*memory) || memory->flags == hipDeviceMallocFinegrained)
    return true;
  // ROCm's fills look at SYNC_MEMOPS the wrong way round; here they do what its manual says.
  return memory->waits_for_copies || memory->base != reinterpret_cast<uintptr_t>(target);
}

}  // namespace vgpu::hip
