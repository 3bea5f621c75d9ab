#include "model/counters/counting.h"

#include <algorithm>

#include "model/counters/counting_table.h"
#include "model/instruction/instruction_kind.h"
#include "model/requests/places.h"

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kInstructionLine = calibration::kInstructionLineBytes;
constexpr uint64_t kScalarLine = calibration::kScalarLineBytes;
constexpr uint64_t kRowBytes = kLanes * 4;  // of private memory: one dword of every lane

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

}  // namespace

size_t GroupCounts::bytes() const {
  size_t bytes = sizeof *this + waves.size() * sizeof(WaveCounts);
  bytes += code_lines.size() * sizeof(uint64_t);
  for (const WaveCounts& wave : waves) bytes += wave.requests.bytes();
  return bytes;
}

void GroupCounts::clear_requests(size_t most_kept) {
  code_lines.clear();
  for (WaveCounts& wave : waves) wave.requests.clear(most_kept);
}

CodeHits& ThreadCounts::find(DecodedCode& code) {
  for (auto& known : codes_)
    if (known->code.get() == &code) return *(last_ = known.get());
  codes_.push_back(std::make_unique<CodeHits>());
  last_ = codes_.back().get();
  last_->code = code.shared_from_this();
  const size_t ends = code.bytes() / 4 + 1;  // a stretch may end behind the last slot
  last_->slots = reinterpret_cast<SlotChange*>(last_->memory.reserve(ends * sizeof(SlotChange)));
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
  for (size_t n = 0; n + 1 < changes.size(); ++n) {  // at the last change, everything has ended
    hits += slots[changes[n]].hits;
    lanes += slots[changes[n]].lanes;
    if (hits == 0) continue;
    for (uint64_t index = changes[n]; index < changes[n + 1];) {
      const CodeSlot& slot = code->at(code->base() + index * 4);
      const InstructionKind kind = kind_of(slot.inst);
      for (const Increment& increment : increments(slot.inst, kind))
        totals.add(increment.counter, increment.amount * uint64_t(hits));
      totals.add(Counter::SQ_THREAD_CYCLES_VALU, uint64_t(lanes) * vector_quads(kind));
      index += slot.inst.bytes / 4;
    }
  }
}

void WaveCounts::begin(GroupCounts& group, uint64_t private_base) {
  ask_too(nullptr);
  group_ = &group;
  code_ = nullptr;
  private_base_ = private_base;
  fetched_ = 0;
}

void WaveCounts::ask_too(WaveObserver* who) {
  asked_too_ = who;
  set_again_at(who ? who->again_at() : kNever);
}

void WaveCounts::ask_again(uint64_t pc) {
  asked_too_->ask_again(pc);
  if (asked_too_) ask_too(asked_too_);  // it may have called somebody who takes its place
}

ThreadCounts& WaveCounts::thread() const { return *group_->thread; }

void WaveCounts::enter(DecodedCode& code) { code_ = &thread().of(code); }

void WaveCounts::ran(uint64_t first, uint64_t end, uint64_t exec, bool jumped) {
  const int64_t lanes = __builtin_popcountll(exec);
  code_->change(first, 1, lanes);
  code_->change(end, -1, -lanes);
  count_fetches(first, end, jumped);
}

void WaveCounts::skipped(uint64_t first, uint64_t end, bool jumped) {
  count_fetches(first, end, jumped);
  thread().values.add(Counter::SQ_INSTS_VSKIPPED);
}

// Blocks are fetched in a row, and anew after a jump.
void WaveCounts::count_fetches(uint64_t begin, uint64_t behind, bool jumped) {
  constexpr uint64_t kBlock = calibration::kFetchBytes;
  const uint64_t first = jumped ? begin / kBlock : fetched_ + 1;
  const uint64_t end = (behind - 1) / kBlock + 1;
  if (first >= end) return;
  fetched_ = end - 1;
  thread().values.add(Counter::SQ_IFETCH, end - first);
  const uint64_t base = code_->code->base();
  for (uint64_t line = first * kBlock / kInstructionLine; line * kInstructionLine < end * kBlock;
       ++line) {
    const uint64_t address = std::max(line * kInstructionLine, base);
    SlotChange& slot = code_->slots[(address - base) / 4];
    if (slot.line_stamp == group_->stamp) continue;
    slot.line_stamp = group_->stamp;
    uint64_t physical = thread().translator.translate(address).physical;
    group_->code_lines.push_back(physical / kInstructionLine);
  }
}

