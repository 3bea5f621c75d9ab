#include "hooks/settings.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <regex>

namespace capture {
namespace {

constexpr double kDrainSeconds = 600;

std::string text_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

uint64_t number_of(const char* variable) {
  return std::strtoull(text_of(variable).c_str(), nullptr, 10);
}

Settings read() {
  Settings found;
  found.folder = text_of("ROCM_PERF_CAPTURE_OUT");
  found.list_only = text_of("ROCM_PERF_CAPTURE_LIST") == "1";
  found.dispatch = number_of("ROCM_PERF_CAPTURE_DISPATCH");
  found.max_bytes = number_of("ROCM_PERF_CAPTURE_MAX_BYTES");
  const std::string drain = text_of("ROCM_PERF_CAPTURE_DRAIN_SECONDS");
  found.drain_seconds = drain.empty() ? kDrainSeconds : std::strtod(drain.c_str(), nullptr);
  return found;
}

// An expression that cannot be read matches nothing; the message says why nothing is captured.
std::optional<std::regex> wanted_kernels() {
  const std::string pattern = text_of("ROCM_PERF_CAPTURE_KERNEL");
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    std::fprintf(stderr, "rocm-perf isolate: --kernel '%s' is no regular expression: %s\n",
                 pattern.c_str(), error.what());
    return std::nullopt;
  }
}

}  // namespace

const Settings& settings() {
  static const Settings* value = new Settings(read());
  return *value;
}

bool kernel_is_wanted(const std::string& mangled, const std::string& demangled) {
  static const auto* pattern = new std::optional<std::regex>(wanted_kernels());
  return *pattern &&
         (std::regex_search(demangled, **pattern) || std::regex_search(mangled, **pattern));
}

}  // namespace capture
