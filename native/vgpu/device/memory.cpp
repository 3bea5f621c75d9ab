#include "device/device.h"
#include "exec/check/check.h"
#include "exec/code/code.h"

namespace vgpu {

void map_memory(uint64_t base, size_t bytes, MemoryKind kind, const std::string& label,
                uint32_t device) {
  check_memory_mapped(base, bytes, kind);
  AddressSpace::instance().map({base, bytes, kind, label, 0, device});
}

void unmap_memory(uint64_t base) {
  forget_code_in_memory(base);
  AddressSpace::instance().unmap(base);
}

void move_memory(uint64_t base, size_t bytes, uint32_t agent) {
  AddressSpace::instance().move(base, bytes, agent);
}

bool memory_accessible(uint64_t address, size_t bytes) {
  AccessRange range;
  return bytes == 0 || AddressSpace::instance().find(address, address + bytes, range);
}

}  // namespace vgpu
