#include "model/sampling/first_groups.h"

#include <algorithm>
#include <cmath>

namespace vgpu {
namespace model {
namespace {

using calibration::kXcds;

// Of what an XCD asks for, so much may be of another kind than on its like: what differs by less
// cannot take much longer.
constexpr double kOtherMix = 0.2;

void raise(std::atomic<uint64_t>& most, uint64_t value) {
  uint64_t known = most.load(std::memory_order_relaxed);
  while (known < value && !most.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

double all_asked(const FirstGroups::OfXcd& xcd) {
  double sum = 0;
  for (const auto& asked : xcd.asked) sum += double(asked);
  return std::max(1.0, sum);
}

// The part of what either asks for that the other does not.
double mix_differs(const FirstGroups::OfXcd& one, const FirstGroups::OfXcd& other) {
  const double all = all_asked(one), others = all_asked(other);
  double off = 0;
  for (int part = 0; part < FirstGroups::OfXcd::kAsked; ++part)
    off += std::abs(double(one.asked[part]) / all - double(other.asked[part]) / others);
  return off / 2;
}

}  // namespace

void FirstGroups::add(uint64_t number, const Group& group) {
  OfXcd& xcd = xcds_[xcd_of_group(number)];
  xcd.groups.fetch_add(1, std::memory_order_relaxed);
  xcd.steps.fetch_add(group.steps, std::memory_order_relaxed);
  xcd.cycles.fetch_add(group.cycles, std::memory_order_relaxed);
  raise(xcd.most_cycles, group.cycles);
  raise(xcd.most_steps, group.longest_steps);
  if (!group.ended) xcd.all_ended = false;
  for (WorkPart part : {WorkPart::Vector, WorkPart::Scalar, WorkPart::ScalarMemory,
                        WorkPart::Memory, WorkPart::Branch, WorkPart::Matrix, WorkPart::Lds})
    xcd.asked[int(part)].fetch_add(group.work.of(part), std::memory_order_relaxed);
  xcd.asked[kWorkParts].fetch_add(
      group.work.lane_bytes / uint64_t(calibration::kVectorBytesPerCycle),
      std::memory_order_relaxed);
  xcd.asked[kWorkParts + 1].fetch_add(group.requests, std::memory_order_relaxed);
}

uint64_t FirstGroups::mean_steps(const LaunchShape& shape) const {
  uint64_t most = 0;
  for (const OfXcd& xcd : xcds_)
    if (const uint64_t waves = xcd.groups * shape.waves_per_group)
      most = std::max<uint64_t>(most, xcd.steps / waves);
  return most;
}

bool FirstGroups::all_ended() const {
  return std::all_of(std::begin(xcds_), std::end(xcds_),
                     [](const OfXcd& xcd) { return xcd.all_ended.load(); });
}

XcdMask FirstGroups::of_the_kind_of(int xcd) const {
  XcdMask alike = 0;
  for (int other = 0; other < kXcds; ++other)
    if (xcds_[other].groups == 0 || mix_differs(xcds_[xcd], xcds_[other]) <= kOtherMix)
      alike = XcdMask(alike | 1u << other);
  return alike;
}

uint64_t requests_of(const GroupTape& tape) {
  uint64_t requests = 0;
  for (const WaveTape& wave : tape.waves) requests += wave.lines.size();
  return requests;
}

}  // namespace model
}  // namespace vgpu
