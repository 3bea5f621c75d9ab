// A tool for HSA_TOOLS_LIB: replaces two functions, intercepts queues, and says what it saw.
#include <cstdio>

#include "hsa/hsa_api_trace.h"

static CoreApiTable original_core;
static AmdExtTable original_amd;

static void count_packets(const void* packets, uint64_t count, uint64_t, void*,
                          hsa_amd_queue_intercept_packet_writer writer) {
  std::printf("tool: %llu packets\n", static_cast<unsigned long long>(count));
  writer(packets, count);
}

static hsa_status_t create_queue(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                 void (*callback)(hsa_status_t, hsa_queue_t*, void*), void* data,
                                 uint32_t private_size, uint32_t group_size, hsa_queue_t** queue) {
  std::printf("tool: queue\n");
  const hsa_status_t status = original_amd.hsa_amd_queue_intercept_create_fn(
      agent, size, type, callback, data, private_size, group_size, queue);
  if (status != HSA_STATUS_SUCCESS) return status;
  return original_amd.hsa_amd_queue_intercept_register_fn(*queue, count_packets, nullptr);
}

static hsa_status_t allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags, void** ptr) {
  std::printf("tool: allocate %zu\n", size);
  return original_amd.hsa_amd_memory_pool_allocate_fn(pool, size, flags, ptr);
}

extern "C" {

__attribute__((visibility("default"))) extern const uint32_t HSA_AMD_TOOL_PRIORITY = 50;

__attribute__((visibility("default"))) bool OnLoad(HsaApiTable* table, uint64_t version,
                                                   uint64_t failed_count,
                                                   const char* const* failed_names) {
  std::printf("tool: load version %llu, %llu failed%s%s\n",
              static_cast<unsigned long long>(version),
              static_cast<unsigned long long>(failed_count), failed_count ? ": " : "",
              failed_count ? failed_names[0] : "");
  original_core = *table->core_;
  original_amd = *table->amd_ext_;
  table->core_->hsa_queue_create_fn = create_queue;
  table->amd_ext_->hsa_amd_memory_pool_allocate_fn = allocate;
  return true;
}

__attribute__((visibility("default"))) void OnUnload() { std::printf("tool: unload\n"); }

}  // extern "C"
