#include "model/xcd/timing_totals.h"

#include <algorithm>

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
  memory.add(more.memory);
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

}  // namespace model
}  // namespace vgpu
