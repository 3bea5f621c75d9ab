// HSA_TOOLS_LIB: libraries with OnLoad(table, runtime version, failed tools) and OnUnload.
#include "hsa/start/tools.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "hsa/base/api.h"

namespace vrocm {
namespace {

using OnLoad = bool (*)(HsaApiTable* table, uint64_t runtime_version, uint64_t failed_tool_count,
                        const char* const* failed_tool_names);
using OnUnload = void (*)();

constexpr uint64_t kRuntimeVersion = 1;

struct Tool {
  std::string name;
  void* library;
  uint32_t priority;  // HSA_AMD_TOOL_PRIORITY; lower is loaded earlier
};

struct Tools {
  std::vector<Tool> loaded;
  std::vector<std::string> failed;
};

Tools& tools() {
  static Tools* instance = new Tools;
  return *instance;
}

uint32_t priority_of(void* library) {
  const auto* priority = static_cast<const uint32_t*>(dlsym(library, "HSA_AMD_TOOL_PRIORITY"));
  return priority ? *priority : 0;
}

// Names are separated by spaces or colons.
std::vector<std::string> named_in_environment() {
  std::vector<std::string> names;
  const char* list = std::getenv("HSA_TOOLS_LIB");
  std::string current;
  for (const char* c = list ? list : "";; ++c) {
    if (*c && *c != ' ' && *c != ':') {
      current += *c;
      continue;
    }
    if (!current.empty()) names.push_back(current);
    current.clear();
    if (!*c) return names;
  }
}

// Libraries already in the process (LD_PRELOAD) that say they are tools.
std::vector<Tool> preloaded() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        if (info->dlpi_name && *info->dlpi_name) {
          static_cast<std::vector<std::string>*>(data)->push_back(info->dlpi_name);
        }
        return 0;
      },
      &paths);
  std::vector<Tool> found;
  for (const std::string& path : paths) {
    void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (!library) continue;
    if (dlsym(library, "HSA_AMD_TOOL_PRIORITY") && dlsym(library, "OnLoad")) {
      found.push_back({path, library, priority_of(library)});
    } else {
      dlclose(library);
    }
  }
  return found;
}

bool already_listed(const std::vector<Tool>& list, void* library) {
  return std::any_of(list.begin(), list.end(),
                     [library](const Tool& tool) { return tool.library == library; });
}

std::vector<Tool> candidates(std::vector<std::string>& failed) {
  std::vector<Tool> found;
  for (const std::string& name : named_in_environment()) {
    void* library = dlopen(name.c_str(), RTLD_NOW);
    if (!library) {
      std::fprintf(stderr, "virtual ROCm: cannot load the tool %s of HSA_TOOLS_LIB: %s\n",
                   name.c_str(), dlerror());
      failed.push_back(name);
    } else if (!already_listed(found, library)) {
      found.push_back({name, library, priority_of(library)});
    }
  }
  for (const Tool& tool : preloaded()) {
    if (!already_listed(found, tool.library)) found.push_back(tool);
  }
  std::multimap<uint32_t, Tool> by_priority;  // equal priorities keep their order
  for (const Tool& tool : found) by_priority.emplace(tool.priority, tool);
  found.clear();
  for (const auto& entry : by_priority) found.push_back(entry.second);
  return found;
}

bool start(const Tool& tool, const std::vector<std::string>& failed) {
  const auto on_load = reinterpret_cast<OnLoad>(dlsym(tool.library, "OnLoad"));
  if (!on_load) {
    std::fprintf(stderr, "virtual ROCm: the tool %s has no OnLoad function\n", tool.name.c_str());
    return false;
  }
  std::vector<const char*> names;
  for (const std::string& name : failed) names.push_back(name.c_str());
  return on_load(current_tables(), kRuntimeVersion, names.size(), names.data());
}

bool legacy_tools_wanted() {
  const char* wanted = std::getenv("HSA_TOOLS_ROCPROFILER_V1_TOOLS");
  return wanted && *wanted && std::string(wanted) != "0";
}

}  // namespace

void load_tools() {
  if (register_with_profiler() && !legacy_tools_wanted()) return;
  Tools& t = tools();
  for (const Tool& tool : candidates(t.failed)) {
    if (start(tool, t.failed)) {
      t.loaded.push_back(tool);
    } else {
      t.failed.push_back(tool.name);
      dlclose(tool.library);
    }
  }
}

void unload_tools() {
  Tools& t = tools();
  std::vector<Tool> leaving;
  leaving.swap(t.loaded);
  t.failed.clear();
  for (auto tool = leaving.rbegin(); tool != leaving.rend(); ++tool) {
    const auto on_unload = reinterpret_cast<OnUnload>(dlsym(tool->library, "OnUnload"));
    if (on_unload) on_unload();
    dlclose(tool->library);
  }
  finalize_profiler_tools();
}

}  // namespace vrocm
