// Virtual time: deterministic nanoseconds, independent of how long the host really takes.
//
// Every host thread has its own clock. It moves when the thread does modelled work
// (vrocm_host_advance) and when it observes something the device finished: a wait on a signal, or
// a load of it, moves the clock to the time at which the signal was last written. Every queue and
// copy engine has its own time line: work starts at the latest of its enqueue time and the end of
// what it depends on, and ends after its modelled duration.
#pragma once

#include <cstdint>

#include "arch/structure.h"
#include "hsa/hsa.h"

extern "C" {

// This thread's time. A thread's first reading is the latest time that any host thread reached.
uint64_t vrocm_host_now(void);
void vrocm_host_advance(uint64_t ns);
void vrocm_host_advance_to(uint64_t time_ns);  // no effect when that is in the past

// For a worker thread of a runtime on top of HSA: sets its clock, also backwards, to the time at
// which the work it is about to submit was ready. Such a thread's time is its own: it is never
// the first reading of another thread, which would depend on real time.
void vrocm_service_set_time(uint64_t time_ns);

// The virtual time at which the signal was last written, by device or host.
uint64_t vrocm_signal_time(hsa_signal_t signal);

}  // extern "C"

namespace vrocm {

constexpr uint64_t kClockBaseNs = 1'000'000'000'000;  // where every process starts
constexpr uint64_t kClockFrequency = 1'000'000'000;   // ticks are nanoseconds
// Blocking host wait: cost after completion.
constexpr uint64_t kSignalWakeupNs = vgpu::arch::calibration::kSignalWakeUpNs;

// Duration of a copy of `bytes` over a link: fixed setup plus bandwidth.
enum class Link : uint8_t {
  HostToHost,
  HostToDevice,
  DeviceToHost,
  DeviceToDevice,
  Peers,
  Pageable
};
uint64_t copy_duration_ns(Link link, uint64_t bytes);

}  // namespace vrocm
