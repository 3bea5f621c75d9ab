// When kernels that run at the same time have the device's CUs and its memory.
#pragma once

#include <cstdint>

#include "model/bounds/demand.h"

namespace vrocm {

struct KernelSpan {
  uint64_t start, end;
};

// Lives while a kernel executes on the host: others wait for it, however long that takes.
struct KernelExecutes {
  KernelExecutes();
  ~KernelExecutes();
  KernelExecutes(const KernelExecutes&) = delete;
  KernelExecutes& operator=(const KernelExecutes&) = delete;
};

struct KernelWish {
  uint64_t device;
  uint64_t queue;        // its id
  uint64_t correlation;  // 0: the kernel is nobody's and shares nothing
  uint64_t start_ns;     // when it could start
  uint64_t duration_ns;  // alone
  vgpu::model::Demand demand;
};

// Settles a kernel. It gets what kernels submitted before leave free, and starts when the one before it
// in its hardware queue has ended. Waits until those that the HIP runtime announced before its call are
// settled, so that the result does not depend on which worker of a stream is faster.
KernelSpan settle_kernel(const KernelWish& wish);

}  // namespace vrocm
