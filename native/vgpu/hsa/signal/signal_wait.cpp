// Host threads waiting for signals: one, any or all of several, and signal groups.
#include <vector>

#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/signal/signal.h"
#include "hsa/signal/virtual_clock.h"

namespace vrocm {
namespace {

// A host that really waited is woken by an interrupt. Whether it "really waited" is decided in
// virtual time, so that the answer does not depend on the speed of this machine.
void arrive_after(const Signal* signal) {
  const uint64_t completed = signal->time();
  if (completed > vrocm_host_now()) vrocm_host_advance_to(completed + kSignalWakeupNs);
}

struct Awaited {
  Signal* signal;
  hsa_signal_condition_t condition;
  int64_t compare;
  int64_t seen = 0;

  bool satisfied() {
    seen = signal->load();
    return satisfies(seen, condition, compare);
  }
};

std::vector<Awaited> gather(uint32_t count, const hsa_signal_t* signals,
                            const hsa_signal_condition_t* conditions,
                            const hsa_signal_value_t* values) {
  std::vector<Awaited> all;
  for (uint32_t i = 0; i < count; ++i) {
    all.push_back({Signal::from_handle(signals[i]), conditions[i], values[i]});
  }
  return all;
}

// Index of the first satisfied signal, or UINT32_MAX after the timeout. Null signals never are.
uint32_t wait_any(std::vector<Awaited>& all, uint64_t timeout) {
  uint32_t found = UINT32_MAX;
  wait_for_signals(
      [&] {
        for (uint32_t i = 0; i < all.size() && found == UINT32_MAX; ++i) {
          if (all[i].signal && all[i].satisfied()) found = i;
        }
        return found != UINT32_MAX;
      },
      timeout);
  if (found != UINT32_MAX) arrive_after(all[found].signal);
  return found;
}

int64_t wait_one(hsa_signal_t signal, hsa_signal_condition_t condition, int64_t compare,
                 uint64_t timeout) {
  Awaited awaited{Signal::from_handle(signal), condition, compare};
  if (wait_for_signals([&] { return awaited.satisfied(); }, timeout)) {
    arrive_after(awaited.signal);
  }
  return awaited.seen;
}

struct SignalGroup {
  std::vector<hsa_signal_t> signals;
};

hsa_status_t wait_group(hsa_signal_group_t group, const hsa_signal_condition_t* conditions,
                        const hsa_signal_value_t* values, hsa_signal_t* signal,
                        hsa_signal_value_t* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(group.handle, HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
  VROCM_REQUIRE_ARGUMENT(conditions && values && signal && value);
  const auto& members = reinterpret_cast<SignalGroup*>(group.handle)->signals;
  auto all = gather(static_cast<uint32_t>(members.size()), members.data(), conditions, values);
  const uint32_t found = wait_any(all, kForever);
  *signal = members[found];
  *value = all[found].seen;
  return HSA_STATUS_SUCCESS;
}

}  // namespace

namespace api {

hsa_signal_value_t hsa_signal_wait_relaxed(hsa_signal_t signal, hsa_signal_condition_t condition,
                                           hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                           hsa_wait_state_t) {
  return wait_one(signal, condition, compare_value, timeout_hint);
}

hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                             hsa_signal_value_t compare_value,
                                             uint64_t timeout_hint, hsa_wait_state_t) {
  return wait_one(signal, condition, compare_value, timeout_hint);
}

uint32_t hsa_amd_signal_wait_any(uint32_t signal_count, hsa_signal_t* signals,
                                 hsa_signal_condition_t* conds, hsa_signal_value_t* values,
                                 uint64_t timeout_hint, hsa_wait_state_t,
                                 hsa_signal_value_t* satisfying_value) {
  auto all = gather(signal_count, signals, conds, values);
  const uint32_t found = wait_any(all, timeout_hint);
  if (found != UINT32_MAX && satisfying_value) *satisfying_value = all[found].seen;
  return found;
}

uint32_t hsa_amd_signal_wait_all(uint32_t signal_count, hsa_signal_t* signals,
                                 hsa_signal_condition_t* conds, hsa_signal_value_t* values,
                                 uint64_t timeout_hint, hsa_wait_state_t,
                                 hsa_signal_value_t* satisfying_values) {
  auto all = gather(signal_count, signals, conds, values);
  const bool done = wait_for_signals(
      [&] {
        for (Awaited& one : all) {
          if (one.signal && !one.satisfied()) return false;
        }
        return true;
      },
      timeout_hint);
  if (!done) return UINT32_MAX;
  for (uint32_t i = 0; i < signal_count; ++i) {
    if (all[i].signal) arrive_after(all[i].signal);
    if (satisfying_values) satisfying_values[i] = all[i].seen;
  }
  return 0;
}

hsa_status_t hsa_signal_group_create(uint32_t num_signals, const hsa_signal_t* signals,
                                     uint32_t num_consumers, const hsa_agent_t* consumers,
                                     hsa_signal_group_t* signal_group) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(num_signals && signals && signal_group);
  VROCM_REQUIRE_ARGUMENT(num_consumers == 0 || consumers);
  for (uint32_t i = 0; i < num_signals; ++i) {
    VROCM_REQUIRE(Signal::from_handle(signals[i]), HSA_STATUS_ERROR_INVALID_SIGNAL);
  }
  auto* group = new SignalGroup{{signals, signals + num_signals}};
  signal_group->handle = reinterpret_cast<uint64_t>(group);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t signal_group) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(signal_group.handle, HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
  delete reinterpret_cast<SignalGroup*>(signal_group.handle);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t signal_group,
                                                 const hsa_signal_condition_t* conditions,
                                                 const hsa_signal_value_t* compare_values,
                                                 hsa_wait_state_t, hsa_signal_t* signal,
                                                 hsa_signal_value_t* value) {
  return wait_group(signal_group, conditions, compare_values, signal, value);
}

hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t signal_group,
                                               const hsa_signal_condition_t* conditions,
                                               const hsa_signal_value_t* compare_values,
                                               hsa_wait_state_t, hsa_signal_t* signal,
                                               hsa_signal_value_t* value) {
  return wait_group(signal_group, conditions, compare_values, signal, value);
}

}  // namespace api
}  // namespace vrocm
