// Hardware registers, clocks, messages: what a wave can learn of the device around it.
#include "exec/wave/services.h"

#include <atomic>

#include "arch/structure.h"
#include "exec/group/workgroup.h"
#include "exec/wave/cost.h"
#include "exec/wave/host_handlers.h"
#include "exec/wave/own_chain.h"

namespace vgpu {
namespace {

enum HardwareRegister {
  kMode = 1,
  kStatus = 2,
  kTrapStatus = 3,
  kHardwareId = 4,
  kGprAllocation = 5,
  kLdsAllocation = 6,
  kMemoryBases = 15,
  kXccId = 20,
};

constexpr uint64_t kXccs = arch::calibration::kXcds;
constexpr uint64_t kUnitsPerXcc = arch::calibration::kUnitsPerXcd;
constexpr uint32_t kMessageInterrupt = 1;

std::atomic<void (*)(uint32_t)> interrupt_handler{nullptr};

// A wave that waits asks again and again: it goes on when the last one has come.
bool arrive_at_global_barrier(Wave& w, GlobalWaveSync& sync, uint32_t resource, uint32_t waves) {
  if (w.sync_ticket == 0) w.sync_since = own_time(w);
  uint64_t time = ordered_time(w);
  if (!sync.arrive(resource, waves, w.sync_ticket, time)) return false;
  forget_waiting(w, own_time(w) - w.sync_since);
  keep_until(w, time + arch::calibration::kGlobalSyncCycles);
  return true;
}

uint32_t status(const Wave& w) {
  bool in_group = w.group->wave_count > 1;
  return uint32_t(w.scc) | uint32_t(w.exec() == 0) << 9 | uint32_t(w.vcc() == 0) << 10 |
         uint32_t(in_group) << 11 | 1u << 16;  // VALID
}

// Workgroups go round robin over the XCCs and then over their compute units, by number.
uint32_t hardware_id(const Wave& w) {
  const int unit = int(w.group->number / kXccs % kUnitsPerXcc);
  const int engine = arch::engine_of_unit(unit), compute_unit = arch::unit_in_engine(unit);
  uint32_t simds = arch::calibration::kSimdsPerUnit;
  uint32_t simd = w.index % simds, slot = w.index / simds;
  return slot | simd << 4 | uint32_t(compute_unit) << 8 | uint32_t(engine) << 13;
}

uint32_t gpr_allocation(const Wave& w) {
  uint32_t registers = uint32_t(w.vgpr_count) + w.agpr_count;
  return (registers / arch::calibration::kRegisterGranule - 1) << 8;
}

uint32_t lds_allocation(const Wave& w) {
  constexpr uint32_t kGranule = arch::calibration::kLdsGranule;
  return (w.lds_bytes + kGranule - 1) / kGranule << 12;
}

}  // namespace

uint32_t read_hardware_register(const Wave& w, int id) {
  switch (id) {
    case kMode: return w.mode;
    case kStatus: return status(w);
    case kTrapStatus: return w.trap_status;
    case kHardwareId: return hardware_id(w);
    case kGprAllocation: return gpr_allocation(w);
    case kLdsAllocation: return lds_allocation(w);
    case kMemoryBases:
      return uint32_t(kPrivateAperture >> 48) | uint32_t(kSharedAperture >> 48) << 16;
    case kXccId: return uint32_t(w.group->number % kXccs);
    default: return 0;  // instruction buffer, trap base and trace registers: nothing to tell
  }
}

void write_hardware_register(Wave& w, int id, uint32_t value) {
  if (id == kMode) w.mode = value;
  if (id == kTrapStatus) w.trap_status = value;
}

uint64_t core_clock(const Wave& w) {
  return uint64_t(double(w.group->dispatch->start_ns) * cost::kCoreGhz) + own_clock(w);
}

uint64_t real_time_clock(const Wave& w) {
  uint64_t ns = w.group->dispatch->start_ns + uint64_t(double(own_clock(w)) / cost::kCoreGhz);
  return ns / cost::kRealTimeClockNs;
}

void send_message(Wave& w, uint32_t message) {
  if ((message & 15) != kMessageInterrupt) return;
  if (auto handler = interrupt_handler.load()) handler(w.sgpr[kM0]);
}

void set_interrupt_handler(void (*handler)(uint32_t)) { interrupt_handler.store(handler); }

bool global_wave_sync(Wave& w, Op op, uint32_t resource, uint32_t value) {
  GlobalWaveSync& sync = w.group->dispatch->global_sync;
  switch (op) {
    case Op::ds_gws_barrier: return arrive_at_global_barrier(w, sync, resource, value + 1);
    case Op::ds_gws_sema_p: return sync.take(resource, w.sync_ticket);
    case Op::ds_gws_sema_v: sync.give(resource, 1); return true;
    case Op::ds_gws_sema_br: sync.give(resource, value); return true;
    case Op::ds_gws_sema_release_all: sync.release_all(resource); return true;
    default: sync.init(resource, value); return true;
  }
}

}  // namespace vgpu
