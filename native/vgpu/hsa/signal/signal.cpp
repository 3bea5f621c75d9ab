#include "hsa/signal/signal.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>

#include "hsa/base/shared_heap.h"
#include "hsa/signal/virtual_clock.h"

namespace vrocm {
namespace {

constexpr uint64_t kMagic = 0x5649525453494721;
using Clock = std::chrono::steady_clock;
constexpr auto kSpin = std::chrono::microseconds(20);
constexpr auto kLook = std::chrono::milliseconds(1);

// All waiters share one condition: there are few, and a wait for any of several signals is easy.
struct Hub {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<int> waiters{0};
};

Hub& hub() {
  static Hub* instance = new Hub;
  return *instance;
}

Clock::time_point deadline_after(uint64_t timeout_ns) {
  constexpr uint64_t kYear = 31'536'000'000'000'000;
  return Clock::now() + std::chrono::nanoseconds(timeout_ns < kYear ? timeout_ns : kYear);
}

}  // namespace

Signal::Signal(int64_t initial_value, Doorbell* listener)
    : abi_{},
      magic_(kMagic),
      doorbell_(listener),
      doorbell_value_(initial_value),
      time_(vrocm_host_now()) {
  abi_.kind = listener ? AMD_SIGNAL_KIND_DOORBELL : AMD_SIGNAL_KIND_USER;
  if (listener) {
    abi_.hardware_doorbell_ptr = reinterpret_cast<volatile uint64_t*>(&doorbell_value_);
  } else {
    abi_.value = initial_value;
  }
}

Signal* Signal::create(int64_t initial_value) {
  void* memory = shared_allocate(sizeof(Signal));
  return memory ? create_in(memory, initial_value) : nullptr;
}

Signal* Signal::create_in(void* memory, int64_t initial_value) {
  return new (memory) Signal(initial_value, nullptr);
}

Signal* Signal::create_doorbell(Doorbell* listener) {
  void* memory = shared_allocate(sizeof(Signal));
  return memory ? new (memory) Signal(-1, listener) : nullptr;
}

void Signal::destroy() {
  magic_ = 0;
  abi_.kind = AMD_SIGNAL_KIND_INVALID;
  this->~Signal();
  shared_free(this, sizeof(Signal));
}

Signal* Signal::from_handle(hsa_signal_t handle) {
  auto* signal = reinterpret_cast<Signal*>(handle.handle);
  return signal && signal->magic_ == kMagic ? signal : nullptr;
}

int64_t Signal::store(int64_t value) {
  time_.store(vrocm_host_now(), std::memory_order_release);
  if (doorbell_) doorbell_->ring(static_cast<uint64_t>(value));  // before anybody sees the value
  const int64_t old_value = __atomic_exchange_n(value_word(), value, __ATOMIC_SEQ_CST);
  notify();
  return old_value;
}

void Signal::store_silently(int64_t value) {
  time_.store(vrocm_host_now(), std::memory_order_release);
  __atomic_store_n(value_word(), value, __ATOMIC_SEQ_CST);
}

void Signal::raise_to_host_time() { raise_time(vrocm_host_now()); }

void Signal::raise_time(uint64_t time_ns) {
  uint64_t seen = time_.load(std::memory_order_relaxed);
  while (seen < time_ns && !time_.compare_exchange_weak(seen, time_ns)) {
  }
}

void Signal::notify() {
  if (hub().waiters.load(std::memory_order_seq_cst) > 0) wake_signal_waiters();
}

void Signal::complete(uint64_t start_ns, uint64_t end_ns) {
  abi_.start_ts = start_ns;
  abi_.end_ts = end_ns;
  raise_time(end_ns);
  __atomic_sub_fetch(&abi_.value, 1, __ATOMIC_SEQ_CST);
  notify();
}

bool satisfies(int64_t value, hsa_signal_condition_t condition, int64_t compare) {
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ: return value == compare;
    case HSA_SIGNAL_CONDITION_NE: return value != compare;
    case HSA_SIGNAL_CONDITION_LT: return value < compare;
    case HSA_SIGNAL_CONDITION_GTE: return value >= compare;
  }
  return false;
}

bool wait_for_signals(const std::function<bool()>& done, uint64_t timeout_ns) {
  if (done()) return true;
  const auto deadline = deadline_after(timeout_ns);
  for (const auto spin_end = Clock::now() + kSpin; Clock::now() < spin_end;) {
    if (done()) return true;
    if (Clock::now() >= deadline) return done();
  }
  Hub& h = hub();
  std::unique_lock<std::mutex> lock(h.mutex);
  h.waiters.fetch_add(1, std::memory_order_seq_cst);
  bool satisfied = done();
  while (!satisfied) {
    const auto now = Clock::now();
    if (now >= deadline) break;
    h.changed.wait_until(lock, std::min(deadline, now + kLook));
    satisfied = done();
  }
  h.waiters.fetch_sub(1, std::memory_order_seq_cst);
  return satisfied;
}

void wake_signal_waiters() {
  Hub& h = hub();
  std::lock_guard<std::mutex> lock(h.mutex);
  h.changed.notify_all();
}

}  // namespace vrocm
