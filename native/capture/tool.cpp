// The two doors of the runtime: HSA_TOOLS_LIB calls OnLoad; a process with a profiler, which closes
// that door, calls rocprofiler_configure. Whichever comes first installs the tool.
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "capture.h"
#include "code_objects.h"
#include "gate.h"
#include "listing.h"
#include "memory.h"
#include "queues.h"
#include "settings.h"
#include "tables.h"

namespace capture {
namespace {

struct Originals {
  CoreApiTable core{};
  AmdExtTable amd{};
  hsa_ven_amd_loader_1_03_pfn_t loader{};
  bool installed = false;
};

Originals& originals() {
  static Originals* instance = new Originals;
  return *instance;
}

// The last member of each table that the tool uses; an older runtime's table ends before it.
bool has_members(const HsaApiTable& table) {
  const size_t core_end = offsetof(CoreApiTable, hsa_executable_iterate_agent_symbols_fn);
  const size_t amd_end = offsetof(AmdExtTable, hsa_amd_vmem_get_access_fn);
  return table.core_->version.minor_id > core_end && table.amd_ext_->version.minor_id > amd_end;
}

// The runtime's table may be shorter or longer than the one this was compiled with.
template <typename Table>
void keep(Table& copy, const Table& table) {
  std::memcpy(static_cast<void*>(&copy), &table,
              std::min<size_t>(sizeof copy, table.version.minor_id));
}

}  // namespace

std::shared_mutex& gate() {
  static auto* instance = new std::shared_mutex;
  return *instance;
}

const CoreApiTable& core() { return originals().core; }
const AmdExtTable& amd() { return originals().amd; }
const hsa_ven_amd_loader_1_03_pfn_t& loader() {
  Originals& all = originals();
  if (!all.loader.hsa_ven_amd_loader_loaded_code_object_get_info) {
    all.core.hsa_system_get_major_extension_table_fn(HSA_EXTENSION_AMD_LOADER, 1,
                                                     sizeof all.loader, &all.loader);
  }
  return all.loader;
}

std::string describe(const char* call, hsa_status_t status) {
  const char* text = nullptr;
  core().hsa_status_string_fn(status, &text);
  return std::string(call) + ": " + (text ? text : "status " + std::to_string(status));
}

bool install(HsaApiTable* table) {
  Originals& all = originals();
  if (all.installed || settings().folder.empty()) return true;
  if (!has_members(*table)) {
    std::fprintf(stderr, "rocm-perf isolate: this ROCm is too old: its HSA table lacks members\n");
    return false;
  }
  keep(all.core, *table->core_);
  keep(all.amd, *table->amd_ext_);
  all.installed = true;
  watch_memory(table);
  watch_code(table);
  watch_copies(table);
  watch_queues(table);
  watch_images(table);
  return true;
}

}  // namespace capture

namespace {

struct ConfigureResult {
  size_t size;
  int (*initialize)(void*, void*);
  void (*finalize)(void*);
  void* tool_data;
};

constexpr int kHsaTable = 1;  // ROCPROFILER_HSA_TABLE

void take_table(int type, uint64_t, uint64_t, void** tables, uint64_t count, void*) {
  if (type == kHsaTable && count > 0) capture::install(static_cast<HsaApiTable*>(tables[0]));
}

ConfigureResult configured = {sizeof(ConfigureResult), [](void*, void*) { return 0; },
                              [](void*) { capture::write_list(); }, nullptr};

__attribute__((destructor)) void process_ends() { capture::write_list(); }

}  // namespace

extern "C" {

#define EXPORTED __attribute__((visibility("default")))

// After all others: what they do to queues is then seen, and they still see every packet.
EXPORTED extern const uint32_t HSA_AMD_TOOL_PRIORITY = 1000;

EXPORTED bool OnLoad(HsaApiTable* table, uint64_t, uint64_t, const char* const*) {
  return capture::install(table);
}

EXPORTED void OnUnload() { capture::write_list(); }

EXPORTED ConfigureResult* rocprofiler_configure(uint32_t, const char*, uint32_t, void*) {
  using Register = int (*)(decltype(&take_table), int, void*);
  const auto ask = reinterpret_cast<Register>(
      dlsym(RTLD_DEFAULT, "rocprofiler_at_intercept_table_registration"));
  if (!ask) return nullptr;
  ask(take_table, kHsaTable, nullptr);
  return &configured;
}

}  // extern "C"
