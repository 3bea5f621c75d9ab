// What kernels use of a device at which time, and what they leave to others.
#pragma once

#include <cstdint>
#include <vector>

#include "hsa/queue/device_calendar.h"

namespace vrocm {

class SharedTime {
 public:
  // Finds the time of a kernel among those that were settled before, and keeps it.
  KernelSpan settle(const KernelWish& wish);

 private:
  // Between two times that somebody begins or ends at.
  struct Use {
    uint64_t device;
    KernelSpan span;
    vgpu::model::Demand of;
  };
  std::vector<uint64_t> changes_behind(uint64_t device, uint64_t time) const;
  vgpu::model::Demand free_at(uint64_t device, uint64_t time) const;
  void remember(const Use& use);

  std::vector<Use> uses_;
};

}  // namespace vrocm
