#include "tape.h"

#include <algorithm>

#include "../exec/check_access.h"
#include "../exec/workgroup.h"
#include "counting_access.h"
#include "physical.h"
#include "places.h"
#include "requests.h"

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kLine = calibration::kVectorLineBytes;
constexpr size_t kMostSpareTapes = 4096;

void add_access(WaveTape& tape, TapeAccess access, const uint64_t* requests) {
  access.first = uint32_t(tape.lines.size());
  tape.lines.insert(tape.lines.end(), requests, requests + access.count);
  tape.steps.back().detail = uint32_t(tape.accesses.size());
  tape.accesses.push_back(access);
}

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

void add_global(WaveTape& tape, const LaneAccess& lanes, uint64_t exec, const Coalesced& requests,
                bool host) {
  TapeAccess access = access_of(lanes, exec, requests, host);
  if (access.atomic) {
    access.turns = atomic_turns(lanes, exec);
    access.system = tape.steps.back().slot->inst.sc1;
  }
  add_access(tape, access, requests.requests);
}

void tape_global(WaveTape& tape, const LaneAccess& lanes) {
  Translator& translator = this_thread_translator();
  Coalesced requests;
  bool host;
  if (coalesce_in_one(lanes, translator, requests, host))
    return add_global(tape, lanes, lanes.exec, requests, host);
  const Places places = places_of(lanes, translator);   // lanes of flat accesses may lie in the LDS
  if (!places.global) return;
  coalesce(places.physical, places.global, lanes.shape.bytes, 0, requests);
  add_global(tape, lanes, places.global, requests, places.host);
}

void tape_lds(const Wave& wave, const CodeSlot& slot, Step& step) {
  LaneAccess lanes;
  for (int element = 0; element < 2; ++element)
    if (counted_lanes(wave, slot.inst, slot.access, element, lanes))
      step.detail += lds_cycles(lanes).active;
  if (step.detail == 0) step.detail = kLanes / calibration::kLdsBanks;  // permutes and the like
}

// A row of private memory (one dword of every lane) lies together, as the hardware swizzles it.
void tape_scratch(WaveTape& tape, const Wave& wave, const Inst& inst) {
  uint32_t bytes = std::max<uint32_t>(4, inst.dst.dwords ? inst.dst.dwords * 4u
                                                         : inst.src[1].dwords * 4u);
  uint64_t wave_number = wave.group->number * wave.group->wave_count + wave.index;
  uint64_t base = kPrivatePhysical + wave_number * uint64_t(wave.scratch_bytes) * kLanes;
  uint32_t offset = uint32_t(inst.offset);
  if (inst.src[2].kind == OperandKind::Sgpr) offset += wave.sgpr[inst.src[2].reg & 127];
  if (inst.src[0].kind == OperandKind::Vgpr) offset += wave.row(inst.src[0])[0];
  uint64_t first = base + uint64_t(offset / 4) * kLanes * 4;
  uint64_t requests[kMostRequests];
  TapeAccess access;
  for (uint64_t at = first; at < first + bytes * kLanes; at += kLine)
    requests[access.count++] = at / kLine << 2 | 3;
  access.bytes = uint16_t(bytes);
  access.lanes = uint16_t(__builtin_popcountll(wave.exec()));
  access.write = inst.dst.kind == OperandKind::None;
  if (access.lanes) add_access(tape, access, requests);
}

void tape_scalar(WaveTape& tape, const Wave& wave, const Inst& inst) {
  ScalarAccess scalar;
  if (!scalar_access(wave, inst, scalar) || scalar.bytes == 0) return;
  Translator::Place place = this_thread_translator().translate(scalar.address);
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
  access.write = scalar.write;
  access.atomic = scalar.atomic;
  access.scalar = true;
  access.turns = 1;
  access.host = place.host;
  add_access(tape, access, requests);
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

void tape_step(Wave& wave, const CodeSlot& slot, uint64_t code_base) {
  WaveTape& tape = *wave.tape;
  tape.steps.push_back({&slot, uint32_t(wave.pc - slot.inst.bytes - code_base), 0});
  switch (slot.kind.unit) {
    case Unit::Lds: return tape_lds(wave, slot, tape.steps.back());
    case Unit::Smem: return tape_scalar(tape, wave, slot.inst);
    case Unit::Vmem:
      if (slot.inst.format == Format::SCRATCH) return tape_scratch(tape, wave, slot.inst);
      [[fallthrough]];
    case Unit::Flat: {
      LaneAccess lanes;
      if (counted_lanes(wave, slot.inst, slot.access, 0, lanes)) tape_global(tape, lanes);
      return;
    }
    default: return;
  }
}

}  // namespace model
}  // namespace vgpu
