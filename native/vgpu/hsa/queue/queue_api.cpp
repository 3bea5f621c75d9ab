// Creating, destroying and configuring queues, and operating on their indices.
#include "hsa/queue/queue_api.h"

#include <memory>

#include "hsa/base/answer.h"
#include "hsa/base/api.h"
#include "hsa/base/gfx942.h"
#include "hsa/base/runtime.h"
#include "hsa/queue/device_queue.h"

namespace vrocm {
namespace {

bool power_of_two(uint32_t value) { return value && (value & (value - 1)) == 0; }

amd_queue_v2_t* abi_of(const hsa_queue_t* queue) {
  return reinterpret_cast<amd_queue_v2_t*>(const_cast<hsa_queue_t*>(queue));
}

}  // namespace

hsa_status_t check_queue_settings(hsa_agent_t agent, hsa_queue_t** queue, QueueSettings& settings) {
  VROCM_REQUIRE_ARGUMENT(queue && power_of_two(settings.size));
  VROCM_REQUIRE_ARGUMENT(settings.type <= HSA_QUEUE_TYPE_COOPERATIVE);
  settings.agent = agent_from_handle(agent);
  VROCM_REQUIRE(settings.agent, HSA_STATUS_ERROR_INVALID_AGENT);
  VROCM_REQUIRE(settings.agent->is_gpu(), HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  VROCM_REQUIRE_ARGUMENT(settings.size <= gfx942::kQueueMaxPackets);
  if (settings.size < gfx942::kQueueMinPackets) settings.size = gfx942::kQueueMinPackets;
  return HSA_STATUS_SUCCESS;
}

namespace api {

hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                              void (*callback)(hsa_status_t status, hsa_queue_t* source,
                                               void* data),
                              void* data, uint32_t, uint32_t, hsa_queue_t** queue) {
  VROCM_REQUIRE_OPEN();
  QueueSettings settings{nullptr, size, type, callback, data};
  const hsa_status_t status = check_queue_settings(agent, queue, settings);
  if (status != HSA_STATUS_SUCCESS) return status;
  auto created = std::make_unique<DeviceQueue>(settings);
  VROCM_REQUIRE(created->valid(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  *queue = created->handle();
  register_queue(created.release());
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_soft_queue_create(hsa_region_t region, uint32_t size, hsa_queue_type32_t type,
                                   uint32_t features, hsa_signal_t doorbell_signal,
                                   hsa_queue_t** queue) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(pool_from_handle(region.handle), HSA_STATUS_ERROR_INVALID_REGION);
  VROCM_REQUIRE(Signal::from_handle(doorbell_signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
  VROCM_REQUIRE_ARGUMENT(queue && power_of_two(size) && features &&
                         type <= HSA_QUEUE_TYPE_COOPERATIVE);
  QueueSettings settings{cpu_agent(), size, type, nullptr, nullptr};
  auto created = std::make_unique<SoftQueue>(settings, doorbell_signal);
  VROCM_REQUIRE(created->valid(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  created->abi().hsa_queue.features = features;
  *queue = created->handle();
  register_queue(created.release());
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_queue_destroy(hsa_queue_t* queue) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(queue);
  Queue* object = Queue::from_handle(queue);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_QUEUE);
  return destroy_queue(object);
}

hsa_status_t hsa_queue_inactivate(hsa_queue_t* queue) {
  VROCM_REQUIRE_OPEN();
  Queue* object = Queue::from_handle(queue);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_QUEUE);
  object->inactivate();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* queue, hsa_amd_queue_priority_t priority) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(Queue::from_handle(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
  VROCM_REQUIRE_ARGUMENT(priority <= HSA_AMD_QUEUE_PRIORITY_HIGH);
  return HSA_STATUS_SUCCESS;  // accepted: queues do not compete for the virtual device
}

// One bit per compute unit. The mask is kept and reported; it does not change execution.
hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count,
                                       const uint32_t* cu_mask) {
  VROCM_REQUIRE_OPEN();
  Queue* object = Queue::from_handle(queue);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_QUEUE);
  VROCM_REQUIRE_ARGUMENT(num_cu_mask_count % 32 == 0 && (num_cu_mask_count == 0 || cu_mask));
  object->cu_mask.assign(cu_mask, cu_mask + num_cu_mask_count / 32);
  return num_cu_mask_count > object->agent().compute_units
             ? static_cast<hsa_status_t>(HSA_STATUS_CU_MASK_REDUCED)
             : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count,
                                       uint32_t* cu_mask) {
  VROCM_REQUIRE_OPEN();
  const Queue* object = Queue::from_handle(queue);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_QUEUE);
  VROCM_REQUIRE_ARGUMENT(num_cu_mask_count && num_cu_mask_count % 32 == 0 && cu_mask);
  const uint32_t units = object->agent().compute_units;
  for (uint32_t word = 0; word < num_cu_mask_count / 32; ++word) {
    const uint32_t left = units > word * 32 ? units - word * 32 : 0;
    const uint32_t existing = left >= 32 ? UINT32_MAX : (1u << left) - 1;
    const uint32_t wanted = object->cu_mask.empty()         ? UINT32_MAX
                            : word < object->cu_mask.size() ? object->cu_mask[word]
                                                            : 0;
    cu_mask[word] = existing & wanted;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_get_info(hsa_queue_t* queue, hsa_queue_info_attribute_t attribute,
                                    void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(value);
  Queue* object = Queue::from_handle(queue);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_QUEUE);
  switch (attribute) {
    case HSA_AMD_QUEUE_INFO_AGENT: return answer(value, object->agent().handle());
    case HSA_AMD_QUEUE_INFO_DOORBELL_ID: return answer(value, object->id());
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

// The runtime makes no queues of its own, so the notifier never has anything to tell.
hsa_status_t hsa_amd_runtime_queue_create_register(hsa_amd_runtime_queue_notifier callback, void*) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  return HSA_STATUS_SUCCESS;
}

#define EACH_LOAD(name, field)                                       \
  uint64_t name##_relaxed(const hsa_queue_t* queue) {                \
    return __atomic_load_n(&abi_of(queue)->field, __ATOMIC_RELAXED); \
  }                                                                  \
  uint64_t name##_scacquire(const hsa_queue_t* queue) {              \
    return __atomic_load_n(&abi_of(queue)->field, __ATOMIC_SEQ_CST); \
  }
#define EACH_STORE(name, field)                                       \
  void name##_relaxed(const hsa_queue_t* queue, uint64_t value) {     \
    __atomic_store_n(&abi_of(queue)->field, value, __ATOMIC_RELAXED); \
  }                                                                   \
  void name##_screlease(const hsa_queue_t* queue, uint64_t value) {   \
    __atomic_store_n(&abi_of(queue)->field, value, __ATOMIC_SEQ_CST); \
  }
#define ADD(name)                                                                          \
  uint64_t name(const hsa_queue_t* queue, uint64_t value) {                                \
    return __atomic_fetch_add(&abi_of(queue)->write_dispatch_id, value, __ATOMIC_SEQ_CST); \
  }
#define CAS(name)                                                                           \
  uint64_t name(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {              \
    __atomic_compare_exchange_n(&abi_of(queue)->write_dispatch_id, &expected, value, false, \
                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                        \
    return expected;                                                                        \
  }

EACH_LOAD(hsa_queue_load_read_index, read_dispatch_id)
EACH_LOAD(hsa_queue_load_write_index, write_dispatch_id)
EACH_STORE(hsa_queue_store_read_index, read_dispatch_id)
EACH_STORE(hsa_queue_store_write_index, write_dispatch_id)
ADD(hsa_queue_add_write_index_relaxed)
ADD(hsa_queue_add_write_index_scacquire)
ADD(hsa_queue_add_write_index_screlease)
ADD(hsa_queue_add_write_index_scacq_screl)
CAS(hsa_queue_cas_write_index_relaxed)
CAS(hsa_queue_cas_write_index_scacquire)
CAS(hsa_queue_cas_write_index_screlease)
CAS(hsa_queue_cas_write_index_scacq_screl)

}  // namespace api
}  // namespace vrocm
