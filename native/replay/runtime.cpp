#include "runtime.h"

#include <dlfcn.h>

#include <sstream>
#include <vector>

namespace replay {
namespace {

template <typename Function>
void bind(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) throw Failure(std::string("the HSA runtime has no ") + name);
}

struct Found {
  const Hsa* hsa;
  std::vector<hsa_agent_t> gpus, cpus;
};

hsa_status_t sort_agent(hsa_agent_t agent, void* data) {
  auto* found = static_cast<Found*>(data);
  hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
  found->hsa->hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type == HSA_DEVICE_TYPE_GPU) found->gpus.push_back(agent);
  if (type == HSA_DEVICE_TYPE_CPU) found->cpus.push_back(agent);
  return HSA_STATUS_SUCCESS;
}

struct PoolSearch {
  const Hsa* hsa;
  uint32_t wanted_flag;
  hsa_amd_memory_pool_t found;
};

hsa_status_t match_pool(hsa_amd_memory_pool_t pool, void* data) {
  auto* search = static_cast<PoolSearch*>(data);
  const auto info = search->hsa->hsa_amd_memory_pool_get_info;
  hsa_amd_segment_t segment = HSA_AMD_SEGMENT_GROUP;
  uint32_t flags = 0;
  bool allowed = false;
  info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
  if (segment != HSA_AMD_SEGMENT_GLOBAL || !allowed) return HSA_STATUS_SUCCESS;
  info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
  if (!(flags & search->wanted_flag)) return HSA_STATUS_SUCCESS;
  search->found = pool;
  return HSA_STATUS_INFO_BREAK;
}

hsa_amd_memory_pool_t pool_of(const Hsa& hsa, const std::vector<hsa_agent_t>& agents, uint32_t flag,
                              const char* what) {
  PoolSearch search{&hsa, flag, {0}};
  for (const hsa_agent_t agent : agents) {
    if (!search.found.handle) hsa.hsa_amd_agent_iterate_memory_pools(agent, match_pool, &search);
  }
  if (!search.found.handle) throw Failure(std::string("there is no ") + what + " memory pool");
  return search.found;
}

std::string name_of(const Hsa& hsa, hsa_agent_t agent, hsa_agent_info_t what) {
  char name[65] = {};
  hsa.hsa_agent_get_info(agent, what, name);
  return name;
}

std::string isa_of(const Hsa& hsa, hsa_agent_t agent) {
  hsa_isa_t isa{};
  uint32_t length = 0;
  hsa.hsa_agent_get_info(agent, HSA_AGENT_INFO_ISA, &isa);
  hsa.hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length);
  std::string name(length + 1, '\0');
  hsa.hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, &name[0]);
  return name.c_str();
}

}  // namespace

bool Runtime::runs(const std::string& target) const {
  const std::string own = isa.substr(isa.rfind('-', isa.find(':')) + 1) + ":";
  std::istringstream parts(target);
  bool first = true;
  for (std::string part; std::getline(parts, part, ':'); first = false) {
    const std::string wanted = part + ":";
    if (first ? own.compare(0, wanted.size(), wanted) != 0
              : own.find(":" + wanted) == std::string::npos) {
      return false;
    }
  }
  return true;
}

void Runtime::check(hsa_status_t status, const std::string& what) const {
  if (status == HSA_STATUS_SUCCESS) return;
  const char* text = nullptr;
  hsa.hsa_status_string(status, &text);
  throw Failure(what + ": " + (text ? text : "status " + std::to_string(status)));
}

void Runtime::copy(void* to, const void* from, size_t size) const {
  check(hsa.hsa_memory_copy(to, from, size), "copy of " + std::to_string(size) + " bytes");
}

Runtime start_runtime(const std::string& path, unsigned device) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) throw Failure(std::string("cannot load the HSA runtime: ") + dlerror());
  Runtime runtime;
  Hsa& hsa = runtime.hsa;
#define REPLAY_BIND(name) bind(library, #name, hsa.name);
  REPLAY_HSA_FUNCTIONS(REPLAY_BIND)
#undef REPLAY_BIND
  runtime.check(hsa.hsa_init(), "hsa_init");
  Found found{&hsa, {}, {}};
  hsa.hsa_iterate_agents(sort_agent, &found);
  if (device >= found.gpus.size()) {
    throw NoDevice("there is no GPU " + std::to_string(device) + ", only " +
                   std::to_string(found.gpus.size()));
  }
  runtime.gpu = found.gpus[device];
  runtime.gpu_name = name_of(hsa, runtime.gpu, HSA_AGENT_INFO_NAME);
  runtime.gpu_product =
      name_of(hsa, runtime.gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_PRODUCT_NAME));
  runtime.isa = isa_of(hsa, runtime.gpu);
  runtime.device_pool =
      pool_of(hsa, {runtime.gpu}, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED, "device");
  runtime.kernarg_pool =
      pool_of(hsa, found.cpus, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT, "kernarg");
  hsa.hsa_amd_memory_pool_get_info(
      runtime.device_pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, &runtime.granule);
  uint16_t major = 0, minor = 0;
  uint64_t frequency = 0;
  hsa.hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major);
  hsa.hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MINOR, &minor);
  hsa.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency);
  runtime.version = std::to_string(major) + "." + std::to_string(minor);
  if (frequency) runtime.ticks_to_ns = 1e9 / static_cast<double>(frequency);
  return runtime;
}

}  // namespace replay
