// The ROCm profiler interface's door. Three ways lead through it, the first that exists is used:
// 1. librocprofiler-register.so.0 is installed: the tables are registered there, as ROCr does.
// 2. The process has a rocprofiler-sdk (rocprofiler_set_api_table): it gets the tables directly.
// 3. The process has a tool (rocprofiler_configure) without an SDK: the tool is configured here,
//    and rocprofiler_at_intercept_table_registration, which this library then provides, gives it
//    the HSA table. Nothing else of the SDK exists in this case.
#include <dlfcn.h>

#include <cstdint>
#include <vector>

#include "hsa/base/api.h"
#include "hsa/start/tools.h"

namespace vrocm {
namespace {

constexpr uint32_t kHsaVersion = 1 * 10000 + 18 * 100;  // of the tables' library, 1.18.0
constexpr int kSuccess = 0;
constexpr int kHsaTable = 1;  // ROCPROFILER_HSA_TABLE

using RegisterTable = int (*)(const char* name, uint32_t (*import)(), uint32_t version,
                              void** tables, uint64_t table_count, uint64_t* id);
using SetTable = int (*)(const char* name, uint64_t version, uint64_t instance, void** tables,
                         uint64_t table_count);
using TableCallback = void (*)(int type, uint64_t version, uint64_t instance, void** tables,
                               uint64_t table_count, void* user_data);

struct ClientId {
  size_t size;
  const char* name;
  uint32_t handle;
};

struct ConfigureResult {
  size_t size;
  int (*initialize)(void (*finalize)(ClientId), void* tool_data);
  void (*finalize)(void* tool_data);
  void* tool_data;
};

using Configure = ConfigureResult* (*)(uint32_t version, const char* runtime_version,
                                       uint32_t priority, ClientId* client);

struct Listener {
  TableCallback callback;
  void* data;
};

struct Door {
  std::vector<Listener> listeners;
  ConfigureResult* tool = nullptr;
};

Door& door() {
  static Door* instance = new Door;
  return *instance;
}

void finalize_client(ClientId) { finalize_profiler_tools(); }

bool configure_tool(Configure configure) {
  ClientId client{sizeof(ClientId), nullptr, 1};
  door().tool = configure(kHsaVersion, "virtual ROCm", 0, &client);
  if (!door().tool) return false;
  if (door().tool->initialize &&
      door().tool->initialize(&finalize_client, door().tool->tool_data) != 0) {
    door().tool = nullptr;
    return false;
  }
  void* table = current_tables();
  for (const Listener& listener : door().listeners) {
    listener.callback(kHsaTable, kHsaVersion, 0, &table, 1, listener.data);
  }
  return true;
}

}  // namespace
}  // namespace vrocm

extern "C" {

// rocprofiler-register asks the library for its version through this symbol.
uint32_t rocprofiler_register_import_hsa() { return vrocm::kHsaVersion; }

int rocprofiler_at_intercept_table_registration(vrocm::TableCallback callback, int libraries,
                                                void* data) {
  if (libraries & vrocm::kHsaTable) vrocm::door().listeners.push_back({callback, data});
  return vrocm::kSuccess;
}

}  // extern "C"

namespace vrocm {

bool register_with_profiler() {
  void* table = current_tables();
  if (void* library = dlopen("librocprofiler-register.so.0", RTLD_LAZY | RTLD_LOCAL)) {
    const auto register_table =
        reinterpret_cast<RegisterTable>(dlsym(library, "rocprofiler_register_library_api_table"));
    uint64_t id = 0;
    return register_table && register_table("hsa", &rocprofiler_register_import_hsa, kHsaVersion,
                                            &table, 1, &id) == kSuccess;
  }
  if (const auto set_table =
          reinterpret_cast<SetTable>(dlsym(RTLD_DEFAULT, "rocprofiler_set_api_table"))) {
    return set_table("hsa", kHsaVersion, 0, &table, 1) == kSuccess;
  }
  const auto configure = reinterpret_cast<Configure>(dlsym(RTLD_DEFAULT, "rocprofiler_configure"));
  return configure && configure_tool(configure);
}

void finalize_profiler_tools() {
  ConfigureResult* tool = door().tool;
  door().tool = nullptr;
  if (tool && tool->finalize) tool->finalize(tool->tool_data);
}

}  // namespace vrocm
