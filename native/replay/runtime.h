// The HSA runtime of the prefix, loaded when the addresses are taken.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <string>

#include "plan.h"

// clang-format off: a list
#define REPLAY_HSA_FUNCTIONS(X)                                                                   \
  X(hsa_init) X(hsa_status_string) X(hsa_iterate_agents) X(hsa_agent_get_info)                    \
  X(hsa_isa_get_info_alt) X(hsa_system_get_info) X(hsa_queue_create)                              \
  X(hsa_queue_add_write_index_screlease) X(hsa_signal_create) X(hsa_signal_store_relaxed)         \
  X(hsa_signal_store_screlease) X(hsa_signal_wait_scacquire) X(hsa_memory_copy)                   \
  X(hsa_code_object_reader_create_from_memory) X(hsa_executable_create_alt)                       \
  X(hsa_executable_load_agent_code_object) X(hsa_executable_freeze)                               \
  X(hsa_executable_get_symbol_by_name) X(hsa_executable_symbol_get_info)                          \
  X(hsa_amd_agent_iterate_memory_pools) X(hsa_amd_memory_pool_get_info)                           \
  X(hsa_amd_memory_pool_allocate) X(hsa_amd_agents_allow_access) X(hsa_amd_memory_lock)           \
  X(hsa_amd_vmem_address_reserve) X(hsa_amd_vmem_handle_create) X(hsa_amd_vmem_map)               \
  X(hsa_amd_vmem_set_access) X(hsa_amd_profiling_set_profiler_enabled)                            \
  X(hsa_amd_profiling_get_dispatch_time)
// clang-format on

namespace replay {

#define REPLAY_MEMBER(name) decltype(&::name) name = nullptr;
struct Hsa {
  REPLAY_HSA_FUNCTIONS(REPLAY_MEMBER)
};
#undef REPLAY_MEMBER

struct Runtime {
  Hsa hsa;
  hsa_agent_t gpu{};
  std::string gpu_name, gpu_product, isa;
  std::string version;  // of the HSA interface
  hsa_amd_memory_pool_t device_pool{}, kernarg_pool{};
  size_t granule = kPage;  // of the device pool
  double ticks_to_ns = 1;  // of timestamps

  // Whether code for `target` runs here: same processor, and no feature the other way round.
  bool runs(const std::string& target) const;
  // Throws when a call failed; `what` says what it was for.
  void check(hsa_status_t status, const std::string& what) const;
  // Between host and device, in either direction.
  void copy(void* to, const void* from, size_t size) const;
};

// Throws Failure when the library, the device or a pool is missing.
Runtime start_runtime(const std::string& library, unsigned device);

}  // namespace replay
