// What VROCM_NOISE asks for: SEED, SEED:LEVEL or SEED:NAME[:FILE].
#pragma once

#include <cstdint>

namespace vgpu {
namespace model {

// Standard deviations and amplitudes are of the logarithm of a duration.
struct NoiseSetting {
  bool on = false;
  uint64_t seed = 0;
  double process = 0;      // differs from process to process, the same for all dispatches of one
  double dispatch = 0;     // differs from dispatch to dispatch
  double disturbance = 0;  // mean slow-down of those dispatches that meet something else
  double drift = 0;        // a slow wave over many processes
  uint64_t number = 0;     // of this process; what makes it differ from the others
};

// A malformed value ends the program with a message, as for the other settings.
NoiseSetting read_noise_setting();

}  // namespace model
}  // namespace vgpu
