// hsa_executable_*: creating, loading, defining variables, freezing.
#include <algorithm>

#include "hsa/base/answer.h"
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/code/executable.h"

namespace vrocm {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<Executable*> live;
};

Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

hsa_status_t define_variable(hsa_executable_t handle, Agent* agent, const char* name,
                             void* address) {
  VROCM_REQUIRE_ARGUMENT(name);
  Executable* executable = executable_from_handle(handle);
  VROCM_REQUIRE(executable, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  VROCM_REQUIRE(executable->state == HSA_EXECUTABLE_STATE_UNFROZEN,
                HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  VROCM_REQUIRE(!executable->find(name, agent), HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  executable->add({executable, agent, name, HSA_SYMBOL_KIND_VARIABLE,
                   reinterpret_cast<uint64_t>(address), 0, false});
  return HSA_STATUS_SUCCESS;
}

}  // namespace

void with_executables(const std::function<void(std::vector<Executable*>&)>& use) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  use(registry().live);
}

Executable* executable_from_handle(hsa_executable_t handle) {
  Executable* found = nullptr;
  with_executables([&](std::vector<Executable*>& live) {
    for (Executable* executable : live) {
      if (executable->handle().handle == handle.handle) found = executable;
    }
  });
  return found;
}

LoadedSymbol* Executable::find(const std::string& name, const Agent* agent) const {
  const auto range = by_name_.equal_range(name);
  for (auto it = range.first; it != range.second; ++it) {
    const Agent* owner = it->second->agent;
    if (!agent || !owner || owner == agent) return it->second;
  }
  return nullptr;
}

void Executable::add(LoadedSymbol symbol) {
  symbols.push_back(std::make_unique<LoadedSymbol>(std::move(symbol)));
  by_name_.emplace(symbols.back()->name, symbols.back().get());
}

void Executable::drop_symbols_from(size_t first) {
  symbols.resize(first);
  by_name_.clear();
  for (const auto& symbol : symbols) by_name_.emplace(symbol->name, symbol.get());
}

namespace api {

hsa_status_t hsa_executable_create_alt(
    hsa_profile_t profile, hsa_default_float_rounding_mode_t default_float_rounding_mode,
    const char*, hsa_executable_t* executable) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(executable && profile <= HSA_PROFILE_FULL);
  VROCM_REQUIRE_ARGUMENT(default_float_rounding_mode <= HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  auto* created = new Executable;
  created->profile = profile;
  created->rounding = default_float_rounding_mode;
  with_executables([&](std::vector<Executable*>& live) { live.push_back(created); });
  *executable = created->handle();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t executable_state,
                                   const char* options, hsa_executable_t* executable) {
  const hsa_status_t status = api::hsa_executable_create_alt(
      profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, options, executable);
  if (status == HSA_STATUS_SUCCESS && executable_state == HSA_EXECUTABLE_STATE_FROZEN) {
    return api::hsa_executable_freeze(*executable, options);
  }
  return status;
}

hsa_status_t hsa_executable_destroy(hsa_executable_t executable) {
  VROCM_REQUIRE_OPEN();
  Executable* object = executable_from_handle(executable);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  with_executables([&](std::vector<Executable*>& live) {
    live.erase(std::find(live.begin(), live.end(), object));
  });
  delete object;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                   hsa_code_object_reader_t code_object_reader,
                                                   const char*,
                                                   hsa_loaded_code_object_t* loaded_code_object) {
  VROCM_REQUIRE_OPEN();
  Executable* object = executable_from_handle(executable);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  VROCM_REQUIRE(object->state == HSA_EXECUTABLE_STATE_UNFROZEN, HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  Agent* target = agent_from_handle(agent);
  VROCM_REQUIRE(target && target->is_gpu(), HSA_STATUS_ERROR_INVALID_AGENT);
  const CodeBytes* code = code_from_reader(code_object_reader);
  VROCM_REQUIRE(code, HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  LoadedCodeObject* loaded = nullptr;
  const hsa_status_t status = load_code_object(*object, *target, *code, &loaded);
  if (status == HSA_STATUS_SUCCESS && loaded_code_object) *loaded_code_object = loaded->handle();
  return status;
}

// gfx942 code objects always belong to an agent.
hsa_status_t hsa_executable_load_program_code_object(hsa_executable_t executable,
                                                     hsa_code_object_reader_t code_object_reader,
                                                     const char*, hsa_loaded_code_object_t*) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE(executable_from_handle(executable), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  VROCM_REQUIRE(code_object_reader.handle, HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
}

hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char*) {
  VROCM_REQUIRE_OPEN();
  Executable* object = executable_from_handle(executable);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  VROCM_REQUIRE(object->state == HSA_EXECUTABLE_STATE_UNFROZEN, HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  object->state = HSA_EXECUTABLE_STATE_FROZEN;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_get_info(hsa_executable_t executable, hsa_executable_info_t attribute,
                                     void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(value);
  const Executable* object = executable_from_handle(executable);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  switch (attribute) {
    case HSA_EXECUTABLE_INFO_PROFILE: return answer(value, object->profile);
    case HSA_EXECUTABLE_INFO_STATE: return answer(value, object->state);
    case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE: return answer(value, object->rounding);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable,
                                                   const char* variable_name, void* address) {
  VROCM_REQUIRE_OPEN();
  return define_variable(executable, nullptr, variable_name, address);
}

hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable,
                                                         hsa_agent_t agent,
                                                         const char* variable_name, void* address) {
  VROCM_REQUIRE_OPEN();
  Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_AGENT);
  return define_variable(executable, object, variable_name, address);
}

hsa_status_t hsa_executable_readonly_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                     const char* variable_name, void* address) {
  return api::hsa_executable_agent_global_variable_define(executable, agent, variable_name,
                                                          address);
}

hsa_status_t hsa_executable_validate(hsa_executable_t executable, uint32_t* result) {
  return api::hsa_executable_validate_alt(executable, nullptr, result);
}

hsa_status_t hsa_executable_validate_alt(hsa_executable_t executable, const char*,
                                         uint32_t* result) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(result);
  VROCM_REQUIRE(executable_from_handle(executable), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  *result = 0;  // loading checks everything; what is loaded is valid
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
