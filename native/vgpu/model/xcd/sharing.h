// When workgroups are done that share CUs, from how long each lives in the company it was seen in.
#pragma once

#include <vector>

namespace vgpu {
namespace model {

struct SharedLife {
  double cycles = 0;
  double company = 1;  // workgroups on its CU, itself included, while that was measured
};

struct SharedUnits {
  std::vector<std::vector<SharedLife>> lives;  // of the workgroups on each CU, all of them resident
  std::vector<SharedLife> waiting;             // others, which take the places of those that end
  double most_speed = 1;                       // how many times faster a workgroup is alone
};

// A CU gives the same to each of its workgroups, and what those that have ended leave over to the
// others, who cannot be faster than alone.
double end_of(const SharedUnits& units);

}  // namespace model
}  // namespace vgpu
