// The API tables: filled with the runtime's own functions before anything can call them.
#include "hsa/base/api.h"

// entry_points.S addresses these by name; their layout is fixed by hsa_api_trace.h.
extern "C" {
__attribute__((visibility("hidden"))) CoreApiTable vrocm_core_table;
__attribute__((visibility("hidden"))) AmdExtTable vrocm_amd_ext_table;
__attribute__((visibility("hidden"))) FinalizerExtTable vrocm_finalizer_table;
__attribute__((visibility("hidden"))) ImageExtTable vrocm_image_table;
__attribute__((visibility("hidden"))) PcSamplingExtTable vrocm_pc_sampling_table;
}

namespace vrocm {
namespace {

hsa_status_t ignore_event(hsa_amd_tool_event_t) { return HSA_STATUS_SUCCESS; }

ToolsApiTable tools_table;
HsaApiTable root_table;

#define VROCM_ENTRY(name) &api::name,
const CoreApiTable kCore = {
    {HSA_CORE_API_TABLE_MAJOR_VERSION, sizeof(CoreApiTable), HSA_CORE_API_TABLE_STEP_VERSION, 0},
    HSA_CORE_API(VROCM_ENTRY)};
const AmdExtTable kAmdExt = {{HSA_AMD_EXT_API_TABLE_MAJOR_VERSION, sizeof(AmdExtTable),
                              HSA_AMD_EXT_API_TABLE_STEP_VERSION, 0},
                             HSA_AMD_EXT_API(VROCM_ENTRY)};
const FinalizerExtTable kFinalizer = {
    {HSA_FINALIZER_API_TABLE_MAJOR_VERSION, sizeof(FinalizerExtTable),
     HSA_FINALIZER_API_TABLE_STEP_VERSION, 0},
    HSA_FINALIZER_API(VROCM_ENTRY)};
const ImageExtTable kImage = {
    {HSA_IMAGE_API_TABLE_MAJOR_VERSION, sizeof(ImageExtTable), HSA_IMAGE_API_TABLE_STEP_VERSION, 0},
    HSA_IMAGE_API(VROCM_ENTRY)};
const PcSamplingExtTable kPcSampling = {
    {HSA_PC_SAMPLING_API_TABLE_MAJOR_VERSION, sizeof(PcSamplingExtTable),
     HSA_PC_SAMPLING_API_TABLE_STEP_VERSION, 0},
    HSA_PC_SAMPLING_API(VROCM_ENTRY)};
#undef VROCM_ENTRY
const ToolsApiTable kTools = {
    {HSA_TOOLS_API_TABLE_MAJOR_VERSION, sizeof(ToolsApiTable), HSA_TOOLS_API_TABLE_STEP_VERSION, 0},
    &ignore_event,
    &ignore_event,
    &ignore_event,
    &ignore_event,
    &ignore_event,
    &ignore_event};

// Runs before any constructor of the program: exported functions may be called from those.
__attribute__((constructor(101))) void fill_tables() { reset_tables(); }

}  // namespace

HsaApiTable* current_tables() { return &root_table; }

void reset_tables() {
  vrocm_core_table = kCore;
  vrocm_amd_ext_table = kAmdExt;
  vrocm_finalizer_table = kFinalizer;
  vrocm_image_table = kImage;
  vrocm_pc_sampling_table = kPcSampling;
  tools_table = kTools;
  root_table = {{HSA_API_TABLE_MAJOR_VERSION, sizeof(HsaApiTable), HSA_API_TABLE_STEP_VERSION, 0},
                &vrocm_core_table,
                &vrocm_amd_ext_table,
                &vrocm_finalizer_table,
                &vrocm_image_table,
                &tools_table,
                &vrocm_pc_sampling_table};
}

}  // namespace vrocm
