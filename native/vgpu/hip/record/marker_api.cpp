#include "hip/record/marker_api.h"

#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "hip/core/clock.h"
#include "hip/record/recorder.h"

namespace vgpu::hip {
namespace {

struct OpenRange {
  std::string message;
  uint64_t id, start_ns;
};

std::atomic<uint64_t> next_marker{1};
thread_local std::vector<OpenRange> pushed;

struct ProcessRanges {
  std::mutex mutex;
  std::map<uint64_t, OpenRange> open;
};

ProcessRanges& process_ranges() {
  static ProcessRanges* instance = new ProcessRanges();
  return *instance;
}

OpenRange open_range(const char* message) {
  return {message ? message : "", next_marker++, vrocm_host_now()};
}

void record(const char* kind, const OpenRange& range) {
  record_marker({kind, range.message, range.id, range.start_ns, vrocm_host_now(), gettid()});
}

}  // namespace

void close_ranges() {
  for (; !pushed.empty(); pushed.pop_back()) record("range", pushed.back());
  ProcessRanges& ranges = process_ranges();
  std::lock_guard<std::mutex> hold(ranges.mutex);
  for (auto& [id, range] : ranges.open) record("process_range", range);
  ranges.open.clear();
}

}  // namespace vgpu::hip

using namespace vgpu::hip;

#pragma GCC visibility push(default)
extern "C" {

void vrocm_hip_mark(const char* message) { record("mark", open_range(message)); }

int vrocm_hip_range_push(const char* message) {
  pushed.push_back(open_range(message));
  return static_cast<int>(pushed.size()) - 1;
}

int vrocm_hip_range_pop() {
  if (pushed.empty()) return -1;
  record("range", pushed.back());
  pushed.pop_back();
  return static_cast<int>(pushed.size());
}

uint64_t vrocm_hip_range_start(const char* message) {
  OpenRange range = open_range(message);
  ProcessRanges& ranges = process_ranges();
  std::lock_guard<std::mutex> hold(ranges.mutex);
  ranges.open[range.id] = range;
  return range.id;
}

void vrocm_hip_range_stop(uint64_t id) {
  ProcessRanges& ranges = process_ranges();
  std::lock_guard<std::mutex> hold(ranges.mutex);
  auto known = ranges.open.find(id);
  if (known == ranges.open.end()) return;
  record("process_range", known->second);
  ranges.open.erase(known);
}

void vrocm_hip_profiler(int resume) { record_profiler(resume ? "resume" : "pause"); }

}  // extern "C"
#pragma GCC visibility pop
