// A tool of the profiler interface: rocprofiler_configure, then the HSA table by registration.
#include <cstdio>

#include "hsa/hsa_api_trace.h"

extern "C" int rocprofiler_at_intercept_table_registration(
    void (*callback)(int, uint64_t, uint64_t, void**, uint64_t, void*), int libraries, void* data);

struct ConfigureResult {
  size_t size;
  int (*initialize)(void*, void*);
  void (*finalize)(void*);
  void* tool_data;
};

static decltype(hsa_signal_create)* original_create;

static hsa_status_t create_signal(hsa_signal_value_t value, uint32_t count,
                                  const hsa_agent_t* consumers, hsa_signal_t* signal) {
  std::printf("profiler: signal %lld\n", static_cast<long long>(value));
  return original_create(value, count, consumers, signal);
}

static void take_table(int type, uint64_t, uint64_t, void** tables, uint64_t count, void*) {
  auto* table = static_cast<HsaApiTable*>(tables[0]);
  std::printf("profiler: table %d of %llu\n", type, static_cast<unsigned long long>(count));
  original_create = table->core_->hsa_signal_create_fn;
  table->core_->hsa_signal_create_fn = create_signal;
}

static ConfigureResult result = {
    sizeof(ConfigureResult),
    [](void*, void*) { return 0; },
    [](void*) { std::printf("profiler: finalize\n"); },
    nullptr,
};

extern "C" __attribute__((visibility("default"))) ConfigureResult* rocprofiler_configure(
    uint32_t, const char* runtime, uint32_t, void*) {
  std::printf("profiler: configure for %s\n", runtime);
  rocprofiler_at_intercept_table_registration(take_table, 1, nullptr);
  return &result;
}
