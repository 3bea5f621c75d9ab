// How long the XCDs of a dispatch work compared with each other, from how much each of their
// workgroups executed. Only some workgroups are simulated, but how much all of them executed is known
// exactly: an XCD that has the longer ones decides.
#pragma once

#include <vector>

#include "model/launch/launch.h"
#include "model/launch/structure.h"
#include "model/launch/work_summary.h"

namespace vgpu {
namespace model {

class Forecast {
 public:
  // Of the workgroups of some XCDs whose longest wave is longer than `beyond`, up to `up_to`.
  Forecast(const LaunchShape& shape, const WorkSummary& work, XcdMask xcds, double beyond,
           double up_to);

  // They are not all alike.
  bool differs() const { return differs_; }

  // When an XCD is done, in the cycles in which WorkSummary counts. `most_speed`: how many times faster
  // a workgroup is alone than among others.
  double end(int xcd, double most_speed) const { return end(lives_[xcd], most_speed); }
  // Of the workgroups of an XCD together, in the same cycles.
  double life(int xcd) const;
  // When one is done whose workgroups live at least so long.
  double end(const std::vector<double>& lives, double most_speed) const;

 private:
  const LaunchShape& shape_;
  bool differs_ = false;
  std::vector<double> lives_[calibration::kXcds];  // when they differ
};

}  // namespace model
}  // namespace vgpu
