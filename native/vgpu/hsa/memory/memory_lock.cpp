// Locking the program's own memory for the device, and SVM attributes, which grant the same.
#include "device/device.h"
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/copy/copy_engine.h"
#include "hsa/memory/allocation.h"
#include "hsa/memory/host_access.h"

namespace vrocm {
namespace {

// Null list: every agent.
hsa_status_t agents_of(const hsa_agent_t* list, int count, std::vector<Agent*>& found) {
  VROCM_REQUIRE_ARGUMENT((list == nullptr) == (count == 0) && count >= 0);
  if (!list) {
    for (const auto& agent : agents()) found.push_back(agent.get());
  }
  for (int i = 0; i < count; ++i) {
    Agent* agent = agent_from_handle(list[i]);
    VROCM_REQUIRE(agent, HSA_STATUS_ERROR_INVALID_AGENT);
    found.push_back(agent);
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t lock_memory(void* host_ptr, size_t size, const hsa_agent_t* list, int count,
                         Pool* pool, void** agent_ptr) {
  VROCM_REQUIRE_ARGUMENT(host_ptr && size && agent_ptr);
  std::vector<Agent*> access;
  const hsa_status_t status = agents_of(list, count, access);
  if (status != HSA_STATUS_SUCCESS) return status;
  Allocations registered;
  Allocation* known = registered.at(host_ptr);
  if (!known) {
    Allocation allocation{reinterpret_cast<uint64_t>(host_ptr),
                          size,
                          size,
                          HSA_EXT_POINTER_TYPE_LOCKED,
                          pool,
                          cpu_agent(),
                          "locked host memory"};
    allocation.access = access;
    known = &registered.add(std::move(allocation));
    grant_host_range(known->base, known->bytes);
  } else {
    VROCM_REQUIRE(known->type == HSA_EXT_POINTER_TYPE_LOCKED && size <= known->bytes,
                  HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  ++known->lock_count;
  *agent_ptr = host_ptr;  // one address space
  return HSA_STATUS_SUCCESS;
}

bool is_known_attribute(uint64_t attribute) {
  return attribute <= HSA_AMD_SVM_ATTRIB_GPU_EXEC ||
         (attribute >= HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE &&
          attribute <= HSA_AMD_SVM_ATTRIB_ACCESS_QUERY);
}

}  // namespace

namespace api {

hsa_status_t hsa_amd_memory_lock(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent,
                                 void** agent_ptr) {
  VROCM_REQUIRE_OPEN();
  return lock_memory(host_ptr, size, agents, num_agent, nullptr, agent_ptr);
}

hsa_status_t hsa_amd_memory_lock_to_pool(void* host_ptr, size_t size, hsa_agent_t* agents,
                                         int num_agent, hsa_amd_memory_pool_t pool, uint32_t flags,
                                         void** agent_ptr) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(flags == 0);
  Pool* object = pool_from_handle(pool.handle);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  VROCM_REQUIRE(!object->owner->is_gpu(), HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  return lock_memory(host_ptr, size, agents, num_agent, object, agent_ptr);
}

hsa_status_t hsa_amd_memory_unlock(void* host_ptr) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(host_ptr);
  Allocations registered;
  Allocation* known = registered.at(host_ptr);
  if (!known || known->type != HSA_EXT_POINTER_TYPE_LOCKED) return HSA_STATUS_SUCCESS;
  if (--known->lock_count > 0) return HSA_STATUS_SUCCESS;
  revoke_host_range(known->base, known->bytes);
  registered.remove(known->base);
  return HSA_STATUS_SUCCESS;
}

// Access attributes grant or take access of the range; the others are hints for migration, of
// which there is none: accepted without effect.
hsa_status_t hsa_amd_svm_attributes_set(void* ptr, size_t size,
                                        hsa_amd_svm_attribute_pair_t* attribute_list,
                                        size_t attribute_count) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && size && (attribute_count == 0 || attribute_list));
  const auto base = reinterpret_cast<uint64_t>(ptr);
  for (size_t i = 0; i < attribute_count; ++i) {
    const hsa_amd_svm_attribute_pair_t& pair = attribute_list[i];
    VROCM_REQUIRE_ARGUMENT(is_known_attribute(pair.attribute));
    if (pair.attribute < HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE) continue;
    const Agent* agent = agent_from_handle({pair.value});
    VROCM_REQUIRE(agent, HSA_STATUS_ERROR_INVALID_AGENT);
    if (!agent->is_gpu()) continue;
    revoke_host_range(base, size);
    if (pair.attribute != HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS) grant_host_range(base, size);
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_svm_attributes_get(void* ptr, size_t size,
                                        hsa_amd_svm_attribute_pair_t* attribute_list,
                                        size_t attribute_count) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && size && (attribute_count == 0 || attribute_list));
  for (size_t i = 0; i < attribute_count; ++i) {
    hsa_amd_svm_attribute_pair_t& pair = attribute_list[i];
    VROCM_REQUIRE_ARGUMENT(is_known_attribute(pair.attribute));
    switch (pair.attribute) {
      case HSA_AMD_SVM_ATTRIB_ACCESS_QUERY:
        VROCM_REQUIRE(agent_from_handle({pair.value}), HSA_STATUS_ERROR_INVALID_AGENT);
        pair.attribute = HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE;
        break;
      case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION:
      case HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION: pair.value = cpu_agent()->handle().handle; break;
      default: pair.value = 0;
    }
  }
  return HSA_STATUS_SUCCESS;
}

// The driver moves pages with copy engines of its own, which are not traced as copies.
hsa_status_t hsa_amd_svm_prefetch_async(void* ptr, size_t size, hsa_agent_t agent,
                                        uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
                                        hsa_signal_t completion_signal) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && size && (num_dep_signals == 0 || dep_signals));
  const Agent* to = agent_from_handle(agent);
  VROCM_REQUIRE(to, HSA_STATUS_ERROR_INVALID_AGENT);
  CopyJob job{};
  for (uint32_t i = 0; i < num_dep_signals; ++i) {
    Signal* signal = Signal::from_handle(dep_signals[i]);
    VROCM_REQUIRE(signal, HSA_STATUS_ERROR_INVALID_SIGNAL);
    job.dependencies.push_back(signal);
  }
  job.completion = Signal::from_handle(completion_signal);
  job.enqueued_ns = vrocm_host_now();
  job.copy = [ptr, size, node = to->node] {
    vgpu::move_memory(reinterpret_cast<uint64_t>(ptr), size, node);
  };
  job.record.bytes = size;
  job.traced = false;
  job.link = to->is_gpu() ? Link::HostToDevice : Link::DeviceToHost;
  submit_copy(*cpu_agent(), kPrefetchEngine, std::move(job));
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
