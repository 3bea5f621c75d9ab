#include "exec/group/global_wave_sync.h"

#include <algorithm>
#include <utility>

namespace vgpu {
namespace {

// True when the wave waited for an earlier generation; its ticket is then given back.
bool was_released(uint64_t generation, uint64_t& ticket) {
  if (ticket == 0 || ticket == generation) return false;
  ticket = 0;
  return true;
}

}  // namespace

bool GlobalWaveSync::arrive(uint32_t resource, uint32_t participants, uint64_t& ticket,
                            uint64_t& time) {
  std::lock_guard lock(mutex_);
  Resource& r = resources_[resource % kResources];
  if (was_released(r.generation, ticket)) {
    time = r.released;
    return true;
  }
  if (ticket != 0) return false;
  r.latest = std::max(r.latest, time);
  if (++r.arrived < participants) {
    ticket = r.generation;
    return false;
  }
  r.arrived = 0;
  ++r.generation;
  time = r.released = std::exchange(r.latest, 0);
  return true;
}

bool GlobalWaveSync::take(uint32_t resource, uint64_t& ticket) {
  std::lock_guard lock(mutex_);
  Resource& r = resources_[resource % kResources];
  if (was_released(r.generation, ticket)) return true;
  if (r.count == 0) {
    ticket = r.generation;
    return false;
  }
  --r.count;
  ticket = 0;
  return true;
}

void GlobalWaveSync::init(uint32_t resource, uint32_t value) {
  std::lock_guard lock(mutex_);
  resources_[resource % kResources].count = value;
}

void GlobalWaveSync::give(uint32_t resource, uint32_t count) {
  std::lock_guard lock(mutex_);
  resources_[resource % kResources].count += count;
}

void GlobalWaveSync::release_all(uint32_t resource) {
  std::lock_guard lock(mutex_);
  ++resources_[resource % kResources].generation;
}

}  // namespace vgpu
