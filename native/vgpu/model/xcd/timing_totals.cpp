#include "model/xcd/timing_totals.h"

#include <algorithm>

#include "model/ideal/ideal.h"
#include "model/launch/device_size.h"
#include "model/memory/memory_system.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

// Sums over waves.
constexpr double TimingTotals::* kOverWaves[] = {
    &TimingTotals::wave_cycles, &TimingTotals::wait_any,    &TimingTotals::wait_issue,
    &TimingTotals::active_any,  &TimingTotals::matrix_busy, &TimingTotals::lds_wait,
    &TimingTotals::level_vmem,  &TimingTotals::level_smem,  &TimingTotals::level_lds,
    &TimingTotals::level_fetch,
};

}  // namespace

void TimingTotals::scale(double factor) {
  for (auto sum : kOverWaves) this->*sum *= factor;
  for (double& cycles : active) cycles *= factor;
}

void TimingTotals::add(const TimingTotals& more) {
  for (auto sum : kOverWaves) this->*sum += more.*sum;
  for (int unit = 0; unit < kUnits; ++unit) active[unit] += more.active[unit];
  busy_unit_cycles += more.busy_unit_cycles;
  draining = std::max(draining, more.draining);
  memory.add(more.memory);
  fabric_work += more.fabric_work;
  hbm_work += more.hbm_work;
  host_link_work += more.host_link_work;
  peer_link_work += more.peer_link_work;
}

void TimingTotals::note_moved(const MemorySystem& memory, double times) {
  fabric_work = times * memory.fabric_work();
  hbm_work = times * memory.hbm_work();
  host_link_work = times * memory.links().host_work();
  peer_link_work = times * memory.links().peer_work();
}

void TimingTotals::take_cycles(double cycles) {
  kernel_cycles = cycles;
  duration_ns = simulated_ns = kLaunchNs + cycles / device_size().clock_ghz + kRetireNs;
  if (ideals().has(Ideal::Launch))
    duration_ns = simulated_ns = std::max(1.0, cycles / device_size().clock_ghz);
}

void TimingTotals::spread_evenly() {
  const double even = busy_unit_cycles / (kXcds * device_size().units_per_xcd) + draining;
  take_cycles(std::min(kernel_cycles,
                       std::max({even, fabric_work, hbm_work, host_link_work, peer_link_work})));
}

void TimingTotals::keep_to(const Bounds& least) {
  bounds = least;
  const double simulated = simulated_ns;
  take_cycles(std::max(kernel_cycles, bounds.cycles(bounds.largest())));
  simulated_ns = simulated;
}

void TimingTotals::keep_within(double units) {
  constexpr double kSlots = kSimdsPerUnit * kWavesPerSimd;
  busy_unit_cycles =
      std::min(std::max(busy_unit_cycles, wave_cycles / kSlots), units * kernel_cycles);
  wave_cycles = std::min(wave_cycles, kSlots * busy_unit_cycles);
  const double waiting = wait_any + wait_issue;
  if (waiting <= wave_cycles) return;
  for (double* part : {&wait_any, &wait_issue, &lds_wait}) *part *= wave_cycles / waiting;
}

void TimingTotals::find_demand(const LaunchShape& shape, const DispatchWork& asked) {
  const double cycles = std::max(1.0, duration_ns * device_size().clock_ghz);
  demand = demand_of(asked, cycles);
  demand.of(Shared::Room) = device_share(shape);
  demand.of(Shared::InfinityCache) =
      std::max(fabric_work, bounds.cycles(Bound::InfinityCache)) / cycles;
  demand.of(Shared::Hbm) = std::max(hbm_work, bounds.cycles(Bound::Hbm)) / cycles;
  demand.of(Shared::HostLink) = std::max(host_link_work, bounds.cycles(Bound::HostLink)) / cycles;
  demand.of(Shared::PeerLink) = std::max(peer_link_work, bounds.cycles(Bound::PeerLink)) / cycles;
  demand.limit();
}

}  // namespace model
}  // namespace vgpu
