// User-mode queues: the memory that programs and kernels see, and the objects behind it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "hsa/agent/agent.h"
#include "hsa/amd_hsa_queue.h"
#include "hsa/signal/signal.h"

namespace vrocm {

constexpr size_t kPacketBytes = 64;
using QueueErrorCallback = void (*)(hsa_status_t status, hsa_queue_t* source, void* data);

class Queue;

// What a hsa_queue_t* points into.
struct QueueMemory {
  amd_queue_v2_t abi;
  uint64_t magic;
  Queue* owner;
};

struct QueueSettings {
  Agent* agent;
  uint32_t size;  // packets, a power of two
  hsa_queue_type32_t type;
  QueueErrorCallback on_error;
  void* error_data;
};

// The ring, its indices and its doorbell. Subclasses say what a doorbell does.
class Queue : public Doorbell {
 public:
  virtual ~Queue();
  Queue(const Queue&) = delete;

  static Queue* from_handle(const hsa_queue_t* handle);
  hsa_queue_t* handle() { return &memory_->abi.hsa_queue; }
  amd_queue_v2_t& abi() { return memory_->abi; }
  Agent& agent() const { return *settings_.agent; }
  uint64_t id() const { return memory_->abi.hsa_queue.id; }
  uint32_t size() const { return settings_.size; }
  bool valid() const { return memory_ != nullptr; }

  uint8_t* packet(uint64_t index) const;
  uint64_t read_index() const;
  void set_read_index(uint64_t index);

  virtual void inactivate() {}
  virtual void set_profiling(bool) {}

  std::vector<uint32_t> cu_mask;  // empty: all compute units

 protected:
  explicit Queue(const QueueSettings& settings, const hsa_signal_t* own_doorbell = nullptr);

  QueueSettings settings_;
  QueueMemory* memory_ = nullptr;
  Signal* doorbell_ = nullptr;  // null when the program brought its own
};

// A queue whose packets nobody but the program processes.
class SoftQueue : public Queue {
 public:
  SoftQueue(const QueueSettings& settings, hsa_signal_t doorbell) : Queue(settings, &doorbell) {}
  void ring(uint64_t) override {}
};

// All live queues, newest last; destruction stops their threads.
void register_queue(Queue* queue);
hsa_status_t destroy_queue(Queue* queue);
void destroy_all_queues();

// Type field of an AQL packet header.
inline uint32_t packet_type(uint16_t header) { return header & 0xff; }
inline bool barrier_bit(uint16_t header) { return (header >> HSA_PACKET_HEADER_BARRIER) & 1; }

}  // namespace vrocm
