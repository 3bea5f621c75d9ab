// The API tables that the runtime hands to tools (C++), queue interception, and table copies.
#ifndef ROCM_PERF_LAB_HSA_API_TRACE_H
#define ROCM_PERF_LAB_HSA_API_TRACE_H

#include <cstddef>
#include <cstring>

#include "hsa.h"
#include "hsa_amd_tool.h"
#include "hsa_api_list.h"
#include "hsa_api_trace_version.h"
#include "hsa_ext_amd.h"
#include "hsa_ext_finalize.h"
#include "hsa_ext_image.h"
#include "hsa_ven_amd_pc_sampling.h"

// --- Queue interception -------------------------------------------------------------------------

// A vendor packet that an intercepted queue does not send on: it calls back when it is reached.
const uint32_t AMD_AQL_FORMAT_INTERCEPT_MARKER = 0xFE;
struct amd_aql_intercept_marker_s;
typedef void (*amd_intercept_marker_handler)(const struct amd_aql_intercept_marker_s* packet,
                                             hsa_queue_t* queue, uint64_t packet_id);
typedef struct amd_aql_intercept_marker_s {
  uint16_t header;
  uint8_t format;
  uint8_t reserved[5];
  amd_intercept_marker_handler callback;
  uint64_t user_data[6];
} amd_aql_intercept_marker_t;

typedef void (*hsa_amd_queue_intercept_packet_writer)(const void* pkts, uint64_t pkt_count);
typedef void (*hsa_amd_queue_intercept_handler)(const void* pkts, uint64_t pkt_count,
                                                uint64_t user_pkt_index, void* data,
                                                hsa_amd_queue_intercept_packet_writer writer);
typedef void (*hsa_amd_runtime_queue_notifier)(const hsa_queue_t* queue, hsa_agent_t agent,
                                               void* data);

// These three are reached through the table.
hsa_status_t hsa_amd_queue_intercept_register(hsa_queue_t* queue,
                                              hsa_amd_queue_intercept_handler callback,
                                              void* user_data);
hsa_status_t hsa_amd_queue_intercept_create(
    hsa_agent_t agent_handle, uint32_t size, hsa_queue_type32_t type,
    void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data), void* data,
    uint32_t private_segment_size, uint32_t group_segment_size, hsa_queue_t** queue);
hsa_status_t hsa_amd_runtime_queue_create_register(hsa_amd_runtime_queue_notifier callback,
                                                   void* user_data);

// --- Tables -------------------------------------------------------------------------------------

struct ApiTableVersion {
  uint32_t major_id;
  uint32_t minor_id;  // bytes of the table that follows
  uint32_t step_id;
  uint32_t reserved;
};

#define HSA_API_MEMBER(name) decltype(name)* name##_fn;
struct CoreApiTable {
  ApiTableVersion version;
  HSA_CORE_API(HSA_API_MEMBER)
};
struct AmdExtTable {
  ApiTableVersion version;
  HSA_AMD_EXT_API(HSA_API_MEMBER)
};
struct FinalizerExtTable {
  ApiTableVersion version;
  HSA_FINALIZER_API(HSA_API_MEMBER)
};
struct ImageExtTable {
  ApiTableVersion version;
  HSA_IMAGE_API(HSA_API_MEMBER)
};
struct PcSamplingExtTable {
  ApiTableVersion version;
  HSA_PC_SAMPLING_API(HSA_API_MEMBER)
};
#undef HSA_API_MEMBER

struct ToolsApiTable {
  ApiTableVersion version;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_alloc_start_fn;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_alloc_end_fn;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_free_start_fn;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_free_end_fn;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_async_reclaim_start_fn;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_async_reclaim_end_fn;
};

struct HsaApiTable {
  ApiTableVersion version;
  CoreApiTable* core_;
  AmdExtTable* amd_ext_;
  FinalizerExtTable* finalizer_ext_;
  ImageExtTable* image_ext_;
  ToolsApiTable* tools_;
  PcSamplingExtTable* pc_sampling_ext_;
};

