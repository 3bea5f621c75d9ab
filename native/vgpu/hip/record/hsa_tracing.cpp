#include "hip/record/hsa_tracing.h"

#include <hsa/hsa_api_list.h>
#include <hsa/hsa_api_trace.h>

#include "hip/core/api.h"
#include "hip/core/clock.h"
#include "hip/record/recorder.h"
#include "vrocm/trace.h"

namespace vgpu::hip {
namespace {

// Writes the record when the call returns.
class HsaCall {
 public:
  explicit HsaCall(const char* name) : name_(name), start_ns_(vrocm_host_now()) {}
  ~HsaCall() {
    record_api("hsa", name_, next_call_id(), vrocm_correlation(), start_ns_, vrocm_host_now(), 0,
               {});
  }

 private:
  const char* name_;
  uint64_t start_ns_;
};

// One wrapper per table entry: `Entry` has its name, and makes the type unique.
template <class Entry, class Function>
struct Traced;

template <class Entry, class Result, class... Arguments>
struct Traced<Entry, Result (*)(Arguments...)> {
  static Result (*original)(Arguments...);
  static Result call(Arguments... arguments) {
    HsaCall record(Entry::name);
    return original(arguments...);
  }
};
template <class Entry, class Result, class... Arguments>
Result (*Traced<Entry, Result (*)(Arguments...)>::original)(Arguments...) = nullptr;

template <class Entry, class Function>
void wrap(Function& entry) {
  Traced<Entry, Function>::original = entry;
  entry = &Traced<Entry, Function>::call;
}

#define ENTRY(function)                            \
  struct Entry_##function {                        \
    static constexpr const char* name = #function; \
  };
HSA_CORE_API(ENTRY)
HSA_AMD_EXT_API(ENTRY)
#undef ENTRY

}  // namespace

void trace_hsa_calls() {
  HsaApiTable* tables = vrocm_api_tables();
#define WRAP_CORE(function) wrap<Entry_##function>(tables->core_->function##_fn);
#define WRAP_AMD(function) wrap<Entry_##function>(tables->amd_ext_->function##_fn);
  HSA_CORE_API(WRAP_CORE)
  HSA_AMD_EXT_API(WRAP_AMD)
#undef WRAP_CORE
#undef WRAP_AMD
}

}  // namespace vgpu::hip
