#include "hsa/queue/queue.h"

#include <algorithm>
#include <new>

#include "hsa/base/gfx942.h"
#include "hsa/base/shared_heap.h"
#include "hsa/trace/trace_sink.h"

namespace vrocm {
namespace {

constexpr uint64_t kMagic = 0x56495254515545;

struct Registry {
  std::mutex mutex;
  std::vector<Queue*> live;
  std::atomic<uint64_t> next_id{0};
};

Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

}  // namespace

Queue::Queue(const QueueSettings& settings, const hsa_signal_t* own_doorbell)
    : settings_(settings) {
  void* ring = shared_allocate(settings.size * kPacketBytes);
  void* memory = shared_allocate(sizeof(QueueMemory));
  if (!own_doorbell) doorbell_ = Signal::create_doorbell(this);
  if (!ring || !memory || (!own_doorbell && !doorbell_)) return;
  for (uint32_t i = 0; i < settings.size; ++i) {
    reinterpret_cast<uint16_t*>(ring)[i * kPacketBytes / 2] = HSA_PACKET_TYPE_INVALID;
  }
  memory_ = new (memory) QueueMemory{};
  memory_->magic = kMagic;
  memory_->owner = this;
  amd_queue_v2_t& abi = memory_->abi;
  abi.hsa_queue.type = settings.type;
  abi.hsa_queue.features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
  abi.hsa_queue.base_address = ring;
  abi.hsa_queue.doorbell_signal = own_doorbell ? *own_doorbell : doorbell_->handle();
  abi.hsa_queue.size = settings.size;
  abi.hsa_queue.id = registry().next_id++;
  abi.group_segment_aperture_base_hi = gfx942::kSharedApertureHi;
  abi.private_segment_aperture_base_hi = gfx942::kPrivateApertureHi;
  abi.max_cu_id = settings.agent->compute_units - 1;
  abi.max_wave_id = gfx942::kWavesPerCu - 1;
  abi.read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_v2_t, read_dispatch_id);
  abi.queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
}

Queue::~Queue() {
  if (doorbell_) doorbell_->destroy();
  if (!memory_) return;
  shared_free(memory_->abi.hsa_queue.base_address, settings_.size * kPacketBytes);
  memory_->magic = 0;
  shared_free(memory_, sizeof(QueueMemory));
}

Queue* Queue::from_handle(const hsa_queue_t* handle) {
  if (!handle) return nullptr;
  const auto* memory = reinterpret_cast<const QueueMemory*>(handle);
  return memory->magic == kMagic ? memory->owner : nullptr;
}

uint8_t* Queue::packet(uint64_t index) const {
  return static_cast<uint8_t*>(memory_->abi.hsa_queue.base_address) +
         (index & (settings_.size - 1)) * kPacketBytes;
}

uint64_t Queue::read_index() const {
  return __atomic_load_n(&memory_->abi.read_dispatch_id, __ATOMIC_SEQ_CST);
}

void Queue::set_read_index(uint64_t index) {
  __atomic_store_n(&memory_->abi.read_dispatch_id, index, __ATOMIC_SEQ_CST);
}

void register_queue(Queue* queue) {
  Registry& r = registry();
  {
    std::lock_guard<std::mutex> lock(r.mutex);
    r.live.push_back(queue);
  }
  trace_queue(queue->id(), queue->agent(), queue->size(), true);
}

hsa_status_t destroy_queue(Queue* queue) {
  Registry& r = registry();
  {
    std::lock_guard<std::mutex> lock(r.mutex);
    auto it = std::find(r.live.begin(), r.live.end(), queue);
    if (it == r.live.end()) return HSA_STATUS_ERROR_INVALID_QUEUE;
    r.live.erase(it);
  }
  trace_queue(queue->id(), queue->agent(), queue->size(), false);
  delete queue;
  return HSA_STATUS_SUCCESS;
}

void destroy_all_queues() {
  for (;;) {
    Queue* last = nullptr;
    {
      std::lock_guard<std::mutex> lock(registry().mutex);
      if (registry().live.empty()) return;
      last = registry().live.back();
    }
    destroy_queue(last);
  }
}

}  // namespace vrocm
