// What the environment asks a thread trace to hold. The rocprofv3 front end sets these variables.
//
//   VROCM_THREAD_TRACE            key=value,...: target_cu, simd_mask, se_mask, steps (instructions
//                                 kept per dispatch), iterations (1-1/3-5: which dispatches of a
//                                 kernel, counted from 1; default the first)
//   VROCM_THREAD_TRACE_INCLUDE    only kernels whose demangled name has a match of this regular
//   VROCM_THREAD_TRACE_EXCLUDE    expression (ECMAScript); those that have a match of this one not
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace vgpu {
namespace model {

struct ThreadTraceOptions {
  uint32_t target_unit = 1;  // CU within its shader engine
  uint32_t simd_mask = 0xf;
  uint64_t engine_mask = 1;  // of the simulated XCD, bits 0 to 3
  uint64_t most_steps = 20'000'000;
  std::vector<std::pair<uint64_t, uint64_t>> iterations{{1, 1}};  // first and last
  std::optional<std::regex> include, exclude;

  bool names(const std::string& demangled) const;
  bool has_iteration(uint64_t number) const;
};

// Null when no thread trace is asked for. Read once; a malformed value ends the program with a
// message.
const ThreadTraceOptions* thread_trace_options();

// The parser behind it. Throws std::invalid_argument, with the part that is wrong.
ThreadTraceOptions parse_thread_trace(const std::string& settings, const char* include,
                                      const char* exclude);

}  // namespace model
}  // namespace vgpu
