#include "model/memory/memory_activity.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr OverParts MemoryTotals::* kOverParts[] = {
    &MemoryTotals::load_waits,   &MemoryTotals::store_waits, &MemoryTotals::under_way,
    &MemoryTotals::l2_stalls,    &MemoryTotals::tag_stalls,  &MemoryTotals::read_stalls,
    &MemoryTotals::write_stalls,
};
constexpr double MemoryTotals::* kSums[] = {
    &MemoryTotals::load_cycles,
    &MemoryTotals::returning,
    &MemoryTotals::translation_misses,
    &MemoryTotals::atomic_level,
};

template <class Parts, class Part>
OverParts over(const Parts& parts, Covered Part::* what) {
  OverParts result;
  result.least = (parts[0].*what).cycles();
  for (const Part& part : parts) {
    double cycles = (part.*what).cycles();
    result.sum += cycles;
    result.most = std::max(result.most, cycles);
    result.least = std::min(result.least, cycles);
  }
  return result;
}

}  // namespace

void MemoryTotals::scale(double factor, double share) {
  for (auto parts : kOverParts) {
    OverParts& over = this->*parts;
    over = {over.sum * factor, over.most * factor * share, over.least * factor * share};
  }
  for (auto sum : kSums) this->*sum *= factor;
}

void MemoryTotals::add(const MemoryTotals& more) {
  for (auto parts : kOverParts) (this->*parts).add(more.*parts);
  for (auto sum : kSums) this->*sum += more.*sum;
  for (auto mean : {&MemoryTotals::read_cycles, &MemoryTotals::write_cycles})
    this->*mean = std::max(this->*mean, more.*mean);
}

// What nobody asked for while the simulation looked finds the fabric empty.
double MemoryActivity::Mean::value() const {
  return count > 0 ? sum / count : kMallLatency - kL2HitLatency;
}

void MemoryActivity::accessed(int unit, const Access& access) {
  Unit& activity = units_[size_t(unit)];
  (access.load ? activity.load_waits : activity.store_waits).add(access.issued, access.entered);
  activity.under_way.add(access.entered, access.done);
  if (access.load) totals_.load_cycles += access.left - access.entered;
  totals_.returning += access.returning;
}

void MemoryActivity::entered_channel(size_t channel, int unit, double arrives, double enters) {
  double stalled = enters - kL2QueueCycles;
  channels_[channel].tag_stalls.add(arrives, stalled);
  if (unit >= 0) units_[size_t(unit)].l2_stalls.add(arrives, stalled);
}

void MemoryActivity::read_fabric(size_t channel, double asked, double start, double most,
                                 double latency) {
  channels_[channel].read_stalls.add(asked, start - most);
  reads_.add(std::min(start - asked, most) + latency);
}

void MemoryActivity::wrote_fabric(size_t channel, double asked, double start, double most,
                                  double latency) {
  channels_[channel].write_stalls.add(asked, start - most);
  writes_.add(std::min(start - asked, most) + latency);
}

MemoryTotals MemoryActivity::totals() const {
  MemoryTotals totals = totals_;
  totals.load_waits = over(units_, &Unit::load_waits);
  totals.store_waits = over(units_, &Unit::store_waits);
  totals.under_way = over(units_, &Unit::under_way);
  totals.l2_stalls = over(units_, &Unit::l2_stalls);
  totals.tag_stalls = over(channels_, &Channel::tag_stalls);
  totals.read_stalls = over(channels_, &Channel::read_stalls);
  totals.write_stalls = over(channels_, &Channel::write_stalls);
  totals.read_cycles = reads_.value();
  totals.write_cycles = writes_.value();
  return totals;
}

}  // namespace model
}  // namespace vgpu
