#include "hsa/queue/intercept_queue.h"

#include <cstring>

#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/queue/queue_api.h"

namespace vrocm {
namespace {

// The writer that handlers call has no context argument; it is found here.
struct Passing {
  InterceptQueue* queue;
  size_t level;         // handlers still to be called
  uint64_t user_index;  // where the program wrote the packets
};
thread_local Passing passing{};

uint16_t load_header(const uint8_t* packet) {
  return __atomic_load_n(reinterpret_cast<const uint16_t*>(packet), __ATOMIC_ACQUIRE);
}

bool is_marker(const uint8_t* packet) {
  return packet_type(load_header(packet)) == HSA_PACKET_TYPE_VENDOR_SPECIFIC &&
         packet[2] == AMD_AQL_FORMAT_INTERCEPT_MARKER;
}

}  // namespace

InterceptQueue::InterceptQueue(const QueueSettings& settings)
    : Queue(settings), inner_(std::make_unique<DeviceQueue>(settings)) {
  if (complete()) inner_->report_errors_as(handle());
}

void InterceptQueue::add_handler(hsa_amd_queue_intercept_handler handler, void* data) {
  std::lock_guard<std::mutex> lock(mutex_);
  handlers_.push_back({handler, data});
}

// Shows the packets that are written, in runs that do not wrap around the end of the ring.
void InterceptQueue::ring(uint64_t packet_index) {
  std::lock_guard<std::mutex> lock(mutex_);
  while (next_ <= packet_index) {
    uint64_t count = 0;
    while (next_ + count <= packet_index && (count == 0 || packet(next_ + count) != packet(0)) &&
           packet_type(load_header(packet(next_ + count))) != HSA_PACKET_TYPE_INVALID) {
      ++count;
    }
    if (count == 0) return;  // another thread is still writing it and will ring again
    const Passing before = passing;
    passing = {this, handlers_.size(), next_};
    writer(packet(next_), count);
    passing = before;
    for (uint64_t i = 0; i < count; ++i) {
      __atomic_store_n(reinterpret_cast<uint16_t*>(packet(next_ + i)),
                       uint16_t{HSA_PACKET_TYPE_INVALID}, __ATOMIC_RELEASE);
    }
    next_ += count;
    set_read_index(next_);
  }
}

void InterceptQueue::writer(const void* packets, uint64_t count) {
  const Passing here = passing;
  if (here.level == 0) {
    here.queue->pass_on(static_cast<const uint8_t*>(packets), count);
    return;
  }
  const Handler handler = here.queue->handlers_[here.level - 1];
  passing.level = here.level - 1;
  handler.function(packets, count, here.user_index, handler.data, &InterceptQueue::writer);
  passing = here;
}

void InterceptQueue::pass_on(const uint8_t* packets, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const uint8_t* packet = packets + i * kPacketBytes;
    if (is_marker(packet)) {
      const auto* marker = reinterpret_cast<const amd_aql_intercept_marker_t*>(packet);
      marker->callback(marker, handle(), passing.user_index + i);
    } else {
      submit(packet);
    }
  }
}

void InterceptQueue::submit(const uint8_t* source) {
  amd_queue_v2_t& abi = inner_->abi();
  const uint64_t index = __atomic_fetch_add(&abi.write_dispatch_id, 1, __ATOMIC_SEQ_CST);
  wait_for_signals([&] { return index - inner_->read_index() < inner_->size(); }, kForever);
  uint8_t* slot = inner_->packet(index);
  std::memcpy(slot + 2, source + 2, kPacketBytes - 2);
  __atomic_store_n(reinterpret_cast<uint16_t*>(slot), load_header(source), __ATOMIC_RELEASE);
  inner_->ring(index);
}

namespace api {

hsa_status_t hsa_amd_queue_intercept_create(hsa_agent_t agent_handle, uint32_t size,
                                            hsa_queue_type32_t type,
                                            void (*callback)(hsa_status_t status,
                                                             hsa_queue_t* source, void* data),
                                            void* data, uint32_t, uint32_t, hsa_queue_t** queue) {
  VROCM_REQUIRE_OPEN();
  QueueSettings settings{nullptr, size, type, callback, data};
  const hsa_status_t status = check_queue_settings(agent_handle, queue, settings);
  if (status != HSA_STATUS_SUCCESS) return status;
  auto created = std::make_unique<InterceptQueue>(settings);
  VROCM_REQUIRE(created->complete(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  *queue = created->handle();
  register_queue(created.release());
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_intercept_register(hsa_queue_t* queue,
                                              hsa_amd_queue_intercept_handler callback,
                                              void* user_data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  auto* intercepted = dynamic_cast<InterceptQueue*>(Queue::from_handle(queue));
  VROCM_REQUIRE(intercepted, HSA_STATUS_ERROR_INVALID_QUEUE);
  intercepted->add_handler(callback, user_data);
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
