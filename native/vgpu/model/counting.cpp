#include "counting.h"

#include <algorithm>

#include "counting_table.h"
#include "physical.h"
#include "places.h"

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kInstructionLine = calibration::kInstructionLineBytes;
constexpr uint64_t kScalarLine = calibration::kScalarLineBytes;
constexpr uint64_t kRowBytes = kLanes * 4;   // of private memory: one dword of every lane

// --- vector memory -------------------------------------------------------------------------------

struct AccessCounters {
  Counter total, conflicts;
  Request request;
};
AccessCounters counters_of(const Inst& inst, Touch touch) {
  if (touch == Touch::Read)
    return {Counter::TCP_TOTAL_READ, Counter::TCP_READ_TAGCONFLICT_STALL_CYCLES, Request::Read};
  if (touch == Touch::Write)
    return {Counter::TCP_TOTAL_WRITE, Counter::TCP_WRITE_TAGCONFLICT_STALL_CYCLES, Request::Write};
  return {inst.sc0 ? Counter::TCP_TOTAL_ATOMIC_WITH_RET : Counter::TCP_TOTAL_ATOMIC_WITHOUT_RET,
          Counter::TCP_ATOMIC_TAGCONFLICT_STALL_CYCLES,
          inst.sc0 ? Request::AtomicReturn : Request::Atomic};
}

void count_requests(WaveCounts& counts, const Inst& inst, const Coalesced& requests, Touch touch,
                    bool host) {
  AccessCounters counters = counters_of(inst, touch);
  CounterValues& values = counts.thread->values;
  values.add(Counter::TCP_TOTAL_ACCESSES, requests.lane_requests);
  values.add(counters.total, requests.lane_requests);
  values.add(Counter::TCP_TOTAL_CACHE_ACCESSES, requests.tag_accesses);
  values.add(Counter::TCP_UTCL1_REQUEST, requests.translations);
  values.add(counters.conflicts, requests.conflicts);
  counts.requests.add({counters.request, host, inst.sc1, inst.nt}, requests);
}

// Private memory is interleaved by dword, so each dword of the data is a row of its own.
void count_private(WaveCounts& counts, const Wave& wave, const Inst& inst, const LaneAccess& access,
                   uint64_t lanes) {
  const GroupCounts& group = *counts.group;
  const uint64_t base = group.private_base + wave.index * group.private_bytes;
  uint64_t physical[kLanes];
  for (uint32_t byte = 0; byte < access.shape.bytes; byte += 4) {
    for (uint64_t left = lanes; left; left &= left - 1) {
      int l = __builtin_ctzll(left);
      uint64_t offset = (access.at[l] & kApertureLimit) + byte;
      physical[l] = base + offset / 4 * kRowBytes + uint64_t(l) * 4 + offset % 4;
    }
    Coalesced requests;
    coalesce(physical, lanes, std::min<uint32_t>(4, access.shape.bytes - byte), 0, requests);
    count_requests(counts, inst, requests, access.shape.touch, false);
  }
}

void count_lds_cycles(CounterValues& values, const LaneAccess& access, bool returns) {
  LdsCycles cycles = lds_cycles(access);
  values.add(Counter::SQ_LDS_IDX_ACTIVE, cycles.active);
  values.add(Counter::SQ_LDS_BANK_CONFLICT, cycles.conflicts);
  values.add(Counter::SQ_LDS_ADDR_CONFLICT, cycles.same_address);
  values.add(Counter::SQ_LDS_UNALIGNED_STALL, cycles.unaligned);
  if (access.shape.touch == Touch::Atomic && returns)
    values.add(Counter::SQ_LDS_ATOMIC_RETURN, cycles.active);
}

bool invalidates(Op op) {
  return op == Op::buffer_inv || op == Op::buffer_wbinvl1 || op == Op::buffer_wbinvl1_vol;
}

void count_vector(Wave& wave, const Inst& inst, const AccessShape& shape) {
  WaveCounts& counts = *wave.counts;
  if (invalidates(inst.op)) counts.requests.add_row({Request::Invalidate}, 0, 0);
  LaneAccess access;
  if (!counted_lanes(wave, inst, shape, 0, access)) return;
  Coalesced requests;
  bool host;
  Translator& translator = counts.thread->translator;
  if (coalesce_in_one(access, translator, requests, host))
    return count_requests(counts, inst, requests, shape.touch, host);
  Places places = places_of(access, translator);
  if (places.global) {
    coalesce(places.physical, places.global, shape.bytes, 0, requests);
    count_requests(counts, inst, requests, shape.touch, places.host);
  }
  if (places.priv) count_private(counts, wave, inst, access, places.priv);
  if (places.lds) {   // a generic address that means LDS takes an LDS instruction too
    access.exec = places.lds;
    counts.thread->values.add(Counter::SQ_INSTS_LDS);
    count_lds_cycles(counts.thread->values, access, inst.sc0);
  }
}

// --- LDS and scalar memory -----------------------------------------------------------------------

void count_lds(Wave& wave, const Inst& inst, const AccessShape& shape) {
  if (inst.gds) return;
  CounterValues& values = wave.counts->thread->values;
  if (shape.touch == Touch::None) {   // permutes and the like use the crossbar once
    values.add(Counter::SQ_LDS_IDX_ACTIVE, kLanes / calibration::kLdsBanks);
    return;
  }
  LaneAccess access;
  bool returns = inst.dst.kind != OperandKind::None;
  for (int element = 0; element < 2; ++element)
    if (counted_lanes(wave, inst, shape, element, access))
      count_lds_cycles(values, access, returns);
}

