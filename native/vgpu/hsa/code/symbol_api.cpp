// Finding symbols of executables and asking about them.
#include <cstring>

#include "hsa/base/answer.h"
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/code/executable.h"

namespace vrocm {
namespace {

hsa_executable_symbol_t handle_of(const LoadedSymbol& symbol) {
  return {reinterpret_cast<uint64_t>(&symbol)};
}

hsa_status_t answer_variable(const LoadedSymbol& symbol, uint32_t attribute, void* value) {
  VROCM_REQUIRE_ARGUMENT(symbol.kind == HSA_SYMBOL_KIND_VARIABLE);
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS: return answer(value, symbol.address);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
      return answer(value,
                    symbol.agent ? HSA_VARIABLE_ALLOCATION_AGENT : HSA_VARIABLE_ALLOCATION_PROGRAM);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
      return answer(value, HSA_VARIABLE_SEGMENT_GLOBAL);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT: return answer(value, uint32_t{0});
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
      return answer(value, static_cast<uint32_t>(symbol.bytes));
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST: return answer(value, false);
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t answer_kernel(const LoadedSymbol& symbol, uint32_t attribute, void* value) {
  VROCM_REQUIRE_ARGUMENT(symbol.kind == HSA_SYMBOL_KIND_KERNEL);
  const amd_kernel_descriptor_t& descriptor = symbol.descriptor();
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT: return answer(value, symbol.address);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
      return answer(value, descriptor.kernarg_size);  // as ROCm: 0 where the descriptor says 0
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
      return answer(value, uint32_t{16});
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
      return answer(value, descriptor.group_segment_fixed_size);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
      return answer(value, descriptor.private_segment_fixed_size);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
      return answer(value, AMD_HSA_BITS_GET(descriptor.kernel_code_properties,
                                            AMD_KERNEL_DESCRIPTOR_USES_DYNAMIC_STACK) != 0);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION: return answer(value, uint32_t{0});
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

bool is_kernel_attribute(uint32_t attribute) {
  return (attribute >= HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE &&
          attribute <= HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK) ||
         attribute == HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION ||
         attribute == HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT;
}

}  // namespace

namespace api {

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char* symbol_name,
                                               const hsa_agent_t* agent,
                                               hsa_executable_symbol_t* symbol) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(symbol_name && symbol);
  const Executable* object = executable_from_handle(executable);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  const Agent* owner = agent ? agent_from_handle(*agent) : nullptr;
  VROCM_REQUIRE(!agent || owner, HSA_STATUS_ERROR_INVALID_AGENT);
  const LoadedSymbol* found = object->find(symbol_name, owner);
  VROCM_REQUIRE(found, HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  *symbol = handle_of(*found);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable, const char*,
                                       const char* symbol_name, hsa_agent_t agent, int32_t,
                                       hsa_executable_symbol_t* symbol) {
  return api::hsa_executable_get_symbol_by_name(executable, symbol_name,
                                                agent.handle ? &agent : nullptr, symbol);
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t executable_symbol,
                                            hsa_executable_symbol_info_t attribute, void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(value);
  VROCM_REQUIRE(executable_symbol.handle, HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
  const auto& symbol = *reinterpret_cast<const LoadedSymbol*>(executable_symbol.handle);
  const auto length = static_cast<uint32_t>(symbol.name.size());
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE: return answer(value, symbol.kind);
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH: return answer(value, length);
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
      std::memcpy(value, symbol.name.data(), length);  // no terminator, as the length says
      return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH: return answer(value, uint32_t{0});
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME: return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_AGENT:
      return answer(value, symbol.agent ? symbol.agent->handle() : hsa_agent_t{0});
    case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE: return answer(value, HSA_SYMBOL_LINKAGE_PROGRAM);
    case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION: return answer(value, symbol.is_definition);
    default:
      return is_kernel_attribute(attribute) ? answer_kernel(symbol, attribute, value)
                                            : answer_variable(symbol, attribute, value);
  }
}

hsa_status_t hsa_executable_iterate_symbols(hsa_executable_t executable,
                                            hsa_status_t (*callback)(hsa_executable_t exec,
                                                                     hsa_executable_symbol_t symbol,
                                                                     void* data),
                                            void* data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  const Executable* object = executable_from_handle(executable);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  for (const auto& symbol : object->symbols) {
    const hsa_status_t status = callback(executable, handle_of(*symbol), data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_iterate_agent_symbols(
    hsa_executable_t executable, hsa_agent_t agent,
    hsa_status_t (*callback)(hsa_executable_t exec, hsa_agent_t agent,
                             hsa_executable_symbol_t symbol, void* data),
    void* data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  const Executable* object = executable_from_handle(executable);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  const Agent* owner = agent_from_handle(agent);
  VROCM_REQUIRE(owner, HSA_STATUS_ERROR_INVALID_AGENT);
  for (const auto& symbol : object->symbols) {
    if (symbol->agent != owner) continue;
    const hsa_status_t status = callback(executable, agent, handle_of(*symbol), data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_iterate_program_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t exec, hsa_executable_symbol_t symbol, void* data),
    void* data) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  const Executable* object = executable_from_handle(executable);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  for (const auto& symbol : object->symbols) {
    if (symbol->agent) continue;
    const hsa_status_t status = callback(executable, handle_of(*symbol), data);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
