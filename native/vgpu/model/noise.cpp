#include "model/noise.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "model/launch/structure.h"

namespace vgpu {
namespace model {
namespace {

struct Noise {
  bool on = false;
  uint64_t seed = 0;
  double level = 1;
};

// A malformed value ends the program with a message, as for the other settings.
Noise read() {
  const char* text = std::getenv("VROCM_NOISE");
  if (!text || !*text) return {};
  char* end = nullptr;
  Noise noise{true, std::strtoull(text, &end, 10), 1};
  bool good = end != text && *text != '-';
  if (good && *end == ':') {
    const char* level = end + 1;
    noise.level = std::strtod(level, &end);
    good = end != level && noise.level >= 0 && std::isfinite(noise.level);
  }
  if (!good || *end) {
    std::fprintf(stderr, "virtual MI300X: VROCM_NOISE=%s is not SEED or SEED:LEVEL, e.g. 7:1.5\n",
                 text);
    std::_Exit(2);  // a queue's thread reads this: at exit, others would wait for it
  }
  return noise;
}

// SplitMix64: a stream of independent numbers from any start.
struct Stream {
  uint64_t state;
  double next() {   // in (0, 1]
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return double((z ^ (z >> 31)) >> 11) * 0x1p-53 + 0x1p-54;
  }
};

constexpr double kTwoPi = 6.283185307179586;

}  // namespace

uint64_t with_noise(uint64_t duration_ns, uint64_t queue, uint64_t packet) {
  static const Noise noise = read();
  if (!noise.on) return duration_ns;
  Stream stream{noise.seed * 0x2545f4914f6cdd1du ^ queue << 40 ^ packet};
  stream.next();
  double gauss = std::sqrt(-2 * std::log(stream.next())) * std::cos(kTwoPi * stream.next());
  double spread = calibration::kNoiseSpread * noise.level * gauss;
  // Now and then a dispatch meets something else on the device.
  if (stream.next() < calibration::kNoiseDisturbed)
    spread += calibration::kNoiseDisturbance * noise.level * -std::log(stream.next());
  return uint64_t(double(duration_ns) * std::exp(spread) + 0.5);
}

}  // namespace model
}  // namespace vgpu
