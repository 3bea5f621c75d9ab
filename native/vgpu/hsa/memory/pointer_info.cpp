// What a pointer points to, and what happens when its memory is freed.
#include <algorithm>
#include <cstring>

#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/memory/allocation.h"
#include "hsa/memory/vmem.h"

namespace vrocm {
namespace {

hsa_amd_pointer_info_t describe(const Allocation& allocation) {
  hsa_amd_pointer_info_t info{};
  info.type = allocation.type;
  info.agentBaseAddress = reinterpret_cast<void*>(allocation.base);
  info.hostBaseAddress = info.agentBaseAddress;
  info.sizeInBytes = allocation.requested;
  info.userData = allocation.user_data;
  info.agentOwner = allocation.owner->handle();
  info.global_flags = allocation.pool ? allocation.pool->global_flags : 0;
  return info;
}

hsa_status_t list_access(const std::vector<Agent*>& access, void* (*alloc)(size_t), uint32_t* count,
                         hsa_agent_t** list) {
  auto* handles = static_cast<hsa_agent_t*>(alloc(access.size() * sizeof(hsa_agent_t)));
  VROCM_REQUIRE(handles || access.empty(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  std::transform(access.begin(), access.end(), handles,
                 [](Agent* agent) { return agent->handle(); });
  *count = static_cast<uint32_t>(access.size());
  *list = handles;
  return HSA_STATUS_SUCCESS;
}

}  // namespace

namespace api {

hsa_status_t hsa_amd_pointer_info(const void* ptr, hsa_amd_pointer_info_t* info,
                                  void* (*alloc)(size_t), uint32_t* num_agents_accessible,
                                  hsa_agent_t** accessible) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && info && info->size);
  hsa_amd_pointer_info_t found{};
  std::vector<Agent*> access;
  {
    Allocations registered;
    if (const Allocation* allocation = registered.find(ptr)) {
      found = describe(*allocation);
      access = allocation->access;
    } else {
      describe_vmem(ptr, found, access);  // stays UNKNOWN when it is not that either
    }
  }
  found.size = std::min<uint32_t>(info->size, sizeof found);
  std::memcpy(info, &found, found.size);
  if (!alloc || !num_agents_accessible || !accessible) return HSA_STATUS_SUCCESS;
  return list_access(access, alloc, num_agents_accessible, accessible);
}

hsa_status_t hsa_amd_pointer_info_set_userdata(const void* ptr, void* userdata) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr);
  Allocations registered;
  Allocation* allocation = registered.find(ptr);
  VROCM_REQUIRE_ARGUMENT(allocation);
  allocation->user_data = userdata;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_register_deallocation_callback(void* ptr,
                                                    hsa_amd_deallocation_callback_t callback,
                                                    void* user_data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && callback);
  Allocations registered;
  Allocation* allocation = registered.find(ptr);
  VROCM_REQUIRE(allocation, HSA_STATUS_ERROR_INVALID_ALLOCATION);
  allocation->on_free.push_back({ptr, callback, user_data});
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_deregister_deallocation_callback(void* ptr,
                                                      hsa_amd_deallocation_callback_t callback) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(ptr && callback);
  Allocations registered;
  Allocation* allocation = registered.find(ptr);
  VROCM_REQUIRE(allocation, HSA_STATUS_ERROR_INVALID_ALLOCATION);
  auto& list = allocation->on_free;
  const auto it = std::find_if(list.begin(), list.end(), [&](const DeallocationCallback& entry) {
    return entry.pointer == ptr && entry.function == callback;
  });
  VROCM_REQUIRE_ARGUMENT(it != list.end());
  list.erase(it);
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
