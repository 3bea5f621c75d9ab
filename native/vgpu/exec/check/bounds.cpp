// VROCM_CHECK=memory: pages are what the device enforces; this enforces the exact size that the
// program asked for.
#include <string>

#include "exec/check/check.h"
#include "exec/check/rules.h"
#include "memory/address_space.h"

namespace vgpu {
namespace {

bool holds(const Allocation& allocation, uint64_t address, uint32_t bytes) {
  return address >= allocation.base && address + bytes <= allocation.base + allocation.bytes;
}

std::string describe(const Allocation& near, int lane, uint64_t address, const AccessShape& shape) {
  uint64_t end = near.base + near.bytes;
  bool behind = address + shape.bytes > end && address >= near.base;
  uint64_t distance = behind ? address + shape.bytes - end : near.base - address;
  const char* verb = shape.touch == Touch::Read ? "reads" : "writes";
  return "lane " + std::to_string(lane) + " " + verb + " " + std::to_string(shape.bytes) +
         " bytes that reach " + std::to_string(distance) + " bytes " +
         (behind ? "behind the end" : "before the start") + " of " + near.label + " (" +
         std::to_string(near.bytes) + " bytes)";
}

}  // namespace

void check_bounds(const Wave& wave, const Inst& inst, const LaneAccess& access) {
  static thread_local Allocation last;
  static thread_local uint64_t epoch = 0;
  if (uint64_t now = AddressSpace::instance().epoch(); now != epoch) {
    last = Allocation{};
    epoch = now;
  }
  for (uint64_t left = access.exec; left; left &= left - 1) {
    int lane = __builtin_ctzll(left);
    uint64_t address = access.at[lane];
    if (in_lds(address) || in_private(address)) continue;
    if (holds(last, address, access.shape.bytes)) continue;
    Allocation near;
    if (!AddressSpace::instance().nearest(address, near)) return;
    last = near;
    if (holds(near, address, access.shape.bytes)) continue;
    report_finding(
        make_finding(wave, wave.pc - inst.bytes, 0, describe(near, lane, address, access.shape)));
    return;
  }
}

}  // namespace vgpu
