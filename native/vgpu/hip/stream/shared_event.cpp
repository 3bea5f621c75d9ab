#include "hip/stream/shared_event.h"

#include "hip/core/process_end.h"

namespace vgpu::hip {
namespace {

constexpr uint64_t kLookNs = 20'000'000;  // how often a wait asks whether the process ends

bool make(hsa_signal_t* signal) {
  return hsa_amd_signal_create(0, 0, nullptr, HSA_AMD_SIGNAL_IPC, signal) == HSA_STATUS_SUCCESS;
}

}  // namespace

std::shared_ptr<SharedEvent> SharedEvent::create() {
  hsa_signal_t recorded{0}, reached{0};
  if (!make(&recorded)) return nullptr;
  if (make(&reached)) return std::make_shared<SharedEvent>(recorded, reached);
  hsa_signal_destroy(recorded);
  return nullptr;
}

std::shared_ptr<SharedEvent> SharedEvent::attach(const Handle& handle) {
  hsa_signal_t recorded{0}, reached{0};
  if (hsa_amd_ipc_signal_attach(&handle.recorded, &recorded) != HSA_STATUS_SUCCESS) return nullptr;
  if (hsa_amd_ipc_signal_attach(&handle.reached, &reached) == HSA_STATUS_SUCCESS)
    return std::make_shared<SharedEvent>(recorded, reached);
  hsa_signal_destroy(recorded);
  return nullptr;
}

SharedEvent::SharedEvent(hsa_signal_t recorded, hsa_signal_t reached)
    : recorded_(recorded), reached_(reached) {}

SharedEvent::~SharedEvent() {
  hsa_signal_destroy(recorded_);
  hsa_signal_destroy(reached_);
}

bool SharedEvent::give(Handle* handle) const {
  return hsa_amd_ipc_signal_create(recorded_, &handle->recorded) == HSA_STATUS_SUCCESS &&
         hsa_amd_ipc_signal_create(reached_, &handle->reached) == HSA_STATUS_SUCCESS;
}

int64_t SharedEvent::record() {
  int64_t before = hsa_signal_load_scacquire(recorded_);
  while (true) {
    const int64_t seen = hsa_signal_cas_scacq_screl(recorded_, before, before + 1);
    if (seen == before) return before + 1;
    before = seen;
  }
}

// Records on several streams may be reached in another order.
void SharedEvent::reach(int64_t number) {
  int64_t before = hsa_signal_load_scacquire(reached_);
  while (before < number) {
    const int64_t seen = hsa_signal_cas_scacq_screl(reached_, before, number);
    if (seen == before) return;
    before = seen;
  }
}

bool SharedEvent::is_reached() const {
  return hsa_signal_load_scacquire(reached_) >= hsa_signal_load_scacquire(recorded_);
}

void SharedEvent::wait() const {
  const int64_t last = hsa_signal_load_scacquire(recorded_);
  while (hsa_signal_wait_scacquire(reached_, HSA_SIGNAL_CONDITION_GTE, last, kLookNs,
                                   HSA_WAIT_STATE_BLOCKED) < last) {
    if (process_is_ending()) return;
  }
}

}  // namespace vgpu::hip
