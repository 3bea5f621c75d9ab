#include "model/bounds/dispatch_work.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

// Calls `use` with each number of one and the other.
template <class Use>
void for_each(GroupWork& one, const GroupWork& other, Use use) {
  for (int part = 0; part < kWorkParts; ++part) use(one.cycles[part], other.cycles[part]);
  use(one.lane_bytes, other.lane_bytes);
  use(one.stored_bytes, other.stored_bytes);
  use(one.longest, other.longest);
  use(one.ordered, other.ordered);
  use(one.waves, other.waves);
}

void add_up(GroupWork& one, const GroupWork& other) {
  for_each(one, other, [](uint64_t& a, uint64_t b) { a += b; });
}
void keep_least(GroupWork& one, const GroupWork& other) {
  for_each(one, other, [](uint64_t& a, uint64_t b) { a = std::min(a, b); });
}
void keep_most(GroupWork& one, const GroupWork& other) {
  for_each(one, other, [](uint64_t& a, uint64_t b) { a = std::max(a, b); });
}

template <uint64_t Simds, uint64_t LdsPaths>
void divide(GroupWork& work) {
  for (int part = 0; part < kWorkParts; ++part)
    work.cycles[part] /= WorkPart(part) == WorkPart::Lds ? LdsPaths : Simds;
}

// Of a workgroup on the one CU where it runs. Asked for every workgroup: the host divides by numbers
// that it knows beforehand.
GroupWork spread(GroupWork work) {
  static_assert(kSimdsPerUnit == 4 && kLdsPathsPerUnit == 2, "as many cases");
  switch (work.waves) {
    case 0:
    case 1: break;
    case 2: divide<2, 2>(work); break;
    case 3: divide<3, 2>(work); break;
    default: divide<4, 2>(work);
  }
  return work;
}

}  // namespace

uint64_t least_alone(const GroupWork& work) {
  constexpr WorkPart kParts[] = {WorkPart::Vector, WorkPart::Scalar, WorkPart::ScalarMemory,
                                 WorkPart::Memory, WorkPart::Branch, WorkPart::Matrix,
                                 WorkPart::Lds};
  const GroupWork alone = spread(work);
  uint64_t least = std::max(work.longest, work.lane_bytes / uint64_t(kVectorBytesPerCycle));
  for (WorkPart part : kParts) least = std::max(least, alone.of(part));
  return least;
}

void DispatchWork::add(uint64_t group, const GroupWork& work) {
  OfXcd& xcd = xcds_[xcd_of_group(group)];
  if (xcd.groups++ == 0) xcd.least = work;
  else keep_least(xcd.least, work);
  add_up(xcd.sum, work);
  keep_most(heaviest_, spread(work));
}

void DispatchWork::add(const DispatchWork& other) {
  for (int number = 0; number < kXcds; ++number) {
    OfXcd& mine = xcds_[number];
    const OfXcd& more = other.xcds_[number];
    if (more.groups == 0) continue;
    if (mine.groups == 0) mine.least = more.least;
    else keep_least(mine.least, more.least);
    mine.groups += more.groups;
    add_up(mine.sum, more.sum);
  }
  keep_most(heaviest_, other.heaviest_);
}

}  // namespace model
}  // namespace vgpu
