#include "model/tape/tape.h"

#include <algorithm>

#include "memory/physical.h"
#include "model/requests/places.h"
#include "model/requests/requests.h"

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kLine = calibration::kVectorLineBytes;
constexpr size_t kMostSpareTapes = 4096;

TapeAccess access_of(const LaneAccess& lanes, uint64_t exec, const Coalesced& requests, bool host) {
  TapeAccess access;
  access.count = requests.count;
  access.bytes = uint16_t(lanes.shape.bytes);
  access.lanes = uint16_t(__builtin_popcountll(exec));
  access.write = lanes.shape.touch == Touch::Write;
  access.atomic = lanes.shape.touch == Touch::Atomic;
  access.host = host;
  access.conflicts = uint16_t(requests.conflicts);
  return access;
}

// Lanes with different addresses in a line go together; of those with the same one each has its
// turn.
uint16_t atomic_turns(const LaneAccess& lanes, uint64_t exec) {
  uint64_t at[kLanes];
  int count = 0;
  for (uint64_t left = exec; left; left &= left - 1) at[count++] = lanes.at[__builtin_ctzll(left)];
  std::sort(at, at + count);
  int turns = 0, of_line = 0, of_address = 0;
  for (int n = 0; n < count; ++n) {
    const bool same_line = n > 0 && at[n] / kLine == at[n - 1] / kLine;
    of_address = n > 0 && at[n] == at[n - 1] ? of_address + 1 : 1;
    if (!same_line) turns += of_line;
    of_line = same_line ? std::max(of_line, of_address) : 1;
  }
  return uint16_t(turns + of_line);
}

}  // namespace

SparePool<GroupTape>& spare_tapes() {
  static auto* pool = new SparePool<GroupTape>(kMostSpareTapes);
  return *pool;
}

void WaveTape::start(uint32_t step_limit) {
  steps.clear();
  accesses.assign(1, TapeAccess{});
  lines.clear();
  executed = 0;
  limit = step_limit;
}

void WaveTaper::add_access(TapeAccess access, const uint64_t* requests) {
  access.first = uint32_t(tape_.lines.size());
  tape_.lines.insert(tape_.lines.end(), requests, requests + access.count);
  tape_.steps.back().detail = uint32_t(tape_.accesses.size());
  tape_.accesses.push_back(access);
}

void WaveTaper::add_requests(const LaneAccess& lanes, uint64_t exec, const Coalesced& requests,
                             bool host) {
  TapeAccess access = access_of(lanes, exec, requests, host);
  if (access.atomic) {
    access.turns = atomic_turns(lanes, exec);
    access.system = tape_.steps.back().slot->inst.sc1;
  }
  add_access(access, requests.requests);
}

void WaveTaper::add_global(const LaneAccess& lanes) {
  Translator& translator = this_thread_translator();
  Coalesced requests;
  bool host;
  if (coalesce_in_one(lanes, translator, requests, host))
    return add_requests(lanes, lanes.exec, requests, host);
  const Places places = places_of(lanes, translator);   // lanes of flat accesses may lie in the LDS
  if (!places.global) return;
  coalesce(places.physical, places.global, lanes.shape.bytes, 0, requests);
  add_requests(lanes, places.global, requests, places.host);
}

void WaveTaper::add_lds(const LaneAccess& lanes) {
  Step& step = tape_.steps.back();
  const uint32_t cycles = lds_cycles(lanes).active;
  step.detail = lanes.element == 0 ? cycles : step.detail + cycles;
}

// A row of private memory (one dword of every lane) lies together, as the hardware swizzles it.
void WaveTaper::add_private(const LaneAccess& lanes) {
  const uint32_t bytes = std::max<uint32_t>(4, lanes.shape.bytes);
  const uint32_t offset = uint32_t(lanes.at[0] & kApertureLimit);
  const uint64_t first = private_base_ + uint64_t(offset / 4) * kLanes * 4;
  uint64_t requests[kMostRequests];
  TapeAccess access;
  for (uint64_t at = first; at < first + bytes * kLanes; at += kLine)
    requests[access.count++] = at / kLine << 2 | 3;
  access.bytes = uint16_t(bytes);
  access.lanes = uint16_t(__builtin_popcountll(lanes.exec));
  access.write = lanes.shape.touch == Touch::Write;
  add_access(access, requests);
}

void WaveTaper::step(const CodeSlot& slot, uint64_t pc) {
  if (tape_.full()) return set_interest(kNothing);
  // Permutes and the like touch no memory, but use the crossbar once.
  const uint32_t detail = slot.unit == Unit::Lds ? kLanes / calibration::kLdsBanks : 0;
  tape_.steps.push_back({&slot, uint32_t(pc - code_base_), detail});
}

void WaveTaper::lanes(const CodeSlot& slot, const LaneAccess& access) {
  if (slot.unit == Unit::Lds) return add_lds(access);
  if (slot.inst.format == Format::SCRATCH) return add_private(access);
  add_global(access);
}

void WaveTaper::scalar(const CodeSlot&, const ScalarAccess& scalar) {
  const Translator::Place place = this_thread_translator().translate(scalar.address);
  constexpr uint64_t kHalf = kLine / 2;
  uint64_t requests[2];
  TapeAccess access;
  for (uint64_t half = place.physical / kHalf; half <= (place.physical + scalar.bytes - 1) / kHalf;
       ++half) {
    uint64_t bit = uint64_t(1) << (half & 1);
    if (access.count && line_of(requests[access.count - 1]) == half / 2)
      requests[access.count - 1] |= bit;
    else
      requests[access.count++] = half / 2 << 2 | bit;
  }
  access.bytes = uint16_t(scalar.bytes);
  access.lanes = 1;
  access.write = scalar.touch == Touch::Write;
  access.atomic = scalar.touch == Touch::Atomic;
  access.scalar = true;
  access.turns = 1;
  access.host = place.host;
  add_access(access, requests);
}

GroupTaper::GroupTaper(const GroupStart& start, uint32_t steps) {
  spare_tapes().take(tape_);
  tape_.group = start.number;
  tape_.waves.resize(start.waves);
  tapers_.reserve(start.waves);
  const uint64_t private_bytes = uint64_t(start.scratch_bytes) * kLanes;
  const uint64_t first_wave = start.number * start.waves;
  for (uint32_t index = 0; index < start.waves; ++index) {
    tape_.waves[index].start(steps);
    tapers_.emplace_back(tape_.waves[index],
                         kPrivatePhysical + (first_wave + index) * private_bytes);
  }
}

}  // namespace model
}  // namespace vgpu
