// When kernels that run at the same time have the device's CUs.
#pragma once

#include <cstdint>

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

// Settles a kernel of a device that could start at `start_ns` and takes `duration_ns` alone, with `share` of the
// CUs' room for workgroups. It gets what kernels submitted before leave free. Waits until those that
// the HIP runtime announced before its call are settled, so that the result does not depend on
// which worker of a stream is faster. Correlation 0: the kernel is nobody's and shares nothing.
KernelSpan settle_kernel(uint64_t device, uint64_t correlation, uint64_t start_ns,
                         uint64_t duration_ns, double share);

}  // namespace vrocm