static_assert(sizeof(HsaApiTable) == 64, "ROCm 7 layout");
static_assert(sizeof(CoreApiTable) == 1016, "ROCm 7 layout");
static_assert(sizeof(AmdExtTable) == 608, "ROCm 7 layout");
static_assert(sizeof(ImageExtTable) == 128, "ROCm 7 layout");
static_assert(offsetof(CoreApiTable, hsa_queue_create_fn) == 72, "ROCm 7 layout");
static_assert(offsetof(AmdExtTable, hsa_amd_queue_intercept_create_fn) == 312, "ROCm 7 layout");
static_assert(offsetof(AmdExtTable, hsa_amd_queue_intercept_register_fn) == 320, "ROCm 7 layout");
static_assert(sizeof(amd_aql_intercept_marker_t) == 64, "an AQL packet");

// A root table together with all tables that it points to.
struct HsaApiTableContainer {
  HsaApiTable root;
  CoreApiTable core;
  AmdExtTable amd_ext;
  FinalizerExtTable finalizer_ext;
  ImageExtTable image_ext;
  ToolsApiTable tools;
  PcSamplingExtTable pc_sampling_ext;

  HsaApiTableContainer() {
    root = {{HSA_API_TABLE_MAJOR_VERSION, sizeof(root), HSA_API_TABLE_STEP_VERSION, 0},
            &core, &amd_ext, &finalizer_ext, &image_ext, &tools, &pc_sampling_ext};
    core.version = {HSA_CORE_API_TABLE_MAJOR_VERSION, sizeof(core),
                    HSA_CORE_API_TABLE_STEP_VERSION, 0};
    amd_ext.version = {HSA_AMD_EXT_API_TABLE_MAJOR_VERSION, sizeof(amd_ext),
                       HSA_AMD_EXT_API_TABLE_STEP_VERSION, 0};
    finalizer_ext.version = {HSA_FINALIZER_API_TABLE_MAJOR_VERSION, sizeof(finalizer_ext),
                             HSA_FINALIZER_API_TABLE_STEP_VERSION, 0};
    image_ext.version = {HSA_IMAGE_API_TABLE_MAJOR_VERSION, sizeof(image_ext),
                         HSA_IMAGE_API_TABLE_STEP_VERSION, 0};
    tools.version = {HSA_TOOLS_API_TABLE_MAJOR_VERSION, sizeof(tools),
                     HSA_TOOLS_API_TABLE_STEP_VERSION, 0};
    pc_sampling_ext.version = {HSA_PC_SAMPLING_API_TABLE_MAJOR_VERSION, sizeof(pc_sampling_ext),
                               HSA_PC_SAMPLING_API_TABLE_STEP_VERSION, 0};
  }
};

// --- Copies across versions ---------------------------------------------------------------------

// Copies the members that both tables have; a table of another major version becomes empty.
static inline void copyElement(ApiTableVersion* dest, ApiTableVersion* src) {
  if (src->major_id == 0 || dest->major_id != src->major_id) {
    *dest = ApiTableVersion{0, 0, 0, dest->reserved};
    return;
  }
  dest->step_id = src->step_id;
  if (src->minor_id < dest->minor_id) dest->minor_id = src->minor_id;
  std::memcpy(dest + 1, src + 1, dest->minor_id - sizeof(ApiTableVersion));
}

static inline void copyTables(const HsaApiTable* src, HsaApiTable* dest) {
  if (dest->version.major_id != src->version.major_id) {
    dest->version = ApiTableVersion{0, 0, 0, dest->version.reserved};
    return;
  }
  dest->version.step_id = src->version.step_id;
  if (src->version.minor_id < dest->version.minor_id) {
    dest->version.minor_id = src->version.minor_id;
  }
#define HSA_COPY_TABLE(member) \
  if (offsetof(HsaApiTable, member) < dest->version.minor_id) \
    copyElement(&dest->member->version, &src->member->version);
  HSA_COPY_TABLE(core_)
  HSA_COPY_TABLE(amd_ext_)
  HSA_COPY_TABLE(finalizer_ext_)
  HSA_COPY_TABLE(image_ext_)
  HSA_COPY_TABLE(tools_)
  HSA_COPY_TABLE(pc_sampling_ext_)
#undef HSA_COPY_TABLE
}

#endif
