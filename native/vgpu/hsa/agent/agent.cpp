// Discovering agents: what the "topology" of the virtual machine is.
#include "hsa/agent/agent.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "hsa/base/api.h"
#include "hsa/base/gfx942.h"
#include "hsa/base/runtime.h"
#include "model/ideal/ideal.h"
#include "model/launch/device_size.h"

namespace vrocm {
namespace {

constexpr long kMaxDevices = 64;

std::vector<std::unique_ptr<Agent>>& agent_list() {
  static auto* list = new std::vector<std::unique_ptr<Agent>>;
  return *list;
}

void add_pool(Agent& agent, hsa_amd_segment_t segment, uint32_t flags, size_t bytes) {
  const bool allocatable = segment == HSA_AMD_SEGMENT_GLOBAL;
  agent.pools.push_back(std::make_unique<Pool>(Pool{&agent, segment, flags, bytes, allocatable}));
}

std::string host_processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "CPU";
}

std::unique_ptr<Agent> make_cpu() {
  auto cpu = std::make_unique<Agent>();
  cpu->type = HSA_DEVICE_TYPE_CPU;
  cpu->node = 0;
  cpu->name = cpu->product_name = host_processor_name();
  cpu->uuid = "CPU-XX";
  cpu->compute_units = std::thread::hardware_concurrency();
  cpu->memory_bytes = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  const size_t bytes = cpu->memory_bytes;
  constexpr uint32_t kFine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
  add_pool(*cpu, HSA_AMD_SEGMENT_GLOBAL, kFine, bytes);
  add_pool(*cpu, HSA_AMD_SEGMENT_GLOBAL,
           HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED, bytes);
  add_pool(*cpu, HSA_AMD_SEGMENT_GLOBAL, kFine | HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT,
           bytes);
  add_pool(*cpu, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED, bytes);
  cpu->caches.push_back(std::make_unique<Cache>(Cache{"L1", 1, 32 << 10}));
  return cpu;
}

std::unique_ptr<Agent> make_gpu(uint32_t index) {
  auto gpu = std::make_unique<Agent>();
  gpu->type = HSA_DEVICE_TYPE_GPU;
  gpu->node = index + 1;
  gpu->name = gfx942::kName;
  gpu->product_name = vgpu::model::with_ideals(vgpu::model::with_device_size(gfx942::kProductName));
  char uuid[32];
  std::snprintf(uuid, sizeof uuid, "GPU-76677075%08x", index);  // "vgpu" and its number
  gpu->uuid = uuid;
  gpu->compute_units = gfx942::kComputeUnits;
  gpu->memory_bytes = gfx942::kMemoryBytes;
  add_pool(*gpu, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED,
           gfx942::kMemoryBytes);
  add_pool(*gpu, HSA_AMD_SEGMENT_GLOBAL,
           HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED, gfx942::kMemoryBytes);
  add_pool(*gpu, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED,
           gfx942::kMemoryBytes);
  add_pool(*gpu, HSA_AMD_SEGMENT_GROUP, 0, gfx942::kLdsBytes);
  for (uint8_t level = 1; level <= 3; ++level) {
    gpu->caches.push_back(std::make_unique<Cache>(
        Cache{gpu->name + " L" + std::to_string(level), level, gfx942::kCacheBytes[level - 1]}));
  }
  return gpu;
}

uint32_t device_count() {
  const char* text = std::getenv("VROCM_DEVICES");
  if (!text || !*text) return 1;
  char* end = nullptr;
  const long count = std::strtol(text, &end, 10);
  if (*end == '\0' && count >= 0 && count <= kMaxDevices) return static_cast<uint32_t>(count);
  std::fprintf(stderr,
               "virtual ROCm: VROCM_DEVICES=%s is not a number from 0 to %ld; using 1 device\n",
               text, kMaxDevices);
  return 1;
}

// ROCR_VISIBLE_DEVICES: a list of device numbers or UUIDs, in the order wanted; ROCr stops at the
// first entry that names no device.
std::vector<uint32_t> visible_devices(uint32_t count) {
  std::vector<uint32_t> chosen;
  const char* text = std::getenv("ROCR_VISIBLE_DEVICES");
  if (!text) {
    for (uint32_t i = 0; i < count; ++i) chosen.push_back(i);
    return chosen;
  }
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ',');) {
    uint32_t found = count;
    for (uint32_t i = 0; i < count; ++i) {
      if (item == std::to_string(i) || item == make_gpu(i)->uuid) found = i;
    }
    if (found == count) break;
    chosen.push_back(found);
  }
  return chosen;
}

}  // namespace

void discover_agents() {
  auto& list = agent_list();
  if (!list.empty()) return;  // handles stay valid when the runtime is opened again
  list.push_back(make_cpu());
  for (uint32_t index : visible_devices(device_count())) list.push_back(make_gpu(index));
}

const std::vector<std::unique_ptr<Agent>>& agents() { return agent_list(); }

Agent* cpu_agent() { return agents().front().get(); }

Agent* agent_from_handle(hsa_agent_t handle) {
  for (const auto& agent : agents()) {
    if (agent->handle().handle == handle.handle) return agent.get();
  }
  return nullptr;
}

Pool* pool_from_handle(uint64_t handle) {
  for (const auto& agent : agents()) {
    for (const auto& pool : agent->pools) {
      if (reinterpret_cast<uint64_t>(pool.get()) == handle) return pool.get();
    }
  }
  return nullptr;
}

namespace api {

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t agent, void* data),
                                void* data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  for (const auto& agent : agents()) {
    const hsa_status_t status = callback(agent->handle(), data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t agent, hsa_profile_t profile,
                                              uint16_t* mask) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(agent_from_handle(agent), HSA_STATUS_ERROR_INVALID_AGENT);
  VROCM_REQUIRE_ARGUMENT(mask && (profile == HSA_PROFILE_BASE || profile == HSA_PROFILE_FULL));
  *mask = 0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t agent, hsa_amd_coherency_type_t* type) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(type);
  const Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object && object->is_gpu(), HSA_STATUS_ERROR_INVALID_AGENT);
  *type = HSA_AMD_COHERENCY_TYPE_COHERENT;
  return HSA_STATUS_SUCCESS;
}

// All memory is coherent here; a program may still ask for less.
hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t agent, hsa_amd_coherency_type_t type) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(type == HSA_AMD_COHERENCY_TYPE_COHERENT ||
                         type == HSA_AMD_COHERENCY_TYPE_NONCOHERENT);
  const Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object && object->is_gpu(), HSA_STATUS_ERROR_INVALID_AGENT);
  return HSA_STATUS_SUCCESS;
}

// Scratch belongs to the executing wave in this device; there is nothing to reclaim.
hsa_status_t hsa_amd_agent_set_async_scratch_limit(hsa_agent_t agent, size_t threshold) {
  VROCM_REQUIRE_OPEN();
  const Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object && object->is_gpu(), HSA_STATUS_ERROR_INVALID_AGENT);
  VROCM_REQUIRE_ARGUMENT(threshold <= gfx942::kScratchLimitBytes);
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
