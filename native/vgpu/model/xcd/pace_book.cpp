#include "model/xcd/pace_book.h"

#include <cmath>

namespace vgpu {
namespace model {
namespace {

constexpr double kKindsPerOctave = 16;  // of lengths
constexpr double kTrustedSteps = 256;   // from which on a pace counts more than what is usual

double value(const Pace* pace, double usual) {
  if (!pace) return usual;
  return (pace->cycles + usual * kTrustedSteps) / (pace->steps + kTrustedSteps);
}

const Pace* found_in(const std::unordered_map<uint64_t, Pace>& paces, uint64_t key) {
  const auto found = paces.find(key);
  return found == paces.end() ? nullptr : &found->second;
}

}  // namespace

uint32_t PaceBook::kind(uint64_t executed, uint32_t groups_on_unit) {
  return uint32_t(std::log2(double(executed) + 1) * kKindsPerOctave) << 8 | groups_on_unit;
}

void PaceBook::close() {
  for (const auto& [key, pace] : paces_) places_[key >> 32].add(pace);
  std::unordered_map<uint64_t, Pace> only_firsts;
  for (const auto& [key, pace] : firsts_)
    if (!places_.count(key >> 32)) only_firsts.insert({key, pace});
  for (const auto& [key, pace] : only_firsts) places_[key >> 32].add(pace);
  paces_.merge(only_firsts);
  for (const auto& [code, pace] : places_) all_.add(pace);
}

double PaceBook::cycles(uint64_t code, uint32_t kind, double steps) const {
  if (all_.steps == 0) return 0;
  const double usual = value(found_in(places_, code), all_.cycles / all_.steps);
  return steps * value(found_in(paces_, code << 32 | kind), usual);
}

}  // namespace model
}  // namespace vgpu
