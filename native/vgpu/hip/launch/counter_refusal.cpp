#include "hip/launch/counter_refusal.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <sstream>
#include <utility>
#include <vector>

#include "hip/core/api.h"
#include "metadata/readable_name.h"

namespace vgpu::hip {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

class Refusal {
 public:
  explicit Refusal(std::string message)
      : message_(std::move(message)),
        include_(variable("VROCM_COUNTERS_INCLUDE")),
        exclude_(variable("VROCM_COUNTERS_EXCLUDE")),
        has_exclude_(!variable("VROCM_COUNTERS_EXCLUDE").empty()),
        mangled_(variable("VROCM_COUNTERS_NAMES") == "mangled") {
    std::istringstream parts(variable("VROCM_COUNTERS_ITERATIONS"));
    for (std::string part; std::getline(parts, part, ',');) {
      const uint64_t first = std::strtoull(part.c_str(), nullptr, 10);
      const size_t dash = part.find('-');
      const uint64_t last =
          dash == std::string::npos ? first : std::strtoull(part.c_str() + dash + 1, nullptr, 10);
      iterations_.emplace_back(first, last);
    }
  }

  void check(const std::string& symbol) {
    std::lock_guard<std::mutex> hold(mutex_);
    const std::string name = mangled_ ? symbol + ".kd" : vrocm::readable_name(symbol);
    if (!std::regex_search(name, include_)) return;
    if (has_exclude_ && std::regex_search(name, exclude_)) return;
    if (!is_counted(++seen_[symbol])) return;
    std::fprintf(stderr, "%s\n", message_.c_str());
    std::abort();
  }

 private:
  bool is_counted(uint64_t iteration) const {
    for (const auto& [first, last] : iterations_)
      if (first <= iteration && iteration <= last) return true;
    return iterations_.empty();
  }

  std::string message_;
  std::regex include_, exclude_;
  bool has_exclude_, mangled_;
  std::vector<std::pair<uint64_t, uint64_t>> iterations_;
  std::mutex mutex_;
  std::map<std::string, uint64_t> seen_;
};

// Null when nothing is refused, which is the rule.
std::unique_ptr<Refusal> make_refusal() {
  std::string message = variable("VROCM_COUNTERS_REFUSED");
  if (message.empty()) return nullptr;
  try {
    return std::make_unique<Refusal>(std::move(message));
  } catch (const std::regex_error&) {  // the front end decides after the run
    return nullptr;
  }
}

}  // namespace

void abort_if_counters_are_refused(const std::string& symbol) {
  static const std::unique_ptr<Refusal> refusal = make_refusal();
  if (refusal) refusal->check(symbol);
}

}  // namespace vgpu::hip
