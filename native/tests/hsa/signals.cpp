// Signal values, waiting for them from several threads, handlers, virtual time.
#include <atomic>
#include <chrono>
#include <thread>

#include "../../vgpu/hsa/signal/virtual_clock.h"
#include "check.h"

HSA_TEST(signal_operations_compute) {
  Session session;
  const hsa_signal_t signal = make_signal(10);
  hsa_signal_add_relaxed(signal, 5);
  CHECK_EQ(hsa_signal_load_relaxed(signal), 15);
  hsa_signal_subtract_scacq_screl(signal, 20);
  CHECK_EQ(hsa_signal_load_scacquire(signal), -5);
  hsa_signal_store_screlease(signal, 0xf0);
  hsa_signal_and_scacquire(signal, 0x3c);
  CHECK_EQ(hsa_signal_load_acquire(signal), 0x30);
  hsa_signal_or_acq_rel(signal, 1);
  hsa_signal_xor_release(signal, 0xff);
  CHECK_EQ(hsa_signal_load_relaxed(signal), 0xce);
  CHECK_EQ(hsa_signal_exchange_acq_rel(signal, 3), 0xce);
  CHECK_EQ(hsa_signal_cas_relaxed(signal, 4, 9), 3);
  CHECK_EQ(hsa_signal_cas_screlease(signal, 3, 9), 3);
  hsa_signal_silent_store_relaxed(signal, hsa_signal_load_relaxed(signal) + 1);
  CHECK_EQ(hsa_signal_load_relaxed(signal), 10);
  hsa_signal_store_relaxed(signal, INT64_MAX);
  hsa_signal_add_relaxed(signal, 1);
  CHECK_EQ(hsa_signal_load_relaxed(signal), INT64_MIN);
  volatile hsa_signal_value_t* word = nullptr;
  CHECK_OK(hsa_amd_signal_value_pointer(signal, &word));
  *word = 77;
  CHECK_EQ(hsa_signal_load_relaxed(signal), 77);
  CHECK_OK(hsa_signal_destroy(signal));
  CHECK_EQ(hsa_signal_destroy(signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
}

HSA_TEST(additions_from_threads_are_not_lost) {
  Session session;
  const hsa_signal_t signal = make_signal(0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([signal] {
      for (int i = 0; i < 10000; ++i) hsa_signal_add_relaxed(signal, 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(hsa_signal_load_relaxed(signal), 40000);
}

HSA_TEST(wait_ends_by_timeout_or_by_another_thread) {
  Session session;
  const hsa_signal_t signal = make_signal(1);
  const auto begin = std::chrono::steady_clock::now();
  CHECK_EQ(
      hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_LT, 1, 5000000, HSA_WAIT_STATE_BLOCKED),
      1);
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(5));
  std::thread other([signal] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    hsa_signal_store_screlease(signal, -3);
  });
  CHECK_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                     HSA_WAIT_STATE_ACTIVE),
           -3);
  other.join();
}

HSA_TEST(wait_sees_a_write_that_told_nobody) {
  Session session;
  const hsa_signal_t signal = make_signal(1);
  volatile hsa_signal_value_t* word = nullptr;
  CHECK_OK(hsa_amd_signal_value_pointer(signal, &word));
  std::thread device([word] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    __atomic_store_n(word, 0, __ATOMIC_SEQ_CST);
  });
  wait_until_zero(signal);
  device.join();
}

HSA_TEST(wait_for_any_and_for_all) {
  Session session;
  hsa_signal_t signals[3] = {make_signal(1), make_signal(1), {0}};
  hsa_signal_condition_t conditions[3] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_GTE,
                                          HSA_SIGNAL_CONDITION_EQ};
  hsa_signal_value_t values[3] = {0, 5, 0}, seen = 0;
  CHECK_EQ(hsa_amd_signal_wait_any(3, signals, conditions, values, 1000000, HSA_WAIT_STATE_BLOCKED,
                                   &seen),
           UINT32_MAX);
  std::thread other([&signals] {
    hsa_signal_store_relaxed(signals[1], 6);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    hsa_signal_store_relaxed(signals[0], 0);
  });
  CHECK_EQ(hsa_amd_signal_wait_any(3, signals, conditions, values, UINT64_MAX,
                                   HSA_WAIT_STATE_BLOCKED, &seen) < 2u,
           true);
  CHECK_EQ(hsa_amd_signal_wait_all(2, signals, conditions, values, UINT64_MAX,
                                   HSA_WAIT_STATE_BLOCKED, nullptr),
           0u);
  other.join();
  hsa_signal_group_t group{};
  CHECK_OK(hsa_signal_group_create(2, signals, 0, nullptr, &group));
  hsa_signal_t which{};
  CHECK_OK(hsa_signal_group_wait_any_relaxed(group, conditions, values, HSA_WAIT_STATE_BLOCKED,
                                             &which, &seen));
  CHECK_EQ(which.handle, signals[0].handle);
  CHECK_OK(hsa_signal_group_destroy(group));
}

struct Countdown {
  std::atomic<int> calls{0};
  hsa_signal_t signal;
};

HSA_TEST(handler_is_called_until_it_says_no) {
  Session session;
  static Countdown countdown;
  countdown.signal = make_signal(1);
  const hsa_signal_t finished = make_signal(1);
  static hsa_signal_t finished_copy;
  finished_copy = finished;
  CHECK_OK(hsa_amd_signal_async_handler(
      countdown.signal, HSA_SIGNAL_CONDITION_LT, 1,
      [](hsa_signal_value_t, void* data) {
        auto* state = static_cast<Countdown*>(data);
        if (++state->calls < 3) return true;
        hsa_signal_store_relaxed(finished_copy, 0);
        return false;
      },
      &countdown));
  CHECK_EQ(countdown.calls.load(), 0);
  hsa_signal_store_relaxed(countdown.signal, 0);
  wait_until_zero(finished);
  CHECK_EQ(countdown.calls.load(), 3);
  static hsa_signal_t function_done;
  function_done = make_signal(1);
  CHECK_OK(
      hsa_amd_async_function([](void*) { hsa_signal_store_relaxed(function_done, 0); }, nullptr));
  wait_until_zero(function_done);
}

HSA_TEST(waiting_moves_the_virtual_clock) {
  Session session;
  const hsa_signal_t done = make_signal(1);
  std::vector<char> host(1 << 20);
  void* device = session.allocate(session.device, host.size());
  const uint64_t before = vrocm_host_now();
  CHECK_OK(hsa_amd_memory_async_copy(device, session.gpu, host.data(), session.cpu, host.size(), 0,
                                     nullptr, done));
  CHECK_EQ(vrocm_host_now(), before);  // submitting costs nothing by itself
  wait_until_zero(done);
  hsa_amd_profiling_async_copy_time_t time{};
  CHECK_OK(hsa_amd_profiling_get_async_copy_time(done, &time));
  CHECK_EQ(time.start, before);
  // Set-up, and 1 MiB of pageable memory at 12 GB/s rounded up.
  CHECK_EQ(time.end - time.start, 2000 + 87382);
  CHECK_EQ(vrocm_host_now(), time.end + vrocm::kSignalWakeupNs);
  uint64_t stamp = 0;
  CHECK_OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &stamp));
  CHECK_EQ(stamp, vrocm_host_now());
  vrocm_host_advance(5);
  CHECK_EQ(vrocm_host_now(), stamp + 5);
}
