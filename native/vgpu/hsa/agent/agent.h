// Agents (the host processor and the virtual GPUs), their instruction sets, caches and pools.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "hsa/hsa_ext_amd.h"

namespace vrocm {

struct Agent;

// A memory pool; the older "region" interface shows the same objects.
struct Pool {
  Agent* owner;
  hsa_amd_segment_t segment;
  uint32_t global_flags;  // hsa_amd_memory_pool_global_flag_t
  size_t bytes;
  bool allocatable;
};

struct Cache {
  std::string name;
  uint8_t level;
  uint32_t bytes;
};

struct Agent {
  hsa_device_type_t type;
  uint32_t node;  // index among all agents, CPU first
  std::string name, product_name, uuid;
  uint32_t compute_units;
  size_t memory_bytes;
  std::vector<std::unique_ptr<Pool>> pools;
  std::vector<std::unique_ptr<Cache>> caches;
  std::atomic<size_t> memory_used{0};

  bool is_gpu() const { return type == HSA_DEVICE_TYPE_GPU; }
  hsa_agent_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }
};

// The agents of this machine: one CPU, then VROCM_DEVICES virtual GPUs (1 unless told).
void discover_agents();
const std::vector<std::unique_ptr<Agent>>& agents();
Agent* cpu_agent();

// Null when the handle is not one that discovery made.
Agent* agent_from_handle(hsa_agent_t handle);
Pool* pool_from_handle(uint64_t handle);

}  // namespace vrocm
