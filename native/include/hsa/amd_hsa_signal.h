// A signal in memory. A signal handle is the address of this structure.
#ifndef ROCM_PERF_LAB_AMD_HSA_SIGNAL_H
#define ROCM_PERF_LAB_AMD_HSA_SIGNAL_H

#include "amd_hsa_common.h"
#include "amd_hsa_queue.h"

typedef int64_t amd_signal_kind64_t;
enum amd_signal_kind_t {
  AMD_SIGNAL_KIND_INVALID = 0,
  AMD_SIGNAL_KIND_USER = 1,
  AMD_SIGNAL_KIND_DOORBELL = -1,
  AMD_SIGNAL_KIND_LEGACY_DOORBELL = -2
};

typedef struct AMD_HSA_ALIGNED(64) amd_signal_s {
  amd_signal_kind64_t kind;
  union {
    volatile int64_t value;
    volatile uint64_t* hardware_doorbell_ptr;
  };
  uint64_t event_mailbox_ptr;
  uint32_t event_id;
  uint32_t reserved1;
  uint64_t start_ts;
  uint64_t end_ts;
  union {
    amd_queue_v2_t* queue_ptr;
    uint64_t reserved2;
  };
  uint32_t reserved3[2];
} amd_signal_t;

#ifdef __cplusplus
static_assert(sizeof(amd_signal_t) == 64, "ROCm 7 layout");
static_assert(offsetof(amd_signal_t, value) == 8, "ROCm 7 layout");
static_assert(offsetof(amd_signal_t, start_ts) == 32, "ROCm 7 layout");
#endif

#endif
