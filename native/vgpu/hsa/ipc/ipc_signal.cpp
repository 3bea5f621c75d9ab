#include "hsa/ipc/ipc_signal.h"

#include "hsa/base/aperture.h"
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/memory/allocation.h"

namespace vrocm {
namespace {

std::vector<Agent*> everyone() {
  std::vector<Agent*> all;
  for (const auto& agent : agents()) all.push_back(agent.get());
  return all;
}

// What kind of memory starts at the signal; UNKNOWN for the runtime's own.
hsa_amd_pointer_type_t memory_of(const Signal* signal) {
  Allocations registered;
  const Allocation* allocation = registered.at(signal);
  return allocation ? allocation->type : HSA_EXT_POINTER_TYPE_UNKNOWN;
}

}  // namespace

Signal* create_ipc_signal(int64_t initial_value) {
  Pool& pool = *cpu_agent()->pools.front();
  void* memory = allocate_from(pool, kPageSize, everyone(), "shared signal");
  return memory ? Signal::create_in(memory, initial_value) : nullptr;
}

bool release_ipc_signal(Signal* signal) {
  switch (memory_of(signal)) {
    case HSA_EXT_POINTER_TYPE_HSA:  // what is in the memory stays: others may still use it
      free_allocation(signal);
      return true;
    case HSA_EXT_POINTER_TYPE_IPC: api::hsa_amd_ipc_memory_detach(signal); return true;
    default: return false;
  }
}

namespace api {

hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t signal, hsa_amd_ipc_signal_t* handle) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(handle);
  Signal* object = Signal::from_handle(signal);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_SIGNAL);
  VROCM_REQUIRE_ARGUMENT(memory_of(object) == HSA_EXT_POINTER_TYPE_HSA);
  return api::hsa_amd_ipc_memory_create(object, kPageSize, handle);
}

hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t* handle, hsa_signal_t* signal) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(handle && signal);
  void* mapped = nullptr;
  const hsa_status_t status =
      api::hsa_amd_ipc_memory_attach(handle, kPageSize, 0, nullptr, &mapped);
  if (status != HSA_STATUS_SUCCESS) return status;
  *signal = {reinterpret_cast<uint64_t>(mapped)};
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
