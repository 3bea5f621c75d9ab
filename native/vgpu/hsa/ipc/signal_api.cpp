// Creating signals and operating on their values.
#include <vector>

#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/ipc/ipc_signal.h"
#include "hsa/signal/signal.h"
#include "hsa/signal/virtual_clock.h"

namespace vrocm {
namespace {

// Seeing a value means coming after the write that made it.
int64_t observe(const Signal* signal) {
  const int64_t value = signal->load();
  vrocm_host_advance_to(signal->time());
  return value;
}

}  // namespace

namespace api {

hsa_status_t hsa_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                               const hsa_agent_t* consumers, hsa_signal_t* signal) {
  return api::hsa_amd_signal_create(initial_value, num_consumers, consumers, 0, signal);
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                   const hsa_agent_t* consumers, uint64_t attributes,
                                   hsa_signal_t* signal) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(signal && (num_consumers == 0 || consumers));
  VROCM_REQUIRE_ARGUMENT(
      (attributes & ~uint64_t{HSA_AMD_SIGNAL_AMD_GPU_ONLY | HSA_AMD_SIGNAL_IPC}) == 0);
  const bool shared = attributes & HSA_AMD_SIGNAL_IPC;
  Signal* created = shared ? create_ipc_signal(initial_value) : Signal::create(initial_value);
  VROCM_REQUIRE(created, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  *signal = created->handle();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(signal.handle);
  Signal* object = Signal::from_handle(signal);
  VROCM_REQUIRE(object && !object->doorbell(), HSA_STATUS_ERROR_INVALID_SIGNAL);
  if (!release_ipc_signal(object)) object->destroy();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal,
                                          volatile hsa_signal_value_t** value_ptr) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(value_ptr);
  Signal* object = Signal::from_handle(signal);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_SIGNAL);
  *value_ptr = object->value_pointer();
  return HSA_STATUS_SUCCESS;
}

// Every order has the strongest one: the host's atomic operations cost nothing next to a dispatch.
#define EACH_ORDER(define, name, expression)                              \
  define(name##_relaxed, expression) define(name##_scacquire, expression) \
      define(name##_screlease, expression) define(name##_scacq_screl, expression)
#define DEFINE_UPDATE(name, expression)                                               \
  void name(hsa_signal_t signal, hsa_signal_value_t value) {                          \
    Signal::from_handle(signal)->update([value](int64_t old) { return expression; }); \
  }
#define DEFINE_EXCHANGE(name, expression)                                  \
  hsa_signal_value_t name(hsa_signal_t signal, hsa_signal_value_t value) { \
    return Signal::from_handle(signal)->store(expression);                 \
  }
#define DEFINE_CAS(name, expression)                                        \
  hsa_signal_value_t name(hsa_signal_t signal, hsa_signal_value_t expected, \
                          hsa_signal_value_t value) {                       \
    return Signal::from_handle(signal)->update(                             \
        [value, expected](int64_t old) { return expression; });             \
  }

// Signals wrap around, as the hardware's atomics do.
#define WRAP(a, op, b) static_cast<int64_t>(static_cast<uint64_t>(a) op static_cast<uint64_t>(b))

EACH_ORDER(DEFINE_UPDATE, hsa_signal_add, WRAP(old, +, value))
EACH_ORDER(DEFINE_UPDATE, hsa_signal_subtract, WRAP(old, -, value))
EACH_ORDER(DEFINE_UPDATE, hsa_signal_and, old& value)
EACH_ORDER(DEFINE_UPDATE, hsa_signal_or, old | value)
EACH_ORDER(DEFINE_UPDATE, hsa_signal_xor, old ^ value)
EACH_ORDER(DEFINE_EXCHANGE, hsa_signal_exchange, value)
EACH_ORDER(DEFINE_CAS, hsa_signal_cas, old == expected ? value : old)

hsa_signal_value_t hsa_signal_load_relaxed(hsa_signal_t signal) {
  return observe(Signal::from_handle(signal));
}
hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t signal) {
  return observe(Signal::from_handle(signal));
}
void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  Signal::from_handle(signal)->store(value);
}
void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  Signal::from_handle(signal)->store(value);
}
void hsa_signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  Signal::from_handle(signal)->store_silently(value);
}
void hsa_signal_silent_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  Signal::from_handle(signal)->store_silently(value);
}

}  // namespace api
}  // namespace vrocm
