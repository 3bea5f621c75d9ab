// VROCM_CHECK=race: two waves touch the same bytes, one of them writes, they are not both atomic, and
// nothing puts one before the other. docs/virtual-rocm.md has the whole definition. Each dword
// remembers its last writer and two readers; race_order.h knows what orders them.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "exec/check/check.h"
#include "exec/check/race_idioms.h"
#include "exec/check/race_order.h"
#include "exec/check/rules.h"
#include "isa/op_class.h"

namespace vgpu {
namespace {

using Answer = RaceIdioms::Answer;
constexpr uint64_t kGranule = 4, kPageGranules = 1024;

// Atomic for the waves of a workgroup (sc0, or LDS), or for all (sc1, and what modifies memory).
// Swap: an LDS exchange that may have taken a lock. Wait: an LDS load that waits in a loop.
// Volatile: an LDS access that says so; atomic beside true atomics only.
enum Kind : uint8_t { kPlain, kInGroup, kInDevice, kSwap, kWait, kVolatile };

struct Visit {     // small, because there are three for each dword that a kernel touches
  int32_t pc = 0;  // from the kernel's entry
  uint32_t group = 0;
  uint64_t stamp : 40;  // when, in memory instructions of the dispatch
  uint64_t wave : 8;
  uint64_t bytes : 4;  // mask within the dword; 0: nobody yet
  uint64_t kind : 3;
  uint64_t wrote : 1;
  Visit() : stamp(0), wave(0), bytes(0), kind(kPlain), wrote(0) {}

  bool same_wave(const Visit& other) const { return group == other.group && wave == other.wave; }
};

struct Granule {
  Visit writer;
  Visit earlier[2];  // the last readers, of different waves, or a write under an atomic one
};

using Page = std::vector<Granule>;

struct Shadow {
  uint64_t entry = 0;
  std::unordered_map<uint64_t, Page> pages;  // global memory by address, LDS by workgroup
  RaceOrder order;
  RaceIdioms idioms;

  // Reads that may be guesses of a compare-and-swap: judged when the kernel has ended.
  std::map<int32_t, std::vector<Finding>> suspects;  // by where they read
  std::set<int32_t> guesses;

  // Only the first of each pair of instructions is kept.
  void suspect(int32_t read, Finding finding) {
    std::vector<Finding>& findings = suspects[read];
    for (const Finding& known : findings)
      if (known.pc == finding.pc && known.other_pc == finding.other_pc) return;
    findings.push_back(std::move(finding));
  }

  uint64_t last_key = ~uint64_t(0);  // neighbouring lanes mostly share a page
  Granule* last_page = nullptr;

  Granule& at(uint64_t space, uint64_t address) {
    uint64_t granule = address / kGranule, key = space ^ (granule / kPageGranules);
    if (key != last_key) {
      Page& page = pages[key];
      if (page.empty()) page.resize(kPageGranules);
      last_key = key;
      last_page = page.data();
    }
    return last_page[granule % kPageGranules];
  }
};

Shadow& shadow() {
  static auto* value = new Shadow;
  return *value;
}

uint64_t address_of(const Visit& visit) { return shadow().entry + uint64_t(int64_t(visit.pc)); }

bool both_atomic(const Visit& a, const Visit& b) {
  if (a.group != b.group) return a.kind == kInDevice && b.kind == kInDevice;
  return a.kind != kPlain && b.kind != kPlain && !(a.kind == kVolatile && b.kind == kVolatile);
}

// The part of one lane's access that lies in one dword.
struct Piece {
  const Wave& wave;
  const Inst& inst;
  GroupOrder& group;
  WaveOrder& order;
  uint64_t lane_address, address;  // where the lane's access and where this piece begins
  int lane, element;
  Touch touch;

