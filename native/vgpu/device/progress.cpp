#include "device/progress.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <string>

#include "exec/group/settings.h"
#include "metadata/readable_name.h"

namespace vgpu {
namespace {

constexpr double kLongestPause = 60;  // seconds between two lines

struct Run {
  std::mutex mutex;
  HostTime began;
  std::atomic<uint64_t> launches{0};
  double due = settings().progress_seconds;  // seconds after the beginning
};

Run& run() {
  static Run* value = new Run;  // queues' threads may outlive static objects
  return *value;
}

double seconds(HostTime from, HostTime to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string how_far(const Dispatch& dispatch, uint64_t begun, double spent) {
  const uint64_t total = dispatch.group_total;
  char text[120];
  if (begun >= total) {
    std::snprintf(text, sizeof text, "the last of its %" PRIu64 " workgroups run", total);
    return text;
  }
  const double left = spent * double(total - begun) / double(std::max<uint64_t>(begun, 1));
  std::snprintf(text, sizeof text,
                "workgroup %" PRIu64 " of %" PRIu64 " (%.0f %%), about %.0f s left of it", begun,
                total, 100.0 * double(begun) / double(total), left);
  return text;
}

}  // namespace

void count_launch(HostTime now) {
  if (settings().progress_seconds == 0) return;
  if (run().launches.fetch_add(1) > 0) return;
  std::lock_guard lock(run().mutex);
  run().began = now;
}

void show_progress(const Dispatch& dispatch, uint64_t begun, HostTime started, HostTime now) {
  const double first = settings().progress_seconds;
  if (first == 0) return;
  std::unique_lock lock(run().mutex, std::try_to_lock);
  if (!lock) return;  // another thread of the device is here
  const double since = seconds(run().began, now);
  if (since < run().due) return;
  const bool is_first = run().due <= first;
  run().due = since + std::min(since, kLongestPause);
  std::fprintf(stderr, "virtual MI300X: after %.0f s: launch %" PRIu64 ", kernel %s: %s%s\n", since,
               run().launches.load(), vrocm::readable_name(dispatch.kernel_name).c_str(),
               how_far(dispatch, begun, seconds(started, now)).c_str(),
               is_first ? " (VROCM_PROGRESS=0 for silence)" : "");
}

}  // namespace vgpu
