// What the parts of an XCD's memory were doing while the simulation sent requests through them:
// under way, at work, or held up. The hardware has counters of all this.
#pragma once

#include <algorithm>
#include <array>

#include "model/launch/structure.h"

namespace vgpu {
namespace model {

// Cycles that lie in at least one of several intervals, which come about in the order of time.
class Covered {
 public:
  void add(double from, double to) {
    from = std::max(from, until_);
    if (to <= from) return;
    cycles_ += to - from;
    until_ = to;
  }
  double cycles() const { return cycles_; }

 private:
  double until_ = 0, cycles_ = 0;
};

// Sum over the parts of one kind, and the part with most and least.
struct OverParts {
  double sum = 0, most = 0, least = 0;
  void add(const OverParts& more) {
    sum += more.sum;
    most = std::max(most, more.most);
    least = std::max(least, more.least);
  }
};

// Cycles of one XCD.
struct MemoryTotals {
  // Vector caches of the CUs and the units around them.
  OverParts load_waits;           // a load waits for the cache
  OverParts store_waits;          // a store does, with its data
  OverParts under_way;            // an access has entered the cache and its data is not back
  OverParts l2_stalls;            // a request waits for the L2 longer than the way there has room
  double load_cycles = 0;         // of loads in the vector cache
  double returning = 0;           // that the data of loads takes to return
  double translation_misses = 0;  // a number, not cycles
  // Channels of the L2.
  OverParts tag_stalls;   // a request waits longer than the channel has room
  OverParts read_stalls;  // reads wait, as many are under way as the fabric takes
  OverParts write_stalls;
  double read_cycles = 0, write_cycles = 0;  // mean of a fabric request, from the L2 and back
  double atomic_level = 0;                   // fabric atomics under way

  // Together with those of other workgroups, on other XCDs or the same one.
  void add(const MemoryTotals& more);
  // From what was simulated to the dispatch, which is `factor` times the work; `share` of it is
  // done by this XCD.
  void scale(double factor, double share);
};

class MemoryActivity {
 public:
  // A vector access is issued at `issued`, has the cache from `entered` to `left`, and is done at
  // `done`.
  struct Access {
    double issued, entered, left, done;
    bool load;
    double returning;  // cycles that its data takes
  };
  void accessed(int unit, const Access& access);
  void missed_translations(double number) { totals_.translation_misses += number; }

  // A request of a CU (or of a scalar cache: unit < 0) arrives at an L2 channel, and enters it.
  void entered_channel(size_t channel, int unit, double arrives, double enters);

  // A request asks the fabric, which starts with it at `start` and needs `latency` more. `most` is
  // how long it can have waited outside of the L2.
  void read_fabric(size_t channel, double asked, double start, double most, double latency);
  void wrote_fabric(size_t channel, double asked, double start, double most, double latency);
  void read_host(double latency) { reads_.add(latency); }
  void atomic_on_host(double requests, double latency) {
    totals_.atomic_level += requests * latency;
  }

  MemoryTotals totals() const;

 private:
  struct Mean {
    double sum = 0, count = 0;
    void add(double value) {
      sum += value;
      count += 1;
    }
    double value() const;
  };
  struct Unit {
    Covered load_waits, store_waits, under_way, l2_stalls;
  };
  struct Channel {
    Covered tag_stalls, read_stalls, write_stalls;
  };
  std::array<Unit, calibration::kUnitsPerXcd> units_;
  std::array<Channel, calibration::kL2Channels> channels_;
  Mean reads_, writes_;
  MemoryTotals totals_;  // those that are no intervals
};

}  // namespace model
}  // namespace vgpu
