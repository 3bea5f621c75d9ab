// The queue as the command processor and kernels see it (hidden queue_ptr argument).
#ifndef ROCM_PERF_LAB_AMD_HSA_QUEUE_H
#define ROCM_PERF_LAB_AMD_HSA_QUEUE_H

#include "amd_hsa_common.h"
#include "hsa.h"

typedef uint32_t amd_queue_properties32_t;
enum amd_queue_properties_t {
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER, 0, 1),
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_QUEUE_PROPERTIES_IS_PTR64, 1, 1),
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_DEBUG_SGPRS, 2, 1),
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_QUEUE_PROPERTIES_ENABLE_PROFILING, 3, 1),
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE, 4, 1),
};

typedef struct AMD_HSA_ALIGNED(64) amd_queue_s {
  hsa_queue_t hsa_queue;
  uint32_t caps, reserved1[3];
  volatile uint64_t write_dispatch_id;
  uint32_t group_segment_aperture_base_hi, private_segment_aperture_base_hi;
  uint32_t max_cu_id, max_wave_id;
  volatile uint64_t max_legacy_doorbell_dispatch_id_plus_1;
  volatile uint32_t legacy_doorbell_lock;
  uint32_t reserved2[9];
  volatile uint64_t read_dispatch_id;
  uint32_t read_dispatch_id_field_base_byte_offset;
  uint32_t compute_tmpring_size;
  uint32_t scratch_resource_descriptor[4];
  uint64_t scratch_backing_memory_location;
  uint32_t reserved3[2];
  uint32_t scratch_wave64_lane_byte_size;
  amd_queue_properties32_t queue_properties;
  uint32_t reserved4[2];
  hsa_signal_t queue_inactive_signal;
  uint32_t reserved5[14];
} amd_queue_t;

#define MAX_NUM_XCC 128
typedef struct scratch_last_used_index_xcc_s {
  volatile uint64_t main, alt;
} scratch_last_used_index_xcc_t;

// The same with the fields of asynchronous scratch reclaim (gfx94x firmware).
typedef struct AMD_HSA_ALIGNED(64) amd_queue_v2_s {
  hsa_queue_t hsa_queue;
  uint32_t caps, reserved1[3];
  volatile uint64_t write_dispatch_id;
  uint32_t group_segment_aperture_base_hi, private_segment_aperture_base_hi;
  uint32_t max_cu_id, max_wave_id;
  volatile uint64_t max_legacy_doorbell_dispatch_id_plus_1;
  volatile uint32_t legacy_doorbell_lock;
  uint32_t reserved2[9];
  volatile uint64_t read_dispatch_id;
  uint32_t read_dispatch_id_field_base_byte_offset;
  uint32_t compute_tmpring_size;
  uint32_t scratch_resource_descriptor[4];
  uint64_t scratch_backing_memory_location;
  uint64_t scratch_backing_memory_byte_size;
  uint32_t scratch_wave64_lane_byte_size;
  amd_queue_properties32_t queue_properties;
  volatile uint64_t scratch_max_use_index;
  hsa_signal_t queue_inactive_signal;
  volatile uint64_t alt_scratch_max_use_index;
  uint32_t alt_scratch_resource_descriptor[4];
  uint64_t alt_scratch_backing_memory_location;
  uint32_t alt_scratch_dispatch_limit_x, alt_scratch_dispatch_limit_y;
  uint32_t alt_scratch_dispatch_limit_z;
  uint32_t alt_scratch_wave64_lane_byte_size;
  uint32_t alt_compute_tmpring_size;
  uint32_t reserved5;
  scratch_last_used_index_xcc_t scratch_last_used_index[MAX_NUM_XCC];
} amd_queue_v2_t;

#ifdef __cplusplus
static_assert(sizeof(hsa_queue_t) == 40, "ROCm 7 layout");
static_assert(offsetof(amd_queue_t, write_dispatch_id) == 56, "ROCm 7 layout");
static_assert(offsetof(amd_queue_t, read_dispatch_id) == 128, "ROCm 7 layout");
static_assert(sizeof(amd_queue_t) == 256, "ROCm 7 layout");
static_assert(offsetof(amd_queue_v2_t, read_dispatch_id) == 128, "ROCm 7 layout");
static_assert(offsetof(amd_queue_v2_t, scratch_last_used_index) == 256, "ROCm 7 layout");
static_assert(sizeof(amd_queue_v2_t) == 2304, "ROCm 7 layout");
#endif

#endif
