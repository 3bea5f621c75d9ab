// The two doors of the runtime: HSA_TOOLS_LIB calls OnLoad; a process with a profiler, which closes
// that door, calls rocprofiler_configure. Whichever comes first installs the tool.
#include <dlfcn.h>

#include "contents/code_objects.h"
#include "contents/images.h"
#include "contents/memory.h"
#include "hooks/in_flight.h"
#include "hooks/settings.h"
#include "hooks/tables.h"
#include "tool/listing.h"
#include "tool/queues.h"

namespace {

bool install(HsaApiTable* table) {
  static bool installed = false;
  if (installed || capture::settings().folder.empty()) return true;
  if (!capture::keep_originals(*table)) return false;
  installed = true;
  capture::watch_memory(table);
  capture::watch_code(table);
  capture::watch_copies(table);
  capture::watch_queues(table);
  capture::watch_images(table);
  return true;
}

struct ConfigureResult {
  size_t size;
  int (*initialize)(void*, void*);
  void (*finalize)(void*);
  void* tool_data;
};

constexpr int kHsaTable = 1;  // ROCPROFILER_HSA_TABLE

void take_table(int type, uint64_t, uint64_t, void** tables, uint64_t count, void*) {
  if (type == kHsaTable && count > 0) install(static_cast<HsaApiTable*>(tables[0]));
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
  return install(table);
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
