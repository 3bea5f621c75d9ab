// Signals: a 64-bit value in device-visible memory, host threads that wait for it, and the virtual
// time at which it was last written.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "hsa/amd_hsa_signal.h"
#include "hsa/hsa_ext_amd.h"

namespace vrocm {

// Who listens to a doorbell: a queue.
class Doorbell {
 public:
  virtual void ring(uint64_t packet_index) = 0;

 protected:
  ~Doorbell() = default;
};

class Signal {
 public:
  static Signal* create(int64_t initial_value);
  static Signal* create_doorbell(Doorbell* listener);
  // In memory of the caller's, which may be shared with other processes; not to be destroyed.
  static Signal* create_in(void* memory, int64_t initial_value);
  void destroy();

  // Null for a null handle or one that is not a live signal.
  static Signal* from_handle(hsa_signal_t handle);
  hsa_signal_t handle() const { return {reinterpret_cast<uint64_t>(&abi_)}; }

  int64_t load() const { return __atomic_load_n(value_word(), __ATOMIC_SEQ_CST); }
  volatile int64_t* value_pointer() { return value_word(); }
  Doorbell* doorbell() const { return doorbell_; }

  // Host writes. `update` maps the old value to the new one; returns the old value.
  int64_t store(int64_t value);
  template <typename Update>
  int64_t update(Update update);
  void store_silently(int64_t value);

  // Device writes: one completed packet or copy with its virtual times.
  void complete(uint64_t start_ns, uint64_t end_ns);

  uint64_t time() const { return time_.load(std::memory_order_acquire); }
  uint64_t start_ns() const { return abi_.start_ts; }
  uint64_t end_ns() const { return abi_.end_ts; }

 private:
  Signal(int64_t initial_value, Doorbell* listener);

  volatile int64_t* value_word() const {
    return doorbell_ ? &doorbell_value_ : const_cast<volatile int64_t*>(&abi_.value);
  }
  void notify();
  void raise_time(uint64_t time_ns);
  void raise_to_host_time();

  amd_signal_t abi_;         // first: handles point here
  volatile uint64_t magic_;  // volatile: its last write outlives the object
  Doorbell* doorbell_;
  mutable volatile int64_t doorbell_value_;  // what hardware_doorbell_ptr points to
  std::atomic<uint64_t> time_;
};

bool satisfies(int64_t value, hsa_signal_condition_t condition, int64_t compare);

// Blocks until `done` holds or the timeout passes; returns done(). Every signal write wakes it;
// it also looks by itself, because kernels write signals without telling anybody.
constexpr uint64_t kForever = UINT64_MAX;
bool wait_for_signals(const std::function<bool()>& done, uint64_t timeout_ns);
// Wakes all waiters to look again, e.g. because something they wait for is shutting down.
void wake_signal_waiters();

template <typename Update>
int64_t Signal::update(Update update) {
  volatile int64_t* word = value_word();
  int64_t old_value = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  raise_to_host_time();  // before the value: who sees the value must see its time
  while (!__atomic_compare_exchange_n(word, &old_value, update(old_value), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
  }
  if (doorbell_) doorbell_->ring(static_cast<uint64_t>(update(old_value)));
  notify();
  return old_value;
}

}  // namespace vrocm
