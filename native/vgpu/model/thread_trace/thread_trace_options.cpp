#include "model/thread_trace/thread_trace_options.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace vgpu {
namespace model {
namespace {

uint64_t number(const std::string& text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || *end || text[0] == '-') throw std::invalid_argument(text + " is no number");
  return value;
}

// Calls `use` with every part of the text between separators.
template <class Use>
void each_part(const std::string& text, char separator, Use use) {
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) use(text.substr(at, end - at));
    at = end + 1;
  }
}

std::vector<std::pair<uint64_t, uint64_t>> iterations(const std::string& text) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  each_part(text, '/', [&](const std::string& range) {
    const size_t dash = std::min(range.find('-'), range.size());
    const uint64_t first = number(range.substr(0, dash));
    ranges.emplace_back(first, dash < range.size() ? number(range.substr(dash + 1)) : first);
  });
  return ranges;
}

void set(ThreadTraceOptions& options, const std::string& setting) {
  const size_t equals = std::min(setting.find('='), setting.size());
  const std::string key = setting.substr(0, equals);
  const std::string value = equals < setting.size() ? setting.substr(equals + 1) : "";
  if (key == "target_cu") options.target_unit = uint32_t(number(value));
  else if (key == "simd_mask") options.simd_mask = uint32_t(number(value));
  else if (key == "se_mask") options.engine_mask = number(value);
  else if (key == "steps") options.most_steps = number(value);
  else if (key == "iterations") options.iterations = iterations(value);
  else if (key != "on") throw std::invalid_argument(key + " is no setting of a thread trace");
}

std::optional<std::regex> expression(const char* text) {
  if (!text || !*text) return std::nullopt;
  try {
    return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    throw std::invalid_argument("'" + std::string(text) +
                                "' is no regular expression: " + error.what());
  }
}

const ThreadTraceOptions* read() {
  const char* settings = std::getenv("VROCM_THREAD_TRACE");
  if (!settings || !*settings) return nullptr;
  try {
    return new ThreadTraceOptions(parse_thread_trace(settings,
                                                     std::getenv("VROCM_THREAD_TRACE_INCLUDE"),
                                                     std::getenv("VROCM_THREAD_TRACE_EXCLUDE")));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "virtual MI300X: thread trace: %s\n", error.what());
    std::_Exit(2);  // a queue's thread reads this: at exit, others would wait for it
  }
}

}  // namespace

bool ThreadTraceOptions::names(const std::string& demangled) const {
  if (include && !std::regex_search(demangled, *include)) return false;
  return !exclude || !std::regex_search(demangled, *exclude);
}

bool ThreadTraceOptions::has_iteration(uint64_t number) const {
  for (const auto& [first, last] : iterations)
    if (first <= number && number <= last) return true;
  return false;
}

ThreadTraceOptions parse_thread_trace(const std::string& settings, const char* include,
                                      const char* exclude) {
  ThreadTraceOptions options;
  each_part(settings, ',', [&](const std::string& setting) { set(options, setting); });
  options.include = expression(include);
  options.exclude = expression(exclude);
  return options;
}

const ThreadTraceOptions* thread_trace_options() {
  static const ThreadTraceOptions* options = read();
  return options;
}

}  // namespace model
}  // namespace vgpu
