#include "exec/group/settings.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace vgpu {
namespace {

constexpr double kDefaultTimeout = 600;
constexpr double kDefaultProgress = 5;  // on a terminal

// A non-negative number from the environment, or `otherwise` when the variable is not set.
double number(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return otherwise;
  char* end = nullptr;
  double value = std::strtod(text, &end);
  if (*end || !(value >= 0)) {
    std::fprintf(stderr, "virtual MI300X: %s=%s is not a number >= 0\n", variable, text);
    std::_Exit(2);  // a queue's thread may read this: at exit, others would wait for it
  }
  return value;
}

Timing timing() {
  const char* text = std::getenv("VROCM_TIMING");
  if (text && std::strcmp(text, "full") == 0) return Timing::Full;
  return number("VROCM_TIMING", 1) == 0 ? Timing::Off : Timing::Sampled;
}

Settings read() {
  unsigned cores = std::thread::hardware_concurrency();
  double threads = number("VROCM_THREADS", cores ? cores : 1);
  return {threads < 1 ? 1u : unsigned(threads),
          number("VROCM_TIMEOUT", kDefaultTimeout),
          uint64_t(number("VROCM_MOST_INSTRUCTIONS", 0)),
          timing(),
          uint64_t(number("VROCM_ORDER", 0)),
          uint64_t(number("VROCM_ROUNDING", 0)),
          number("VROCM_PROGRESS", isatty(STDERR_FILENO) ? kDefaultProgress : 0),
          unsigned(number("VROCM_ROUNDING_BITS", 0))};
}

}  // namespace

const Settings& settings() {
  static const Settings value = read();
  return value;
}

}  // namespace vgpu
