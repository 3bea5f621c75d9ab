// When workgroups are done that share CUs, from how long each lives while all places are taken.
#pragma once

#include <vector>

namespace vgpu {
namespace model {

struct SharedUnits {
  std::vector<std::vector<double>> lives;  // of the workgroups on each CU, all of them resident
  std::vector<double> waiting;             // of others, which take the places of those that end
  double most_speed = 1;                   // how many times faster a workgroup is alone
};

// A CU gives the same to each of its workgroups, and what those that have ended leave over to the
// others, who cannot be faster than alone.
double end_of(const SharedUnits& units);

}  // namespace model
}  // namespace vgpu
