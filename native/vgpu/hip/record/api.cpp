#include "hip/core/api.h"

#include <cxxabi.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "arch/structure.h"
#include "hip/core/clock.h"
#include "hip/core/fallback.h"
#include "hip/record/recorder.h"
#include "vrocm/trace.h"

namespace vgpu::hip {
namespace {

thread_local hipError_t last_error = hipSuccess;
thread_local int depth = 0;  // HIP calls inside HIP calls are one call for the caller
std::atomic<uint64_t> next_id{1};

}  // namespace

uint64_t next_call_id() { return next_id++; }

ApiScope::ApiScope(const char* name) : name_(name), outermost_(depth++ == 0) {
  traced_ = outermost_ && recording("hip");
  if (!outermost_) return;
  id_ = next_call_id();
  parent_ = vrocm_correlation();
  vrocm_set_correlation(id_);
  start_ns_ = vrocm_host_now();
  vrocm_host_advance(call_cost_ns(name));
}

ApiScope::~ApiScope() {
  --depth;
  if (!outermost_) return;
  vrocm_set_correlation(parent_);
  if (traced_)
    record_api("hip", name_, id_, parent_, start_ns_, vrocm_host_now(), status_, arguments_);
}

hipError_t ApiScope::done(hipError_t status) {
  status_ = status;
  if (status != hipSuccess && status != hipErrorNotReady) last_error = status;
  return status;
}

std::vector<std::string> ApiScope::split_names(const char* names) {
  std::vector<std::string> result;
  std::string current;
  for (const char* c = names; *c; ++c) {
    if (*c == ',') {
      result.push_back(current);
      current.clear();
    } else if (*c != ' ') {
      current += *c;
    }
  }
  if (!current.empty()) result.push_back(current);
  return result;
}

std::string demangle(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : mangled;
  std::free(text);
  return result;
}

std::string describe_pointer(const void* pointer) {
  if (!pointer) return "(null)";
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(pointer)));
  return text;
}

hipError_t take_last_error() {
  hipError_t status = last_error;
  last_error = hipSuccess;
  return status;
}

hipError_t peek_last_error() { return last_error; }

hipError_t not_supported(const char* name) {
  static std::mutex mutex;
  static std::set<std::string> said;
  std::lock_guard<std::mutex> hold(mutex);
  if (said.insert(name).second)
    std::fprintf(stderr, "virtual ROCm: %s is not supported (hipErrorNotSupported)\n", name);
  return hipErrorNotSupported;
}

int answer_not_supported(const char* name) {
  ApiScope scope(name);
  return scope.done(not_supported(name));
}

uint64_t call_cost_ns(const char* api_name) {
  if (std::strstr(api_name, "Query")) return 0;
  return std::strstr(api_name, "Launch") ? arch::calibration::kLaunchCallNs
                                         : arch::calibration::kOtherCallNs;
}

}  // namespace vgpu::hip