  bool lds() const { return in_lds(address); }
  bool returns() const {  // a value to the wave
    bool always = touch == Touch::Read || inst.format == Format::DS;
    return always ? inst.dst.kind != OperandKind::None : inst.sc0;
  }
  const uint8_t* memory() const {
    return lds() ? wave.lds + (address & kApertureLimit) : reinterpret_cast<uint8_t*>(address);
  }
};

bool ordered(const Piece& piece, const Visit& before, const Visit& now) {
  if (!(before.bytes & now.bytes) || before.same_wave(now)) return true;
  if (both_atomic(before, now)) return true;
  if (before.kind == kWait || now.kind == kWait) return true;
  if (before.group == now.group && piece.group.happened(piece.order, before.wave, before.stamp))
    return true;
  return piece.order.others && piece.order.others->covers(before.group, before.wave, before.stamp);
}

// The first load of a loop around compare-and-swap, against atomics only.
Answer is_guess(const Piece& piece, const Visit& read, const Visit& write) {
  if (read.wrote || !write.wrote || read.kind != kPlain || write.kind == kPlain) return Answer::No;
  return shadow().idioms.feeds_compare_and_swap(piece.wave, address_of(read));
}

std::string describe(const Piece& piece, const Visit& before, const Visit& now) {
  std::string who = before.group != now.group ? "workgroup " + std::to_string(before.group)
                                              : "wave " + std::to_string(before.wave);
  std::string where =
      piece.lds() ? "LDS byte " + std::to_string(piece.address & kApertureLimit) : "global memory";
  return std::string("race: this wave ") + (now.wrote ? "writes " : "reads ") + where + " that " +
         who + (before.wrote ? " wrote" : " read") + (before.kind == kPlain ? "" : " atomically") +
         ", with nothing in between that orders them";
}

Finding finding_of(const Piece& piece, const Visit& before, const Visit& now) {
  return make_finding(piece.wave, address_of(now), address_of(before),
                      describe(piece, before, now));
}

bool takes_high_half(const Inst& inst) { return op_class(inst.op).form == MemoryForm::HighHalf; }

bool stores_what_is_there(const Piece& piece, const Visit& now) {
  const Operand& data = piece.inst.src[piece.element == 1 ? 2 : 1];
  const uint64_t skipped = piece.address - piece.lane_address;
  if (data.kind != OperandKind::Vgpr && data.kind != OperandKind::Agpr) return false;
  if (skipped % 4) return false;  // not aligned: too rare to be worth its code
  uint32_t value = piece.wave.row(data, int(skipped / 4))[piece.lane];
  if (takes_high_half(piece.inst)) value >>= 16;
  const int bytes = __builtin_popcount(unsigned(now.bytes));
  return std::memcmp(piece.memory(), &value, size_t(bytes)) == 0;
}

// Who exchanged the word last, other than in vain, holds the lock and releases it by a store.
bool releases_lock(const Piece& piece, const Visit& writer, const Visit& now) {
  return piece.lds() && now.kind == kPlain && writer.kind == kSwap && writer.same_wave(now);
}

bool swaps_in_vain(const Piece& piece) {
  if (piece.inst.format != Format::DS || !is_compare_and_swap(piece.inst.op)) return false;
  const int dword = int((piece.address - piece.lane_address) / 4);
  uint32_t expected = piece.wave.row(piece.inst.src[1], dword)[piece.lane];
  return std::memcmp(piece.memory(), &expected, sizeof expected) != 0;
}

// What an atomic learns from the last writer, and what others may learn from it.
void exchange_order(const Piece& piece, const Visit& writer, const Visit& now) {
  const bool reads = piece.touch != Touch::Write, returns = reads && piece.returns();
  if (reads && writer.bytes && writer.group == now.group && (returns || writer.wave != now.wave) &&
      (both_atomic(writer, now) || now.kind == kWait))
    piece.group.hand_over(uint32_t(writer.wave), writer.stamp, uint32_t(now.wave), returns);
  if (piece.lds() || now.kind != kInDevice) return;
  if (returns) shadow().order.listen(piece.order, piece.address);
  if (now.wrote)
    shadow().order.publish(piece.order, {now.group, uint32_t(now.wave), now.stamp}, piece.address);
}

bool stores_the_same(const Piece& piece, const Visit& before, const Visit& now) {
  return before.wrote && now.wrote && before.kind == kPlain && now.kind == kPlain &&
         stores_what_is_there(piece, now);
}

// The wave has read by an atomic what the atomic before left: it comes behind it, in this place.
bool has_seen(const Granule& granule, const Visit& before, const Visit& now) {
  const Visit& reader = granule.earlier[0];
  return before.wrote && reader.same_wave(now) && reader.stamp > before.stamp &&
         both_atomic(before, reader);
}

void compare(const Piece& piece, const Granule& granule, const Visit& before, const Visit& now) {
  if (!(before.wrote || now.wrote) || ordered(piece, before, now)) return;
  if (stores_the_same(piece, before, now) || has_seen(granule, before, now)) return;
  const Visit& read = before.wrote ? now : before;
  switch (is_guess(piece, read, before.wrote ? before : now)) {
    case Answer::No: return report_finding(finding_of(piece, before, now));
    case Answer::Unknown: return shadow().suspect(read.pc, finding_of(piece, before, now));
    case Answer::Yes: return;
  }
}

// This wave guessed by a plain load what it now swaps: then that load is a guess wherever it runs.
void acquit(const Piece& piece, const Granule& granule, const Visit& now) {
  if (!is_compare_and_swap(piece.inst.op)) return;
  for (const Visit& read : granule.earlier)
    if (read.same_wave(now) && !read.wrote && read.kind == kPlain) shadow().guesses.insert(read.pc);
}

void remember_reader(const Piece& piece, Granule& granule, const Visit& now) {
  Visit& latest = granule.earlier[0];
  if (latest.bytes && !latest.same_wave(now) && !ordered(piece, latest, now))
    granule.earlier[1] = latest;
  latest = now;
}

// An atomic hides the write before it, unless it has read what that one left.
void remember_writer(const Piece& piece, Granule& granule, const Visit& now) {
  Visit &writer = granule.writer, &hidden = granule.earlier[1];
  if (now.kind != kPlain && writer.bytes) {
    if (writer.kind == kPlain || (!writer.same_wave(now) && !piece.returns())) hidden = writer;
    else if (hidden.wrote && hidden.kind != kPlain && piece.returns()) hidden = Visit();
  }
  writer = now;
}

void visit(const Piece& piece, Granule& granule, Visit now) {
  now.wrote = piece.touch != Touch::Read;
  if (now.kind != kPlain) exchange_order(piece, granule.writer, now);
  if (releases_lock(piece, granule.writer, now)) now.kind = kInGroup;
  compare(piece, granule, granule.writer, now);
  for (const Visit& before : granule.earlier) compare(piece, granule, before, now);
  acquit(piece, granule, now);
  if (!now.wrote) remember_reader(piece, granule, now);
  else if (!swaps_in_vain(piece)) remember_writer(piece, granule, now);
}

uint8_t kind_of(const Wave& wave, const Inst& inst, Touch touch, bool lds) {
  if (touch == Touch::Atomic) return !lds ? kInDevice : is_swap(inst.op) ? kSwap : kInGroup;
  if (!lds) return inst.sc1 ? kInDevice : inst.sc0 ? kInGroup : kPlain;
  if (inst.sc0 != inst.sc1) return kInGroup;
  bool waits = touch == Touch::Read && shadow().idioms.waits_in_loop(wave, wave.pc - inst.bytes);
  return waits ? kWait : inst.sc0 ? kVolatile : kPlain;
}

Visit visit_of(const Wave& wave, const Inst& inst) {
  Visit now;
  now.pc = int32_t(wave.pc - inst.bytes - shadow().entry);
  now.group = uint32_t(wave.group->number);
  now.stamp = shadow().order.next_stamp();
  now.wave = wave.index;
  return now;
}

void visit_lane(Piece& piece, Visit& now, uint64_t space, uint64_t bytes) {
  const uint64_t end = piece.lane_address + bytes;
  for (uint64_t b = piece.lane_address; b < end;) {
    const uint64_t stop = std::min((b / kGranule + 1) * kGranule, end);
    now.bytes = uint8_t(((1u << (stop - b)) - 1) << b % kGranule);
    piece.address = b;
    visit(piece, shadow().at(space, b), now);
    b = stop;
  }
}

}  // namespace

void race_dispatch_begins(const Dispatch& dispatch) {
  Shadow& s = shadow();
  s = Shadow();
  s.entry = dispatch.entry;
}

void race_dispatch_ends() {
  for (const auto& [read, findings] : shadow().suspects)
    if (!shadow().guesses.count(read))
      for (const Finding& finding : findings) report_finding(finding);
}

void race_instruction(const Wave& wave, const Inst& inst) {
  shadow().order.instruction(wave, inst);
}

void check_race(const Wave& wave, const Inst& inst, const LaneAccess& access, int element) {
  GroupOrder& group = shadow().order.group_of(wave);  // it may pass a barrier at this moment
  Visit now = visit_of(wave, inst);
  Piece piece{wave, inst, group, group.wave(wave.index), 0, 0, 0, element, access.shape.touch};
  bool lds = in_lds(access.at[__builtin_ctzll(access.exec)]);
  now.kind = kind_of(wave, inst, access.shape.touch, lds);
  for (uint64_t left = access.exec; left; left &= left - 1) {
    piece.lane = __builtin_ctzll(left);
    piece.lane_address = access.at[piece.lane];
    if (in_private(piece.lane_address)) continue;
    if (in_lds(piece.lane_address) != lds) {  // flat lanes may differ
      lds = !lds;
      now.kind = kind_of(wave, inst, access.shape.touch, lds);
    }
    if (now.kind == kPlain) piece.order.plain_since_fence = true;  // scalar loads: arguments mostly
    visit_lane(piece, now, lds ? (wave.group->number + 1) << 48 : 0, access.shape.bytes);
  }
}

// Compilers widen a uniform load of a byte to its dword, and one of three dwords to four: only the
// first byte of each dword, and not the fourth dword, surely belongs to the load.
void check_race_scalar(const Wave& wave, const Inst& inst) {
  uint64_t address = wave.pair(inst.src[0].reg & 126) + uint64_t(int64_t(inst.offset));
  if (inst.src[1].kind == OperandKind::Sgpr) address += wave.sgpr[inst.src[1].reg & 127];
  GroupOrder& group = shadow().order.group_of(wave);
  Visit now = visit_of(wave, inst);
  now.bytes = 1;
  Piece piece{wave, inst, group, group.wave(wave.index), 0, 0, 0, 0, Touch::Read};
  piece.lane_address = address & ~uint64_t(3);
  const int dwords = inst.dst.dwords == 4 ? 3 : inst.dst.dwords;
  for (int d = 0; d < dwords; ++d) {
    piece.address = piece.lane_address + uint64_t(d) * 4;
    visit(piece, shadow().at(0, piece.address), now);
  }
}

}  // namespace vgpu