void count_scalar(Wave& wave, const Inst& inst) {
  ScalarAccess access;
  if (!scalar_access(wave, inst, access)) return;
  WaveCounts& counts = *wave.counts;
  Translator::Place place = counts.thread->translator.translate(access.address);
  uint64_t first = place.physical / kScalarLine;
  uint64_t last = (place.physical + access.bytes - 1) / kScalarLine;
  counts.thread->values.add(Counter::SQC_DCACHE_REQ, last - first + 1);
  bool write = access.write || access.atomic;
  Request kind = write ? Request::ScalarWrite : Request::Scalar;
  counts.requests.add_row({kind, place.host, false, false}, first, uint32_t(last - first + 1));
}

}  // namespace

size_t GroupCounts::bytes() const {
  size_t bytes = sizeof *this + waves.size() * sizeof(WaveCounts);
  bytes += code_lines.size() * sizeof(uint64_t);
  for (const WaveCounts& wave : waves) bytes += wave.requests.bytes();
  return bytes;
}

void GroupCounts::clear_requests() {
  code_lines.clear();
  for (WaveCounts& wave : waves) wave.requests.clear();
}

CodeHits& ThreadCounts::find(const CodeRange& code) {
  for (auto& known : codes_)
    if (known->code == &code) return *(last_ = known.get());
  codes_.push_back(std::make_unique<CodeHits>());
  last_ = codes_.back().get();
  last_->code = &code;
  last_->keeper = find_code(code.base());
  const size_t ends = code.bytes() / 4 + 1;   // a stretch may end behind the last slot
  last_->slots =
      reinterpret_cast<SlotChange*>(last_->memory.reserve(ends * sizeof(SlotChange)));
  return *last_;
}

CounterValues ThreadCounts::totals() {
  CounterValues totals = values;
  for (const auto& known : codes_) known->add_to(totals);
  return totals;
}

void CodeHits::change(uint64_t pc, int64_t hits, int64_t lanes) {
  const uint32_t index = uint32_t((pc - code->base()) / 4);
  SlotChange& slot = slots[index];
  slot.hits += hits;
  slot.lanes += lanes;
  if (slot.listed) return;
  slot.listed = true;
  changes.push_back(index);
}

void CodeHits::add_to(CounterValues& totals) {
  std::sort(changes.begin(), changes.end());
  int64_t hits = 0, lanes = 0;
  for (size_t n = 0; n + 1 < changes.size(); ++n) {   // at the last change, everything has ended
    hits += slots[changes[n]].hits;
    lanes += slots[changes[n]].lanes;
    if (hits == 0) continue;
    for (uint64_t index = changes[n]; index < changes[n + 1];) {
      const CodeSlot& slot = keeper->at(code->base() + index * 4);
      for (const Increment& increment : increments(slot.inst, slot.kind))
        totals.add(increment.counter, increment.amount * uint64_t(hits));
      totals.add(Counter::SQ_THREAD_CYCLES_VALU, uint64_t(lanes) * vector_quads(slot.kind));
      index += slot.inst.bytes / 4;
    }
  }
}

void StretchCounter::begin(uint64_t pc, uint64_t exec) {
  end();
  jumped_ = pc != next_;
  first_ = pc;
  exec_ = exec;
}

void StretchCounter::end() {
  if (first_ == next_) return;
  const int64_t lanes = __builtin_popcountll(exec_);
  code_.change(first_, 1, lanes);
  code_.change(next_, -1, -lanes);
  count_fetches();
}

void StretchCounter::skip(const Wave& wave, const CodeSlot& slot) {
  begin(wave.pc - slot.inst.bytes, 0);
  next_ = wave.pc;
  count_fetches();
  first_ = next_;
  counts_.thread->values.add(Counter::SQ_INSTS_VSKIPPED);
}

// Blocks are fetched in a row, and anew after a jump.
void StretchCounter::count_fetches() {
  constexpr uint64_t kBlock = calibration::kFetchBytes;
  const uint64_t first = jumped_ ? first_ / kBlock : counts_.fetched + 1;
  const uint64_t end = (next_ - 1) / kBlock + 1;
  if (first >= end) return;
  counts_.fetched = end - 1;
  counts_.thread->values.add(Counter::SQ_IFETCH, end - first);
  GroupCounts& group = *counts_.group;
  const uint64_t base = code_.code->base();
  for (uint64_t line = first * kBlock / kInstructionLine; line * kInstructionLine < end * kBlock;
       ++line) {
    const uint64_t address = std::max(line * kInstructionLine, base);
    SlotChange& slot = code_.slots[(address - base) / 4];
    if (slot.line_stamp == group.stamp) continue;
    slot.line_stamp = group.stamp;
    uint64_t physical = counts_.thread->translator.translate(address).physical;
    group.code_lines.push_back(physical / kInstructionLine);
  }
}

void count_memory(Wave& wave, const CodeSlot& slot) {
  switch (slot.kind.unit) {
    case Unit::Smem: return count_scalar(wave, slot.inst);
    case Unit::Lds: return count_lds(wave, slot.inst, slot.access);
    default: return count_vector(wave, slot.inst, slot.access);
  }
}

}  // namespace model
}  // namespace vgpu
