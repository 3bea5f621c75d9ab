#include "hsa/signal/virtual_clock.h"

#include <algorithm>
#include <atomic>

#include "hsa/signal/signal.h"

namespace vrocm {
namespace {

std::atomic<uint64_t> latest_host_time{kClockBaseNs};

struct HostClock {
  uint64_t now = latest_host_time.load(std::memory_order_relaxed);
  bool service = false;  // a runtime's worker: what it waits for is not what the program saw
};
thread_local HostClock host_clock;

void publish(uint64_t now) {
  uint64_t seen = latest_host_time.load(std::memory_order_relaxed);
  while (seen < now && !latest_host_time.compare_exchange_weak(seen, now)) {
  }
}

struct LinkModel {
  uint64_t setup_ns;
  uint64_t bytes_per_us;
};

namespace numbers = vgpu::arch::calibration;
constexpr LinkModel kLinks[] = {
    // as in Link
    {numbers::kHostCopySetupNs, numbers::kHostCopyBytesPerUs},
    {numbers::kCopySetupNs, numbers::kHostLinkBytesPerUs},
    {numbers::kCopySetupNs, numbers::kHostLinkBytesPerUs},
    {numbers::kCopySetupNs, numbers::kDeviceCopyBytesPerUs},
    {numbers::kCopySetupNs, numbers::kPeerLinkBytesPerUs},
    // A core copies into pinned memory, or out of it, while the engine moves what is there.
    {numbers::kCopySetupNs, std::min(numbers::kHostCopyBytesPerUs, numbers::kHostLinkBytesPerUs)},
};

}  // namespace

uint64_t copy_duration_ns(Link link, uint64_t bytes) {
  const LinkModel& model = kLinks[static_cast<int>(link)];
  return model.setup_ns + (bytes * 1000 + model.bytes_per_us - 1) / model.bytes_per_us;
}

}  // namespace vrocm

extern "C" {

uint64_t vrocm_host_now(void) { return vrocm::host_clock.now; }

void vrocm_host_advance(uint64_t ns) {
  vrocm::host_clock.now += ns;
  if (!vrocm::host_clock.service) vrocm::publish(vrocm::host_clock.now);
}

void vrocm_host_advance_to(uint64_t time_ns) {
  if (time_ns <= vrocm::host_clock.now) return;
  vrocm::host_clock.now = time_ns;
  if (!vrocm::host_clock.service) vrocm::publish(time_ns);
}

void vrocm_service_set_time(uint64_t time_ns) {
  vrocm::host_clock.service = true;
  vrocm::host_clock.now = time_ns;
}

uint64_t vrocm_signal_time(hsa_signal_t signal) {
  vrocm::Signal* object = vrocm::Signal::from_handle(signal);
  return object ? object->time() : 0;
}

}  // extern "C"
