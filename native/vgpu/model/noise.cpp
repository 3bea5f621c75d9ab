#include "model/noise.h"

#include <cmath>

#include "model/launch/structure.h"
#include "model/noise_setting.h"

namespace vgpu {
namespace model {
namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr double kDriftPeriod = 60;  // processes, or seconds where nobody counts them

// SplitMix64: a stream of independent numbers from any start.
struct Stream {
  uint64_t state;
  double next() {  // in (0, 1]
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return double((z ^ (z >> 31)) >> 11) * 0x1p-53 + 0x1p-54;
  }
  double gauss() { return std::sqrt(-2 * std::log(next())) * std::cos(kTwoPi * next()); }
};

// The part that all dispatches of this process have in common.
double of_process(const NoiseSetting& noise) {
  Stream stream{noise.seed * 0x9e6c63d0676a9a99u ^ noise.number * 0xd6e8feb86659fd93u};
  stream.next();
  const double position = double(noise.number & 0xffffffffu);
  return noise.process * stream.gauss() + noise.drift * std::sin(kTwoPi * position / kDriftPeriod);
}

}  // namespace

uint64_t with_noise(uint64_t duration_ns, uint64_t queue, uint64_t packet) {
  static const NoiseSetting noise = read_noise_setting();
  if (!noise.on) return duration_ns;
  static const double process = of_process(noise);
  const uint64_t start = noise.seed * 0x2545f4914f6cdd1du ^ queue << 40 ^ packet;
  Stream stream{start ^ noise.number * 0xa24baed4963ee407u};
  stream.next();
  double spread = process + noise.dispatch * stream.gauss();
  // Now and then a dispatch meets something else on the device.
  if (stream.next() < calibration::kNoiseDisturbed)
    spread += noise.disturbance * -std::log(stream.next());
  return uint64_t(double(duration_ns) * std::exp(spread) + 0.5);
}

}  // namespace model
}  // namespace vgpu
