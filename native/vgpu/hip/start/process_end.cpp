#include "hip/core/process_end.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "hip/core/device_services.h"
#include "hip/core/runtime.h"
#include "hip/record/marker_api.h"
#include "hip/record/recorder.h"
#include "vrocm/trace.h"

namespace vgpu::hip {
namespace {

std::atomic<bool> ending{false};
std::atomic<bool> faulted{false};
std::atomic<bool> child_of_fork{false};

// Queued work is finished, so that what it prints and records does not depend on timing. After a
// fault nothing is: a program that catches the abort and exits would wait for ever.
void at_exit() {
  if (child_of_fork || faulted) return;
  ending = true;
  Runtime& runtime = Runtime::get();
  if (!Stream::on_worker())
    for (int i = 0; i < runtime.device_count(); ++i) runtime.synchronize_device(runtime.device(i));
  close_ranges();
  finish_recording();
}

// A fault has been reported and the process is about to abort: what kernels printed comes first.
void at_fault() {
  faulted = true;
  print_unfinished();
  std::fflush(stdout);
  close_ranges();
  finish_recording();
}

void in_child() {
  child_of_fork = true;
  Runtime::get().forget_devices();
}

}  // namespace

void watch_process_end() {
  std::atexit(at_exit);
  vrocm_set_fault_handler(at_fault);
  pthread_atfork(nullptr, nullptr, in_child);
}

bool process_is_ending() { return ending; }

}  // namespace vgpu::hip
