// hsa_system_get_info and the extensions with their function tables.
#include <cstring>

#include "hsa/agent/agent.h"
#include "hsa/base/answer.h"
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/signal/virtual_clock.h"

namespace vrocm {
namespace {

constexpr const char* kBuildVersion = "1.18.0-rocm-perf-lab-virtual";

struct Extension {
  uint16_t id;
  const char* name;
  uint16_t minor;  // of major version 1
  bool supported;
};

constexpr Extension kExtensions[] = {
    {HSA_EXTENSION_FINALIZER, "HSA_EXTENSION_FINALIZER", 0, false},
    {HSA_EXTENSION_IMAGES, "HSA_EXTENSION_IMAGES", 0, false},
    {HSA_EXTENSION_PERFORMANCE_COUNTERS, "HSA_EXTENSION_PERFORMANCE_COUNTERS", 0, false},
    {HSA_EXTENSION_PROFILING_EVENTS, "HSA_EXTENSION_PROFILING_EVENTS", 0, false},
    {HSA_EXTENSION_AMD_PROFILER, "HSA_EXTENSION_AMD_PROFILER", 0, true},
    {HSA_EXTENSION_AMD_LOADER, "HSA_EXTENSION_AMD_LOADER", 3, true},
    {HSA_EXTENSION_AMD_AQLPROFILE, "HSA_EXTENSION_AMD_AQLPROFILE", 0, false},
    {HSA_EXTENSION_AMD_PC_SAMPLING, "HSA_EXTENSION_AMD_PC_SAMPLING", 0, false},
};

const Extension* extension_of(uint16_t id) {
  for (const Extension& extension : kExtensions) {
    if (extension.id == id) return &extension;
  }
  return nullptr;
}

hsa_status_t answer_extension_bits(void* value) {
  uint8_t bits[128] = {};
  for (const Extension& extension : kExtensions) {
    if (extension.supported) bits[extension.id / 8] |= uint8_t(1u << (extension.id % 8));
  }
  return answer(value, bits);
}

const hsa_ven_amd_loader_1_03_pfn_t kLoaderTable = {
    ::hsa_ven_amd_loader_query_host_address,
    ::hsa_ven_amd_loader_query_segment_descriptors,
    ::hsa_ven_amd_loader_query_executable,
    ::hsa_ven_amd_loader_executable_iterate_loaded_code_objects,
    ::hsa_ven_amd_loader_loaded_code_object_get_info,
    ::hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size,
    ::hsa_ven_amd_loader_iterate_executables,
};

}  // namespace

namespace api {

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(value);
  switch (attribute) {
    case HSA_SYSTEM_INFO_VERSION_MAJOR: return answer(value, uint16_t{1});
    case HSA_SYSTEM_INFO_VERSION_MINOR: return answer(value, uint16_t{18});
    case HSA_SYSTEM_INFO_TIMESTAMP: return answer(value, vrocm_host_now());
    case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY: return answer(value, kClockFrequency);
    case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT: return answer(value, uint64_t{UINT64_MAX});
    case HSA_SYSTEM_INFO_ENDIANNESS: return answer(value, HSA_ENDIANNESS_LITTLE);
    case HSA_SYSTEM_INFO_MACHINE_MODEL: return answer(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_SYSTEM_INFO_EXTENSIONS: return answer_extension_bits(value);
    case HSA_AMD_SYSTEM_INFO_BUILD_VERSION: return answer(value, kBuildVersion);
    case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED: return answer(value, true);
    case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT: return answer(value, false);
    case HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED: return answer(value, false);
    case HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED: return answer(value, true);
    case HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED: return answer(value, true);
    case HSA_AMD_SYSTEM_INFO_XNACK_ENABLED: return answer(value, false);
    case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR:
      return answer(value, uint16_t{HSA_AMD_INTERFACE_VERSION_MAJOR});
    case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR:
      return answer(value, uint16_t{HSA_AMD_INTERFACE_VERSION_MINOR});
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_extension_get_name(uint16_t extension, const char** name) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(name);
  const Extension* known = extension_of(extension);
  VROCM_REQUIRE_ARGUMENT(known);
  *name = known->name;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_major_extension_supported(uint16_t extension, uint16_t version_major,
                                                  uint16_t* version_minor, bool* result) {
  VROCM_REQUIRE_OPEN();
  const Extension* known = extension_of(extension);
  VROCM_REQUIRE_ARGUMENT(known && version_minor && result);
  *result = known->supported && version_major == 1;
  if (*result) *version_minor = known->minor;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_extension_supported(uint16_t extension, uint16_t version_major,
                                            uint16_t version_minor, bool* result) {
  uint16_t supported_minor = 0;
  const hsa_status_t status =
      api::hsa_system_major_extension_supported(extension, version_major, &supported_minor, result);
  if (status == HSA_STATUS_SUCCESS && *result) *result = version_minor <= supported_minor;
  return status;
}

hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t version_major,
                                                  size_t table_length, void* table) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(table && table_length);
  VROCM_REQUIRE(extension == HSA_EXTENSION_AMD_LOADER && version_major == 1, HSA_STATUS_ERROR);
  const size_t known = sizeof kLoaderTable;
  std::memcpy(table, &kLoaderTable, table_length < known ? table_length : known);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t version_major,
                                            uint16_t version_minor, void* table) {
  size_t length = sizeof(hsa_ven_amd_loader_1_00_pfn_t);
  if (version_minor == 1) length = sizeof(hsa_ven_amd_loader_1_01_pfn_t);
  if (version_minor == 2) length = sizeof(hsa_ven_amd_loader_1_02_pfn_t);
  if (version_minor == 3) length = sizeof(hsa_ven_amd_loader_1_03_pfn_t);
  return api::hsa_system_get_major_extension_table(extension, version_major, length, table);
}

hsa_status_t hsa_agent_major_extension_supported(uint16_t extension, hsa_agent_t agent,
                                                 uint16_t version_major, uint16_t* version_minor,
                                                 bool* result) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(agent_from_handle(agent), HSA_STATUS_ERROR_INVALID_AGENT);
  return api::hsa_system_major_extension_supported(extension, version_major, version_minor, result);
}

hsa_status_t hsa_agent_extension_supported(uint16_t extension, hsa_agent_t agent,
                                           uint16_t version_major, uint16_t version_minor,
                                           bool* result) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(agent_from_handle(agent), HSA_STATUS_ERROR_INVALID_AGENT);
  return api::hsa_system_extension_supported(extension, version_major, version_minor, result);
}

}  // namespace api
}  // namespace vrocm
