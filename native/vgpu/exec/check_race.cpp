// VROCM_CHECK=race: two waves touch the same memory, one of them writes, and no barrier (within a
// workgroup) orders them. Each dword remembers its last writer and reader. Between workgroups there
// is no barrier: any conflict counts, except in kernels that synchronise through memory themselves.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "check.h"
#include "check_rules.h"

namespace vgpu {
namespace {

constexpr uint64_t kGranule = 4, kPageGranules = 1024;

struct Visit {               // small, because there are two for each dword that a kernel touches
  int32_t pc = 0;            // from the kernel's entry
  uint32_t group = 0;
  uint32_t epoch = 0;        // barriers that the workgroup had passed
  uint16_t wave = 0;
  uint8_t bytes = 0;         // mask within the dword; 0: nobody yet
  bool atomic = false;
};

struct Granule {
  Visit writer, reader;
  bool many_readers = false;  // several waves read since the last write
};

using Page = std::vector<Granule>;

struct Shadow {
  uint64_t entry = 0;
  bool across_groups = true;
  std::unordered_map<uint64_t, Page> pages;  // global memory by address, LDS by workgroup

  uint64_t last_key = ~uint64_t(0);          // neighbouring lanes mostly share a page
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

bool ordered(const Visit& before, const Visit& now, bool any_wave) {
  if (!(before.bytes & now.bytes) || (before.atomic && now.atomic)) return true;
  if (before.group != now.group) return !shadow().across_groups;
  return before.epoch != now.epoch || (before.wave == now.wave && !any_wave);
}

std::string describe(const Visit& before, const Visit& now, const char* was, const char* is,
                     uint64_t address) {
  std::string who = before.group != now.group ? "workgroup " + std::to_string(before.group)
                                              : "wave " + std::to_string(before.wave);
  std::string where = in_lds(address) ? "LDS byte " + std::to_string(address & kApertureLimit)
                                      : "global memory";
  return std::string("race: this wave ") + is + " " + where + " that " + who + " " + was +
         ", with nothing in between that orders them";
}

// One dword of one lane.
void visit(const Wave& wave, Granule& granule, const Visit& now, Touch touch, uint64_t address) {
  bool writes = touch != Touch::Read;
  if (!ordered(granule.writer, now, false))
    report_finding(wave, address_of(now), address_of(granule.writer),
                   describe(granule.writer, now, "wrote", writes ? "writes" : "reads", address));
  if (writes && !ordered(granule.reader, now, granule.many_readers))
    report_finding(wave, address_of(now), address_of(granule.reader),
                   describe(granule.reader, now, "read", "writes", address));
  if (writes) {
    granule.writer = now;
    return;
  }
  const Visit& reader = granule.reader;
  bool same_stretch = reader.bytes && reader.group == now.group && reader.epoch == now.epoch;
  granule.many_readers = same_stretch && (granule.many_readers || reader.wave != now.wave);
  granule.reader = now;
}

}  // namespace

void race_dispatch_begins(const Dispatch& dispatch) {
  Shadow& s = shadow();
  s.entry = dispatch.entry;
  s.pages.clear();
  s.last_key = ~uint64_t(0);
  s.across_groups = !dispatch.code->traits(dispatch.entry).order_dependent;
}

void check_race(const Wave& wave, const Inst& inst, const LaneAccess& access) {
  Visit now;
  now.pc = int32_t(wave.pc - inst.bytes - shadow().entry);
  now.group = uint32_t(wave.group->number);
  now.epoch = wave.group->barriers;
  now.wave = wave.index;
  now.atomic = access.shape.touch == Touch::Atomic;
  for (uint64_t left = access.exec; left; left &= left - 1) {
    uint64_t address = access.at[__builtin_ctzll(left)];
    if (in_private(address)) continue;
    uint64_t space = in_lds(address) ? (wave.group->number + 1) << 48 : 0;
    for (uint64_t b = address; b < address + access.shape.bytes;) {
      uint64_t stop = std::min((b / kGranule + 1) * kGranule, address + access.shape.bytes);
      now.bytes = uint8_t(((1u << (stop - b)) - 1) << b % kGranule);
      visit(wave, shadow().at(space, b), now, access.shape.touch, address);
      b = stop;
    }
  }
}

}  // namespace vgpu
