#include "hsa/agent/isa.h"

#include "hsa/agent/agent.h"
#include "hsa/base/answer.h"
#include "hsa/base/api.h"
#include "hsa/base/gfx942.h"
#include "hsa/base/runtime.h"

namespace vrocm {

const std::vector<Isa>& isas() {
  static const auto* list = new std::vector<Isa>{{gfx942::kIsaName}, {gfx942::kGenericIsaName}};
  return *list;
}

const Isa* isa_from_handle(hsa_isa_t handle) {
  for (const Isa& isa : isas()) {
    if (isa.handle().handle == handle.handle) return &isa;
  }
  return nullptr;
}

namespace {

// The one wavefront size; any non-null handle will do.
const int kWavefront = 0;

}  // namespace

namespace api {

hsa_status_t hsa_isa_from_name(const char* name, hsa_isa_t* isa) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(name && isa);
  for (const Isa& known : isas()) {
    if (known.name == name || known.name.substr(0, known.name.find(':')) == name) {
      *isa = known.handle();
      return HSA_STATUS_SUCCESS;
    }
  }
  return HSA_STATUS_ERROR_INVALID_ISA_NAME;
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent,
                                    hsa_status_t (*callback)(hsa_isa_t isa, void* data),
                                    void* data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  const Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_AGENT);
  if (!object->is_gpu()) return HSA_STATUS_SUCCESS;
  for (const Isa& isa : isas()) {
    const hsa_status_t status = callback(isa.handle(), data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t attribute, void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(value);
  const Isa* object = isa_from_handle(isa);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_ISA);
  constexpr uint16_t side = gfx942::kWorkgroupMaxSize;
  switch (attribute) {
    case HSA_ISA_INFO_NAME_LENGTH:
      return answer(value, static_cast<uint32_t>(object->name.size() + 1));
    case HSA_ISA_INFO_NAME: return answer_text(value, object->name, object->name.size() + 1);
    case HSA_ISA_INFO_CALL_CONVENTION_COUNT: return answer(value, uint32_t{1});
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE:
      return answer(value, gfx942::kWavefrontSize);
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT:
      return answer(value, gfx942::kWavesPerCu);
    case HSA_ISA_INFO_MACHINE_MODELS: {
      const bool models[2] = {false, true};  // small, large
      return answer(value, models);
    }
    case HSA_ISA_INFO_PROFILES: {
      const bool profiles[2] = {true, false};  // base, full
      return answer(value, profiles);
    }
    case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
    case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES: {
      const bool modes[3] = {false, false, true};  // default, zero, near
      return answer(value, modes);
    }
    case HSA_ISA_INFO_FAST_F16_OPERATION: return answer(value, true);
    case HSA_ISA_INFO_WORKGROUP_MAX_DIM: {
      const uint16_t dim[3] = {side, side, side};
      return answer(value, dim);
    }
    case HSA_ISA_INFO_WORKGROUP_MAX_SIZE: return answer(value, uint32_t{side});
    case HSA_ISA_INFO_GRID_MAX_DIM:
      return answer(value, hsa_dim3_t{UINT32_MAX, UINT32_MAX, UINT32_MAX});
    case HSA_ISA_INFO_GRID_MAX_SIZE: return answer(value, uint64_t{UINT64_MAX});
    case HSA_ISA_INFO_FBARRIER_MAX_SIZE: return answer(value, uint32_t{32});
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index,
                              void* value) {
  VROCM_REQUIRE(index == 0, HSA_STATUS_ERROR_INVALID_INDEX);
  return api::hsa_isa_get_info_alt(isa, attribute, value);
}

hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t isa, hsa_profile_t, uint16_t* mask) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(isa_from_handle(isa), HSA_STATUS_ERROR_INVALID_ISA);
  VROCM_REQUIRE_ARGUMENT(mask);
  *mask = 0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_get_round_method(hsa_isa_t isa, hsa_fp_type_t, hsa_flush_mode_t,
                                      hsa_round_method_t* round_method) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(isa_from_handle(isa), HSA_STATUS_ERROR_INVALID_ISA);
  VROCM_REQUIRE_ARGUMENT(round_method);
  *round_method = HSA_ROUND_METHOD_SINGLE;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_compatible(hsa_isa_t code_object_isa, hsa_isa_t agent_isa, bool* result) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(isa_from_handle(code_object_isa) && isa_from_handle(agent_isa),
                HSA_STATUS_ERROR_INVALID_ISA);
  VROCM_REQUIRE_ARGUMENT(result);
  *result = true;  // the device executes both of its instruction sets
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_iterate_wavefronts(
    hsa_isa_t isa, hsa_status_t (*callback)(hsa_wavefront_t wavefront, void* data), void* data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(isa_from_handle(isa), HSA_STATUS_ERROR_INVALID_ISA);
  VROCM_REQUIRE_ARGUMENT(callback);
  return callback({reinterpret_cast<uint64_t>(&kWavefront)}, data);
}

hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute,
                                    void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(wavefront.handle == reinterpret_cast<uint64_t>(&kWavefront),
                HSA_STATUS_ERROR_INVALID_WAVEFRONT);
  VROCM_REQUIRE_ARGUMENT(value && attribute == HSA_WAVEFRONT_INFO_SIZE);
  return answer(value, gfx942::kWavefrontSize);
}

}  // namespace api
}  // namespace vrocm
