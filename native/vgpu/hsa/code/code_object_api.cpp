// The interface to code objects from before readers existed. Loading works; asking a code object
// about its symbols does not, and executables answer those questions.
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/code/code_bytes.h"
#include "hsa/code/executable.h"

namespace vrocm {
namespace {

CodeBytes* code_of(hsa_code_object_t code_object) {
  return reinterpret_cast<CodeBytes*>(code_object.handle);
}

constexpr auto kNotSupported = static_cast<hsa_status_t>(HSA_STATUS_ERROR_NOT_SUPPORTED);

}  // namespace

namespace api {

hsa_status_t hsa_code_object_deserialize(void* serialized_code_object,
                                         size_t serialized_code_object_size, const char*,
                                         hsa_code_object_t* code_object) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(serialized_code_object && serialized_code_object_size && code_object);
  const auto* bytes = static_cast<const uint8_t*>(serialized_code_object);
  auto owned = std::make_shared<std::vector<uint8_t>>(bytes, bytes + serialized_code_object_size);
  auto* code = new CodeBytes(code_in_memory(owned->data(), owned->size()));
  code->owned = std::move(owned);
  code_object->handle = reinterpret_cast<uint64_t>(code);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_destroy(hsa_code_object_t code_object) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(code_object.handle, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  delete code_of(code_object);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                             hsa_code_object_t code_object, const char* options) {
  VROCM_REQUIRE(code_object.handle, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  return api::hsa_executable_load_agent_code_object(executable, agent, {code_object.handle},
                                                    options, nullptr);
}

hsa_status_t hsa_code_object_serialize(hsa_code_object_t,
                                       hsa_status_t (*)(size_t, hsa_callback_data_t, void**),
                                       hsa_callback_data_t, const char*, void**, size_t*) {
  return kNotSupported;
}
hsa_status_t hsa_code_object_get_info(hsa_code_object_t, hsa_code_object_info_t, void*) {
  return kNotSupported;
}
hsa_status_t hsa_code_object_get_symbol(hsa_code_object_t, const char*, hsa_code_symbol_t*) {
  return kNotSupported;
}
hsa_status_t hsa_code_object_get_symbol_from_name(hsa_code_object_t, const char*, const char*,
                                                  hsa_code_symbol_t*) {
  return kNotSupported;
}
hsa_status_t hsa_code_symbol_get_info(hsa_code_symbol_t, hsa_code_symbol_info_t, void*) {
  return kNotSupported;
}
hsa_status_t hsa_code_object_iterate_symbols(
    hsa_code_object_t, hsa_status_t (*)(hsa_code_object_t, hsa_code_symbol_t, void*), void*) {
  return kNotSupported;
}

}  // namespace api
}  // namespace vrocm
