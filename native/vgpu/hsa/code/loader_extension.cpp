// AMD's loader extension: which code is loaded where.
#include <cstring>

#include "hsa/base/answer.h"
#include "hsa/base/runtime.h"
#include "hsa/code/executable.h"

namespace vrocm {
namespace {

// The loaded code object that holds a device address, or null.
LoadedCodeObject* object_at(const void* device_address) {
  const auto address = reinterpret_cast<uint64_t>(device_address);
  LoadedCodeObject* found = nullptr;
  with_executables([&](std::vector<Executable*>& live) {
    for (Executable* executable : live) {
      for (const auto& object : executable->code_objects) {
        if (address - object->load_base < object->load_size) found = object.get();
      }
    }
  });
  return found;
}

std::vector<hsa_ven_amd_loader_segment_descriptor_t> segment_descriptors() {
  std::vector<hsa_ven_amd_loader_segment_descriptor_t> all;
  with_executables([&](std::vector<Executable*>& live) {
    for (Executable* executable : live) {
      if (executable->state != HSA_EXECUTABLE_STATE_FROZEN) continue;
      for (const auto& object : executable->code_objects) {
        for (const Elf64_Phdr& segment : object->segments) {
          all.push_back({object->agent->handle(), executable->handle(),
                         HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY, object->code.data,
                         object->code.size, segment.p_offset,
                         reinterpret_cast<void*>(segment.p_vaddr + object->load_delta),
                         segment.p_memsz});
        }
      }
    }
  });
  return all;
}

hsa_status_t answer_loaded(const LoadedCodeObject& object, uint32_t attribute, void* value) {
  switch (attribute) {
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE:
      return answer(value, object.executable->handle());
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND:
      return answer(value, uint32_t{HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT});
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT:
      return answer(value, object.agent->handle());
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
      return answer(value, uint32_t{HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY});
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE:
      return answer(value, reinterpret_cast<uint64_t>(object.code.data));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE:
      return answer(value, uint64_t{object.code.size});
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA:
      return answer(value, object.load_delta);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE:
      return answer(value, object.load_base);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE:
      return answer(value, uint64_t{object.load_size});
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH:
      return answer(value, static_cast<uint32_t>(object.code.uri.size()));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI:
      std::memcpy(value, object.code.uri.data(), object.code.uri.size());  // no terminator
      return HSA_STATUS_SUCCESS;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

}  // namespace
}  // namespace vrocm

using namespace vrocm;

extern "C" {

// The loaded image is host memory, so the host address is the device address itself.
hsa_status_t hsa_ven_amd_loader_query_host_address(const void* device_address,
                                                   const void** host_address) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(device_address && host_address && object_at(device_address));
  *host_address = device_address;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ven_amd_loader_query_segment_descriptors(
    hsa_ven_amd_loader_segment_descriptor_t* segment_descriptors_out,
    size_t* num_segment_descriptors) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(num_segment_descriptors);
  VROCM_REQUIRE_ARGUMENT(!segment_descriptors_out == (*num_segment_descriptors == 0));
  const auto all = segment_descriptors();
  if (!segment_descriptors_out) {
    *num_segment_descriptors = all.size();
    return HSA_STATUS_SUCCESS;
  }
  VROCM_REQUIRE(*num_segment_descriptors == all.size(), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  std::memcpy(segment_descriptors_out, all.data(), all.size() * sizeof all[0]);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ven_amd_loader_query_executable(const void* device_address,
                                                 hsa_executable_t* executable) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(device_address && executable);
  const LoadedCodeObject* object = object_at(device_address);
  VROCM_REQUIRE_ARGUMENT(object);
  *executable = object->executable->handle();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t executable,
                             hsa_loaded_code_object_t loaded_code_object, void* data),
    void* data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  const Executable* object = executable_from_handle(executable);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  for (const auto& loaded : object->code_objects) {
    const hsa_status_t status = callback(executable, loaded->handle(), data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ven_amd_loader_loaded_code_object_get_info(
    hsa_loaded_code_object_t loaded_code_object,
    hsa_ven_amd_loader_loaded_code_object_info_t attribute, void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(value);
  VROCM_REQUIRE(loaded_code_object.handle, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  return answer_loaded(*reinterpret_cast<const LoadedCodeObject*>(loaded_code_object.handle),
                       attribute, value);
}

hsa_status_t hsa_ven_amd_loader_iterate_executables(
    hsa_status_t (*callback)(hsa_executable_t executable, void* data), void* data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  std::vector<Executable*> snapshot;
  with_executables([&](std::vector<Executable*>& live) { snapshot = live; });
  for (Executable* executable : snapshot) {
    const hsa_status_t status = callback(executable->handle(), data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

}  // extern "C"
