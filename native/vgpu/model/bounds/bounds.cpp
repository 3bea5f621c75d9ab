#include "model/bounds/bounds.h"

#include <algorithm>
#include <cmath>

#include "model/launch/device_size.h"
#include "model/memory/links.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr const char* kNames[kBounds] = {"wave",
                                         "room",
                                         "launch",
                                         "vector",
                                         "scalar",
                                         "scalar memory",
                                         "memory issue",
                                         "branch",
                                         "matrix",
                                         "LDS",
                                         "vector cache",
                                         "L2 writes",
                                         "Infinity Cache",
                                         "HBM",
                                         "atomics on a line",
                                         "waiting for others",
                                         "host link",
                                         "peer link"};

constexpr uint32_t bit(Bound bound) { return uint32_t(1) << int(bound); }

// Bounds that do not hold where a mechanism is free.
constexpr uint32_t kLifted[] = {
#define MECHANISM(ideal, name, lifted) lifted,
#include "model/ideal/mechanisms.inc"
#undef MECHANISM
};

constexpr uint32_t kLiftedAtAPlace =
#define MECHANISM(ideal, name, lifted)
#define AT_A_PLACE(variable, lifted) (lifted)
#include "model/ideal/mechanisms.inc"
#undef AT_A_PLACE
#undef MECHANISM
    ;

struct Port {
  WorkPart part;
  Bound bound;
  double per_unit;  // such ports that a CU has
};
constexpr Port kPorts[] = {
    {WorkPart::Vector, Bound::Vector, kSimdsPerUnit},
    {WorkPart::Scalar, Bound::Scalar, kSimdsPerUnit},
    {WorkPart::ScalarMemory, Bound::ScalarMemory, kSimdsPerUnit},
    {WorkPart::Memory, Bound::Memory, kSimdsPerUnit},
    {WorkPart::Branch, Bound::Branch, kSimdsPerUnit},
    {WorkPart::Matrix, Bound::Matrix, kSimdsPerUnit},
    {WorkPart::Lds, Bound::Lds, kLdsPathsPerUnit},
};

// Of what the workgroups of an XCD ask of their CUs, which do not share it: the mean, or as many of
// the lightest ones as the fullest CU has at least.
double on_fullest_unit(double groups, double sum, double least) {
  const double units = device_size().units_per_xcd;
  return std::max(sum / std::min(groups, units), least * std::ceil(groups / units));
}

}  // namespace

const char* name_of(Bound bound) { return kNames[size_t(bound)]; }

void Bounds::raise(Bound bound, double cycles) {
  double& known = cycles_[size_t(bound)];
  known = std::max(known, cycles);
}

void Bounds::of_xcd(const LaunchShape& shape, const DispatchWork::OfXcd& xcd) {
  if (xcd.groups == 0) return;
  const double groups = double(xcd.groups), places = double(groups_per_round(shape));
  raise(Bound::Room, std::max(double(xcd.sum.longest) / std::min(groups, places),
                              double(xcd.least.longest) * std::ceil(groups / places)));
  const double engines = std::min<double>(groups, kEnginesPerXcd);
  raise(Bound::Launch, (std::ceil(double(xcd.sum.waves) / engines) - 1) * kWaveLaunchCycles);
  for (const Port& port : kPorts)
    raise(port.bound,
          on_fullest_unit(groups, double(xcd.sum.of(port.part)), double(xcd.least.of(port.part))) /
              port.per_unit);
  raise(Bound::Address,
        on_fullest_unit(groups, double(xcd.sum.lane_bytes), double(xcd.least.lane_bytes)) /
            kVectorBytesPerCycle);
  raise(Bound::L2Write, double(xcd.sum.stored_bytes) / (kL2WriteBytesPerCycle * kL2Channels));
}

Bounds::Bounds(const LaunchShape& shape, const DispatchWork& work, const TouchedMemory& touched,
               double cold_bytes) {
  for (int number = 0; number < kXcds; ++number) of_xcd(shape, work.xcd(number));
  const GroupWork& heaviest = work.heaviest();
  raise(Bound::Wave, double(heaviest.longest));
  raise(Bound::Order, double(heaviest.ordered));
  for (const Port& port : kPorts) raise(port.bound, double(heaviest.of(port.part)));
  raise(Bound::Address, double(heaviest.lane_bytes) / kVectorBytesPerCycle);
  const double clock = device_size().clock_ghz;
  raise(Bound::InfinityCache, touched.distinct_bytes() / kMallBytesPerNs * clock);
  raise(Bound::Hbm, cold_bytes / std::max(kMemoryReadBytesPerNs, kMemoryWriteBytesPerNs) * clock);
  for (int link = kHostLink; link < kLinks; ++link)  // each way carries as much as the other
    raise(link == kHostLink ? Bound::HostLink : Bound::PeerLink,
          double(touched.linked_bytes[size_t(link)]) / (2 * link_bytes_per_ns(Link(link))) * clock);
  raise(Bound::Atomics, double(touched.most_atomics) * kAtomicSameLineCycles);
  uint32_t lifted = shape.free_code ? kLiftedAtAPlace : 0;
  for (int ideal = 0; ideal < int(Ideal::count_); ++ideal)
    if (ideals().has(Ideal(ideal))) lifted |= kLifted[ideal];
  lift(lifted);
}

void Bounds::lift(uint32_t lifted) {
  for (int bound = 0; bound < kBounds; ++bound)
    if (lifted & bit(Bound(bound))) cycles_[size_t(bound)] = 0;
}

Bound Bounds::largest() const {
  return Bound(std::max_element(cycles_.begin(), cycles_.end()) - cycles_.begin());
}

}  // namespace model
}  // namespace vgpu
