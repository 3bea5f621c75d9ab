#include "model/bounds/demand.h"

#include <algorithm>

#include "model/launch/device_size.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

struct Asked {
  double vector = 0, matrix = 0, lds = 0, lane_bytes = 0, stored_bytes = 0, waves = 0;
};

Asked asked_of_device(const DispatchWork& work) {
  Asked all;
  for (int number = 0; number < kXcds; ++number) {
    const GroupWork& sum = work.xcd(number).sum;
    all.vector += double(sum.of(WorkPart::Vector));
    all.matrix += double(sum.of(WorkPart::Matrix));
    all.lds += double(sum.of(WorkPart::Lds));
    all.lane_bytes += double(sum.lane_bytes);
    all.stored_bytes += double(sum.stored_bytes);
    all.waves += double(sum.waves);
  }
  return all;
}

}  // namespace

void Demand::stretch(double factor) {
  for (int part = 0; part < kShared; ++part)
    if (Shared(part) != Shared::Room) parts_[size_t(part)] /= factor;
}

void Demand::limit() {
  for (double& part : parts_) part = std::min(part, 1.0);
}

Demand demand_of(const DispatchWork& work, double cycles) {
  const Asked asked = asked_of_device(work);
  const double units = kXcds * device_size().units_per_xcd;
  Demand demand;
  demand.of(Shared::Vector) = asked.vector / (units * kSimdsPerUnit);
  demand.of(Shared::Matrix) = asked.matrix / (units * kSimdsPerUnit);
  demand.of(Shared::Lds) = asked.lds / (units * kLdsPathsPerUnit);
  demand.of(Shared::VectorCache) = asked.lane_bytes / (units * kVectorBytesPerCycle);
  demand.of(Shared::L2Write) =
      asked.stored_bytes / (kXcds * kL2Channels * double(kL2WriteBytesPerCycle));
  demand.of(Shared::Launch) = asked.waves * kWaveLaunchCycles / (kXcds * kEnginesPerXcd);
  demand.stretch(std::max(1.0, cycles));
  return demand;
}

}  // namespace model
}  // namespace vgpu
