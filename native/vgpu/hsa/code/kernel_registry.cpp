#include "hsa/code/kernel_registry.h"

#include <map>
#include <mutex>

namespace vrocm {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<uint64_t, KernelIdentity> kernels;
  uint64_t last_id = 0;
};

Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

}  // namespace

uint64_t register_kernel(uint64_t kernel_object, const std::string& symbol,
                         uint32_t argument_bytes) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  const size_t suffix = symbol.rfind(".kd");
  r.kernels[kernel_object] = {++r.last_id, symbol.substr(0, suffix), argument_bytes};
  return r.last_id;
}

void unregister_kernel(uint64_t kernel_object) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  r.kernels.erase(kernel_object);
}

KernelIdentity identify_kernel(uint64_t kernel_object) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  const auto it = r.kernels.find(kernel_object);
  return it == r.kernels.end() ? KernelIdentity{0, "unknown kernel", 0} : it->second;
}

}  // namespace vrocm
