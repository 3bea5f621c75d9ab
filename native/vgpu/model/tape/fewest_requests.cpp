#include "model/tape/fewest_requests.h"

#include "model/launch/structure.h"

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kLine = calibration::kVectorLineBytes;
constexpr uint64_t kWholeLine = 3;  // both halves

uint32_t lines_for(const TapeAccess& access) {
  return uint32_t((uint64_t(access.lanes) * access.bytes + kLine - 1) / kLine);
}

}  // namespace

uint64_t FewestRequests::visit(uint32_t wave, const CodeSlot* slot) {
  if (wave >= visits_.size()) visits_.resize(wave + 1);
  Visits& visits = visits_[wave];
  return visits.insert({slot, visits.size()}).first->second++;
}

FewestRequests::Fewest FewestRequests::of(const TapeAccess& access, const uint64_t* lines,
                                          uint64_t visit) {
  Fewest fewest{access, lines};
  if (access.atomic || access.scalar) return fewest;
  fewest.access.conflicts = 0;
  const uint32_t wanted = lines_for(access);
  if (access.count <= wanted) return fewest;
  lines_.clear();
  for (uint32_t n = 0; n < wanted; ++n)
    lines_.push_back(lines[(visit * wanted + n) % access.count] | kWholeLine);
  fewest.access.count = wanted;
  fewest.lines = lines_.data();
  return fewest;
}

}  // namespace model
}  // namespace vgpu
