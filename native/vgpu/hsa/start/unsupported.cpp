// What a gfx942 without graphics, or this device, does not have. Each says so.
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"

namespace vrocm {
namespace api {

#define NOT_SUPPORTED(name, ...)                                      \
  hsa_status_t name(__VA_ARGS__) {                                    \
    return static_cast<hsa_status_t>(HSA_STATUS_ERROR_NOT_SUPPORTED); \
  }

// HSAIL finalizer: ROCm has none either.
NOT_SUPPORTED(hsa_ext_program_create, hsa_machine_model_t, hsa_profile_t,
              hsa_default_float_rounding_mode_t, const char*, hsa_ext_program_t*)
NOT_SUPPORTED(hsa_ext_program_destroy, hsa_ext_program_t)
NOT_SUPPORTED(hsa_ext_program_add_module, hsa_ext_program_t, hsa_ext_module_t)
NOT_SUPPORTED(hsa_ext_program_iterate_modules, hsa_ext_program_t,
              hsa_status_t (*)(hsa_ext_program_t, hsa_ext_module_t, void*), void*)
NOT_SUPPORTED(hsa_ext_program_get_info, hsa_ext_program_t, hsa_ext_program_info_t, void*)
NOT_SUPPORTED(hsa_ext_program_finalize, hsa_ext_program_t, hsa_isa_t, int32_t,
              hsa_ext_control_directives_t, const char*, hsa_code_object_type_t, hsa_code_object_t*)

// Images: gfx942 has no texture hardware.
NOT_SUPPORTED(hsa_ext_image_get_capability, hsa_agent_t, hsa_ext_image_geometry_t,
              const hsa_ext_image_format_t*, uint32_t*)
NOT_SUPPORTED(hsa_ext_image_get_capability_with_layout, hsa_agent_t, hsa_ext_image_geometry_t,
              const hsa_ext_image_format_t*, hsa_ext_image_data_layout_t, uint32_t*)
NOT_SUPPORTED(hsa_ext_image_data_get_info, hsa_agent_t, const hsa_ext_image_descriptor_t*,
              hsa_access_permission_t, hsa_ext_image_data_info_t*)
NOT_SUPPORTED(hsa_ext_image_data_get_info_with_layout, hsa_agent_t,
              const hsa_ext_image_descriptor_t*, hsa_access_permission_t,
              hsa_ext_image_data_layout_t, size_t, size_t, hsa_ext_image_data_info_t*)
NOT_SUPPORTED(hsa_ext_image_create, hsa_agent_t, const hsa_ext_image_descriptor_t*, const void*,
              hsa_access_permission_t, hsa_ext_image_t*)
NOT_SUPPORTED(hsa_ext_image_create_with_layout, hsa_agent_t, const hsa_ext_image_descriptor_t*,
              const void*, hsa_access_permission_t, hsa_ext_image_data_layout_t, size_t, size_t,
              hsa_ext_image_t*)
NOT_SUPPORTED(hsa_ext_image_destroy, hsa_agent_t, hsa_ext_image_t)
NOT_SUPPORTED(hsa_ext_image_copy, hsa_agent_t, hsa_ext_image_t, const hsa_dim3_t*, hsa_ext_image_t,
              const hsa_dim3_t*, const hsa_dim3_t*)
NOT_SUPPORTED(hsa_ext_image_import, hsa_agent_t, const void*, size_t, size_t, hsa_ext_image_t,
              const hsa_ext_image_region_t*)
NOT_SUPPORTED(hsa_ext_image_export, hsa_agent_t, hsa_ext_image_t, void*, size_t, size_t,
              const hsa_ext_image_region_t*)
NOT_SUPPORTED(hsa_ext_image_clear, hsa_agent_t, hsa_ext_image_t, const void*,
              const hsa_ext_image_region_t*)
NOT_SUPPORTED(hsa_ext_sampler_create, hsa_agent_t, const hsa_ext_sampler_descriptor_t*,
              hsa_ext_sampler_t*)
NOT_SUPPORTED(hsa_ext_sampler_create_v2, hsa_agent_t, const hsa_ext_sampler_descriptor_v2_t*,
              hsa_ext_sampler_t*)
NOT_SUPPORTED(hsa_ext_sampler_destroy, hsa_agent_t, hsa_ext_sampler_t)
NOT_SUPPORTED(hsa_amd_image_create, hsa_agent_t, const hsa_ext_image_descriptor_t*,
              const hsa_amd_image_descriptor_t*, const void*, hsa_access_permission_t,
              hsa_ext_image_t*)

// Sharing with a graphics driver.
NOT_SUPPORTED(hsa_amd_interop_map_buffer, uint32_t, hsa_agent_t*, int, uint32_t, size_t*, void**,
              size_t*, const void**)
NOT_SUPPORTED(hsa_amd_interop_unmap_buffer, void*)

// Streaming performance monitors and PC sampling need hardware that is not modelled.
NOT_SUPPORTED(hsa_amd_spm_acquire, hsa_agent_t)
NOT_SUPPORTED(hsa_amd_spm_release, hsa_agent_t)
NOT_SUPPORTED(hsa_amd_spm_set_dest_buffer, hsa_agent_t, size_t, uint32_t*, uint32_t*, void*, bool*)
NOT_SUPPORTED(hsa_ven_amd_pcs_iterate_configuration, hsa_agent_t,
              hsa_ven_amd_pcs_iterate_configuration_callback_t, void*)
NOT_SUPPORTED(hsa_ven_amd_pcs_create, hsa_agent_t, hsa_ven_amd_pcs_method_kind_t,
              hsa_ven_amd_pcs_units_t, size_t, size_t, size_t,
              hsa_ven_amd_pcs_data_ready_callback_t, void*, hsa_ven_amd_pcs_t*)
NOT_SUPPORTED(hsa_ven_amd_pcs_create_from_id, uint32_t, hsa_agent_t, hsa_ven_amd_pcs_method_kind_t,
              hsa_ven_amd_pcs_units_t, size_t, size_t, size_t,
              hsa_ven_amd_pcs_data_ready_callback_t, void*, hsa_ven_amd_pcs_t*)
NOT_SUPPORTED(hsa_ven_amd_pcs_destroy, hsa_ven_amd_pcs_t)
NOT_SUPPORTED(hsa_ven_amd_pcs_start, hsa_ven_amd_pcs_t)
NOT_SUPPORTED(hsa_ven_amd_pcs_stop, hsa_ven_amd_pcs_t)
NOT_SUPPORTED(hsa_ven_amd_pcs_flush, hsa_ven_amd_pcs_t)

#undef NOT_SUPPORTED

// A device fault ends the process with a report, as ROCr's does without handlers; there is nothing
// left to call them.
hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback,
                                                   void*) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  return HSA_STATUS_SUCCESS;
}

// The only log there is on hardware lists the packets of copy kernels; copies need none here.
hsa_status_t hsa_amd_enable_logging(uint8_t* flags, void*) {
  VROCM_REQUIRE_ARGUMENT(flags);
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm

// The one AMD function that stands in no table.
extern "C" hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t agent,
                                                       hsa_agent_info_t attribute, void* value) {
  return vrocm::api::hsa_agent_get_info(agent, attribute, value);
}
