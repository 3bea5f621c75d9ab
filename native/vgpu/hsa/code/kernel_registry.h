// Which kernel a kernel object address belongs to.
#pragma once

#include <cstdint>
#include <string>

namespace vrocm {

struct KernelIdentity {
  uint64_t id;       // 0: not loaded by this runtime
  std::string name;  // symbol without ".kd"
  uint32_t argument_bytes;
};

uint64_t register_kernel(uint64_t kernel_object, const std::string& symbol,
                         uint32_t argument_bytes);  // returns its id
void unregister_kernel(uint64_t kernel_object);
KernelIdentity identify_kernel(uint64_t kernel_object);

}  // namespace vrocm
