// The functions of hsa.h that exist once per memory order: atomic operations on signals and on
// queue indices. Included by hsa.h only. The last three orders are deprecated spellings.
#ifndef ROCM_PERF_LAB_HSA_MEMORY_ORDER_H
#define ROCM_PERF_LAB_HSA_MEMORY_ORDER_H

#define HSA_EACH_ORDER(declare, name) \
  declare(name##_relaxed); \
  declare(name##_scacquire); \
  declare(name##_screlease); \
  declare(name##_scacq_screl); \
  declare(name##_acquire); \
  declare(name##_release); \
  declare(name##_acq_rel)
#define HSA_EACH_LOAD_ORDER(declare, name) \
  declare(name##_relaxed); \
  declare(name##_scacquire); \
  declare(name##_acquire)
#define HSA_EACH_STORE_ORDER(declare, name) \
  declare(name##_relaxed); \
  declare(name##_screlease); \
  declare(name##_release)

#define HSA_SIGNAL_UPDATE(name) void name(hsa_signal_t signal, hsa_signal_value_t value)
#define HSA_SIGNAL_LOAD(name) hsa_signal_value_t name(hsa_signal_t signal)
#define HSA_SIGNAL_EXCHANGE(name) \
  hsa_signal_value_t name(hsa_signal_t signal, hsa_signal_value_t value)
#define HSA_SIGNAL_CAS(name) \
  hsa_signal_value_t name( \
      hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value)
#define HSA_SIGNAL_WAIT(name) \
  hsa_signal_value_t name(hsa_signal_t signal, hsa_signal_condition_t condition, \
                          hsa_signal_value_t compare_value, uint64_t timeout_hint, \
                          hsa_wait_state_t wait_state_hint)

HSA_EACH_LOAD_ORDER(HSA_SIGNAL_LOAD, hsa_signal_load);
HSA_EACH_STORE_ORDER(HSA_SIGNAL_UPDATE, hsa_signal_store);
HSA_SIGNAL_UPDATE(hsa_signal_silent_store_relaxed);
HSA_SIGNAL_UPDATE(hsa_signal_silent_store_screlease);
HSA_EACH_LOAD_ORDER(HSA_SIGNAL_WAIT, hsa_signal_wait);
HSA_EACH_ORDER(HSA_SIGNAL_EXCHANGE, hsa_signal_exchange);
HSA_EACH_ORDER(HSA_SIGNAL_CAS, hsa_signal_cas);
HSA_EACH_ORDER(HSA_SIGNAL_UPDATE, hsa_signal_add);
HSA_EACH_ORDER(HSA_SIGNAL_UPDATE, hsa_signal_subtract);
HSA_EACH_ORDER(HSA_SIGNAL_UPDATE, hsa_signal_and);
HSA_EACH_ORDER(HSA_SIGNAL_UPDATE, hsa_signal_or);
HSA_EACH_ORDER(HSA_SIGNAL_UPDATE, hsa_signal_xor);

#define HSA_INDEX_LOAD(name) uint64_t name(const hsa_queue_t* queue)
#define HSA_INDEX_STORE(name) void name(const hsa_queue_t* queue, uint64_t value)
#define HSA_INDEX_ADD(name) uint64_t name(const hsa_queue_t* queue, uint64_t value)
#define HSA_INDEX_CAS(name) \
  uint64_t name(const hsa_queue_t* queue, uint64_t expected, uint64_t value)

HSA_EACH_LOAD_ORDER(HSA_INDEX_LOAD, hsa_queue_load_read_index);
HSA_EACH_LOAD_ORDER(HSA_INDEX_LOAD, hsa_queue_load_write_index);
HSA_EACH_STORE_ORDER(HSA_INDEX_STORE, hsa_queue_store_read_index);
HSA_EACH_STORE_ORDER(HSA_INDEX_STORE, hsa_queue_store_write_index);
HSA_EACH_ORDER(HSA_INDEX_ADD, hsa_queue_add_write_index);
HSA_EACH_ORDER(HSA_INDEX_CAS, hsa_queue_cas_write_index);

#endif
