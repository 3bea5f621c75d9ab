// Workgroups of a dispatch that are alike, and which of those on the tapes are simulated for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/launch/launch.h"
#include "model/tape/tape.h"
#include "model/sampling/timing.h"

namespace vgpu {
namespace model {

// Some workgroups of a dispatch that are alike, and how many of them an XCD has in all.
struct Crowd {
  std::vector<GroupTape> tapes;
  std::vector<int> homes;         // CUs that they run on; empty: any
  std::vector<GroupTape> longer;  // one at most: the longest that the plan did not ask for
  double groups = 0;              // in the dispatch
  double groups_on_xcd = 0;       // on the XCD that has most
  double instructions = 0;        // of all of them
  double on_xcd = 0;              // of these, on an XCD that the tapes stand for
  double others_move = 1;         // of the bytes that as many on the tapes move, at most
  std::vector<int> xcds;          // that they stand for; empty: all
  XcdMask alike = kAllXcds;       // those that do the same kind of work
  uint64_t steps_per_wave = 0;    // up to which all rounds on the tapes are simulated
  // How long their longest waves are: more than the first, up to the second.
  double beyond = -1, up_to = std::numeric_limits<double>::infinity();

  double share() const { return groups_on_xcd / groups; }
  // How many times the bytes the dispatch moves that those do who execute so many steps, as far as it
  // is this crowd.
  double moves_in_all(double executed) const;
  size_t others() const {  // on the XCD, without those on the tapes
    return size_t(std::max(0.0, groups_on_xcd - double(tapes.size())));
  }
};

double executed_steps(const std::vector<GroupTape>& tapes);
bool any_cut(const std::vector<GroupTape>& tapes);

// The usual workgroups, and those that are much longer.
void divide(const LaunchShape& shape, Observed& observed, Crowd& usual, Crowd& outliers);

// How much others move for what they execute, compared with those on the tapes, at most as much:
// workgroups that find no work are short, and touch nothing. `bytes`: of all of them, and on the tapes.
double moved_by_others(const Crowd& crowd, uint64_t bytes, double taped_bytes);

// Of the longest ones as many as an XCD gets and holds.
void keep_what_fits(const LaunchShape& shape, Crowd& outliers);

// What one XCD has of the tapes; of waves in parts one round, of long ones half of what is there.
void keep_one_xcd(Crowd& crowd);
void keep_fewer_rounds(const LaunchShape& shape, Crowd& crowd);

}  // namespace model
}  // namespace vgpu
