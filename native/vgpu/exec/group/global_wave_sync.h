// The global wave sync (GWS) resources: barriers and semaphores across a dispatch's workgroups.
#pragma once

#include <cstdint>
#include <mutex>

namespace vgpu {

class GlobalWaveSync {
 public:
  static constexpr int kResources = 64;

  // A wave that has to wait keeps `ticket` (0 before) and asks again; true lets it go on. `time`: when it
  // comes; afterwards, when the last one came.
  bool arrive(uint32_t resource, uint32_t participants, uint64_t& ticket, uint64_t& time);
  bool take(uint32_t resource, uint64_t& ticket);

  void init(uint32_t resource, uint32_t value);
  void give(uint32_t resource, uint32_t count);
  void release_all(uint32_t resource);

 private:
  struct Resource {
    uint64_t generation = 1;  // changes when everybody who waits may go
    uint32_t arrived = 0;
    uint64_t latest = 0, released = 0;  // of those who have come; of those who went on last
    uint32_t count = 0;
  };
  std::mutex mutex_;
  Resource resources_[kResources];
};

}  // namespace vgpu