void WaveCounts::count_requests(const Inst& inst, const PlacedRequests& placed, Touch touch,
                                bool host) {
  const Coalesced& asked = *placed.relative;
  AccessCounters counters = counters_of(inst, touch);
  CounterValues& values = thread().values;
  values.add(Counter::TCP_TOTAL_ACCESSES, asked.lane_requests);
  values.add(counters.total, asked.lane_requests);
  values.add(Counter::TCP_TOTAL_CACHE_ACCESSES, asked.tag_accesses);
  values.add(Counter::TCP_UTCL1_REQUEST, asked.translations);
  values.add(counters.conflicts, asked.conflicts);
  requests.add({counters.request, host, inst.sc1, inst.nt}, placed);
}

// Private memory is interleaved by dword, so each dword of the data is a row of its own.
void WaveCounts::count_private(const Inst& inst, const LaneAccess& access, uint64_t lanes) {
  uint64_t physical[kLanes];
  for (uint32_t byte = 0; byte < access.shape.bytes; byte += 4) {
    for (uint64_t left = lanes; left; left &= left - 1) {
      int l = __builtin_ctzll(left);
      uint64_t offset = (access.of(l) & kApertureLimit) + byte;
      physical[l] = private_base_ + offset / 4 * kRowBytes + uint64_t(l) * 4 + offset % 4;
    }
    Coalesced asked;
    coalesce(physical, lanes, std::min<uint32_t>(4, access.shape.bytes - byte), 0, asked);
    count_requests(inst, {&asked, 0}, access.shape.touch, false);
  }
}

void WaveCounts::count_vector(const CodeSlot& slot, const LaneAccess& access) {
  const Inst& inst = slot.inst;
  Coalesced asked;
  Link link;
  const PlacedRequests placed = coalesce_in_one(access, &slot, thread().translator, asked, link);
  if (placed.relative) return count_requests(inst, placed, access.shape.touch, link == kHostLink);
  Places places = places_of(access, thread().translator);
  if (places.global) {
    coalesce(places.physical, places.global, access.shape.bytes, 0, asked);
    count_requests(inst, {&asked, 0}, access.shape.touch, places.link == kHostLink);
  }
  if (places.priv) count_private(inst, access, places.priv);
  if (places.lds) {  // a generic address that means LDS takes an LDS instruction too
    LaneAccess local = access;
    local.spell_out();
    local.exec = places.lds;
    thread().values.add(Counter::SQ_INSTS_LDS);
    count_lds_cycles(thread().values, local, inst.sc0);
  }
}

void WaveCounts::lanes(const CodeSlot& slot, const LaneAccess& access) {
  if (slot.unit != Unit::Lds) return count_vector(slot, access);
  if (!slot.inst.gds)
    count_lds_cycles(thread().values, access, slot.inst.dst.kind != OperandKind::None);
}

void WaveCounts::scalar(const CodeSlot&, const ScalarAccess& access) {
  Translator::Place place = thread().translator.translate(access.address);
  uint64_t first = place.physical / kScalarLine;
  uint64_t last = (place.physical + access.bytes - 1) / kScalarLine;
  thread().values.add(Counter::SQC_DCACHE_REQ, last - first + 1);
  Request kind = access.touch == Touch::Read ? Request::Scalar : Request::ScalarWrite;
  requests.add_row({kind, place.link == kHostLink, false, false}, first,
                   uint32_t(last - first + 1));
}

void WaveCounts::cache_control(const CodeSlot& slot) {
  if (invalidates(slot.inst.op)) requests.add_row({Request::Invalidate}, 0, 0);
}

}  // namespace model
}  // namespace vgpu
