// The caches of an agent.
#include "hsa/agent/agent.h"
#include "hsa/base/answer.h"
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"

namespace vrocm {
namespace api {

hsa_status_t hsa_agent_iterate_caches(hsa_agent_t agent,
                                      hsa_status_t (*callback)(hsa_cache_t cache, void* data),
                                      void* data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  const Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_AGENT);
  for (const auto& cache : object->caches) {
    const hsa_status_t status = callback({reinterpret_cast<uint64_t>(cache.get())}, data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_cache_get_info(hsa_cache_t cache, hsa_cache_info_t attribute, void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(cache.handle, HSA_STATUS_ERROR_INVALID_CACHE);
  VROCM_REQUIRE_ARGUMENT(value);
  const auto* object = reinterpret_cast<const Cache*>(cache.handle);
  switch (attribute) {
    case HSA_CACHE_INFO_NAME_LENGTH:
      return answer(value, static_cast<uint32_t>(object->name.size()));
    case HSA_CACHE_INFO_NAME: return answer(value, object->name.c_str());  // as ROCr does
    case HSA_CACHE_INFO_LEVEL: return answer(value, object->level);
    case HSA_CACHE_INFO_SIZE: return answer(value, object->bytes);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

}  // namespace api
}  // namespace vrocm
