// What to capture, from the environment that `rocm-perf isolate` sets.
#pragma once

#include <cstdint>
#include <string>

namespace capture {

struct Settings {
  std::string folder;        // ROCM_PERF_CAPTURE_OUT: an existing folder; empty: the tool is off
  bool list_only = false;    // ROCM_PERF_CAPTURE_LIST=1: count dispatches, capture nothing
  uint64_t dispatch = 0;     // ROCM_PERF_CAPTURE_DISPATCH: which of the matching dispatches, from 0
  uint64_t max_bytes = 0;    // ROCM_PERF_CAPTURE_MAX_BYTES: most bytes to store; 0: no limit
  double drain_seconds = 0;  // ROCM_PERF_CAPTURE_DRAIN_SECONDS: how long earlier work may take
};

const Settings& settings();

// Whether ROCM_PERF_CAPTURE_KERNEL, a regular expression, is found in either name.
bool kernel_is_wanted(const std::string& mangled, const std::string& demangled);

}  // namespace capture
