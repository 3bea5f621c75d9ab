#include "model/sampling/crowd_run.h"

#include <algorithm>

#include "model/ideal/ideal.h"
#include "model/launch/device_size.h"
#include "model/launch/structure.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

// Cycles that the busiest port of a SIMD, the fetching of instructions or the LDS works for the taped
// steps, on average over the XCD.
double port_cycles(const TimingTotals& totals, const Xcd& xcd) {
  auto active = [&](Unit unit) { return totals.active[size_t(unit)]; };
  double busiest = std::max({active(Unit::Valu) + active(Unit::Matrix), active(Unit::Salu),
                             active(Unit::Vmem) + active(Unit::Flat), totals.matrix_busy});
  return std::max({busiest / kSimdsPerUnit, xcd.fetch_work(), xcd.lds_work()}) /
         device_size().units_per_xcd;
}

}  // namespace

CrowdRun::CrowdRun(const LaunchShape& shape, const Crowd& crowd, HistoryView& history,
                   StepListener* listener)
    : cut(any_cut(crowd.tapes)),
      executed(executed_steps(crowd.tapes)),
      simulated(double(crowd.tapes.size())),
      memory(crowd.share(), history),
      xcd(shape, crowd.tapes, memory, Engines::InStep, listener, crowd.homes) {
  xcd.run();
  end = xcd.ended_whole();
  const double before = memory.busiest();
  draining = memory.drain(xcd.ended()) - xcd.ended();
  // What a short sample leaves in L2 has to pass the memory in the long run.
  writing_back = memory.busiest() - before;
  moving = xcd.memory_work(writing_back);
  computing = port_cycles(xcd.totals(), xcd);
}
double work_of_others(const Crowd& crowd, double executed) {
  const double left = crowd.on_xcd - executed;
  return crowd.others() > 0 ? std::max(0.0, left / double(crowd.others())) : 0;
}

OthersTake cycles_of_others(const LaunchShape& shape, const Crowd& crowd, const CrowdRun& run) {
  if (crowd.others() == 0) return {};
  const double launch = ideals().has(Ideal::WaveLaunch) ? 0 : kWaveLaunchCycles;
  const double launching = double(shape.waves_per_group) * launch / kEnginesPerXcd;
  const Xcd::Pace pace = run.xcd.pace();
  const double steps = work_of_others(crowd, run.executed);
  const double times = steps / std::max(1.0, run.executed);
  const double passing =
      std::max({launching, pace.cycles * steps / pace.steps, run.computing * times});
  const double moving = std::max(passing, run.moving * crowd.others_move * times);
  return {double(crowd.others()) * passing, double(crowd.others()) * moving};
}

// Where nothing had to leave the L2 before the end, more would have stayed there, up to its room: until
// then nothing is written back, and all of that at the end.
double until_written_back(const CrowdRun& run, double passed, double times) {
  const MemorySystem::WrittenBack& back = run.memory.written_back();
  if (back.at_end <= 0) return passed;
  if (back.before > 0) return passed + run.draining;
  const double room = double(kL2Bytes) / kVectorLineBytes * back.at_end / back.resident;
  const double written = back.at_end * times, left = std::min(written, room);
  const double draining = run.draining + run.writing_back * (left / back.at_end - 1);
  return std::max(passed + draining, passed * left / written + run.writing_back * times);
}

}  // namespace model
}  // namespace vgpu
