#include "model/requests/requests.h"

#include <algorithm>
#include <cstring>

#include "model/requests/lane_loops.h"
#include "model/requests/pattern.h"

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kLine = calibration::kVectorLineBytes;
constexpr uint64_t kBlock = kLine / 2;

// Lines that an instruction has asked for so far, found by hash.
class LineTable {
 public:
  explicit LineTable(Coalesced& out) : out_(out) { std::memset(places_, kFree, sizeof places_); }

  void touch(uint64_t sector) {
    uint64_t line = sector / kSectorsPerLine;
    uint32_t index = find(line);
    uint32_t within = uint32_t(sector % kSectorsPerLine);
    out_.requests[index] |= uint64_t(1) << (within / 2);
    out_.sectors[index] = uint8_t(out_.sectors[index] | 1u << within);
  }

 private:
  static constexpr uint64_t kSectorsPerLine = kLine / kSectorBytes;
  static constexpr uint32_t kPlaces = 2 * kMostRequests;
  static constexpr uint8_t kFree = 0xff;

  uint32_t find(uint64_t line) {
    for (uint64_t place = line * 0x9e3779b97f4a7c15 >> 56;; place = (place + 1) % kPlaces) {
      if (places_[place] == kFree) {
        places_[place] = uint8_t(out_.count);
        out_.requests[out_.count] = line << 2;
        out_.sectors[out_.count] = 0;
        return out_.count++;
      }
      if (out_.requests[places_[place]] >> 2 == line) return places_[place];
    }
  }

  Coalesced& out_;
  uint8_t places_[kPlaces];
};

// A few block numbers, each once.
template <int Most>
class BlockSet {
 public:
  bool insert(uint64_t block) {
    if (std::find(blocks_, blocks_ + count_, block) != blocks_ + count_) return false;
    blocks_[count_++] = block;
    return true;
  }
  uint32_t count() const { return uint32_t(count_); }

 private:
  uint64_t blocks_[Most];
  int count_ = 0;
};

void coalesce_any(const uint64_t* addresses, uint64_t exec, uint32_t bytes, uint64_t shift,
                  Coalesced& out) {
  out.count = out.tag_accesses = out.lane_requests = out.translations = out.conflicts = 0;
  LineTable lines(out);
  const bool narrow = bytes <= kCoalescedBytes;
  const int together = narrow ? kCoalescedLanes : kQuad;
  for (int first = 0; first < kLanes; first += together) {
    BlockSet<2 * kCoalescedLanes> blocks;
    for (int quad = first; quad < first + together; quad += kQuad) {
      BlockSet<2 * kQuad> asked;
      for (int lane = quad; lane < quad + kQuad; ++lane) {
        if (!((exec >> lane) & 1)) continue;
        const uint64_t at = addresses[lane] + shift, last = at + bytes - 1;
        for (uint64_t s = at / kSectorBytes; s <= last / kSectorBytes; ++s) lines.touch(s);
        for (uint64_t block = at / kBlock; block <= last / kBlock; ++block) {
          asked.insert(block);
          blocks.insert(block);
        }
        out.lane_requests += !narrow;
      }
      if (narrow) out.lane_requests += asked.count();
    }
    out.tag_accesses += blocks.count();
    const uint32_t cycles = (blocks.count() + 1) / 2;
    out.translations += cycles;
    out.conflicts += cycles > 1 ? cycles - 1 : 0;
  }
}

}  // namespace

void coalesce(const uint64_t* addresses, uint64_t exec, uint32_t bytes, uint64_t shift,
              Coalesced& out) {
  out.count = out.tag_accesses = out.lane_requests = out.translations = out.conflicts = 0;
  if (!exec) return;
  const uint64_t first = addresses[__builtin_ctzll(exec)] + shift;
  if (lane_loops().in_a_row(addresses, exec, bytes) && coalesce_row(first, exec, bytes, out))
    return;
  coalesce_scattered(addresses, exec, bytes, shift, out);
}

const RelativeRequests* relative_requests(const uint64_t* addresses, uint64_t exec, uint32_t bytes,
                                          uint64_t first, const void* instruction) {
  static thread_local PatternTable<RelativeRequests> known;
  const uint64_t mine = addresses[__builtin_ctzll(exec)];
  const LanesAt lanes{addresses, exec, bytes, uint32_t(first % kLine)};
  return known.look_up(lanes, instruction, [&](RelativeRequests& found) {
    constexpr uint64_t kMiddle = uint64_t(1) << 40;  // lanes may lie before the first active one
    coalesce_any(addresses, exec, bytes, kMiddle + first % kLine - mine, found.requests);
    for (uint32_t n = 0; n < found.requests.count; ++n)
      found.requests.requests[n] -= kMiddle / kLine << 2;
    const LaneBounds bounds = lane_loops().bounds(addresses, exec);
    found.before = mine - bounds.low;
    found.behind = bounds.high - mine;
  });
}

void coalesce_scattered(const uint64_t* addresses, uint64_t exec, uint32_t bytes, uint64_t shift,
                        Coalesced& out) {
  const uint64_t first = addresses[__builtin_ctzll(exec)] + shift;
  const RelativeRequests* found = relative_requests(addresses, exec, bytes, first, nullptr);
  if (!found) return coalesce_any(addresses, exec, bytes, shift, out);
  const PlacedRequests placed = found->at(first);
  out = found->requests;
  for (uint32_t n = 0; n < out.count; ++n) out.requests[n] = placed.request(n);
}

namespace {

constexpr uint32_t kBanks = calibration::kLdsBanks;
constexpr uint32_t kWidest = 16;  // bytes of a lane

// The dwords that one turn of lanes asks of each bank.
struct BankLoad {
  uint64_t words[kBanks][kBanks];  // a turn moves as many dwords as there are banks
  uint32_t distinct[kBanks] = {}, asked[kBanks] = {};
  uint32_t deepest = 1, most_asked = 1;

  void ask(uint64_t word) {
    uint32_t bank = uint32_t(word % kBanks);
    most_asked = std::max(most_asked, ++asked[bank]);
    uint64_t* known = words[bank];
    if (std::find(known, known + distinct[bank], word) != known + distinct[bank]) return;
    known[distinct[bank]++] = word;
    deepest = std::max(deepest, distinct[bank]);
  }
};

bool lies_in_a_row(const LaneAccess& access) {
  const uint32_t bytes = access.shape.bytes;
  if (!access.row || bytes < 4) return false;
  const uint64_t first = access.first();
  const bool is_power_of_two = (bytes & (bytes - 1)) == 0;
  return is_power_of_two ? (first & (bytes - 1)) == 0 : first % bytes == 0;
}

// Accesses of 8 and 16 bytes want every lane at a multiple of them. A turn with a lane elsewhere takes
// its lanes one by one, without conflicts. `bits`: all that are set in the lanes' addresses.
bool takes_lanes_one_by_one(uint32_t bytes, uint64_t bits) {
  return (bytes == 8 || bytes == 16) && bits % bytes != 0;
}

// Reads of 16 bytes per lane take lanes 0 to 3 with 20 to 23, 4 to 7 with 16 to 19, and so on; others
// eight in a row (measured by tingqli/pyhip; CK-Tile's documentation of bank conflicts).
bool is_wide_read(const LaneAccess& access) {
  return access.shape.touch == Touch::Read && access.shape.bytes == 16;
}
int wide_read_lane(int place) {
  const int turn = place / 8 % 4, within = place % 8, half = place / 32 * 32;
  return half + (within < 4 ? 4 * turn + within : 12 + 4 * (turn ^ 1) + within);
}

void add_turn(const LaneAccess& access, int first, int lanes, uint32_t dwords, LdsCycles& cycles) {
  BankLoad load;
  bool cut = false;
  uint32_t asking = 0;
  uint64_t bits = 0;
  const bool wide_read = is_wide_read(access);
  for (int place = first; place < first + lanes; ++place) {
    const int lane = wide_read ? wide_read_lane(place) : place;
    if (!((access.exec >> lane) & 1)) continue;
    const uint64_t at = access.of(lane);
    cut |= at % 4 + access.shape.bytes > 4 * dwords;
    bits |= at;
    ++asking;
    for (uint32_t d = 0; d < dwords; ++d) load.ask(at / 4 + d);
  }
  if (takes_lanes_one_by_one(access.shape.bytes, bits)) {
    cycles.unaligned += asking - 1;
    cycles.active += asking;
    return;
  }
  cycles.conflicts += load.deepest - 1;
  uint32_t turns = access.shape.touch == Touch::Atomic ? load.most_asked : load.deepest;
  cycles.same_address += turns - load.deepest;
  cycles.unaligned += cut;
  cycles.active += turns + cut;
}

LdsCycles cycles_of(const LaneAccess& access, int lanes, uint32_t dwords) {
  LdsCycles cycles;
  for (int first = 0; first < kLanes; first += lanes)
    add_turn(access, first, lanes, dwords, cycles);
  return cycles;
}

}  // namespace

LdsCycles lds_cycles(const LaneAccess& access) {
  static thread_local PatternTable<LdsCycles> known;
  const uint32_t bytes = access.shape.bytes, dwords = std::max<uint32_t>(1, (bytes + 3) / 4);
  const int lanes = 1 << (dwords > 2 ? 3 : dwords > 1 ? 4 : 5);  // 8, 16 or 32 in a turn
  if (lies_in_a_row(access)) return {uint32_t(kLanes / lanes), 0, 0, 0};
  if (!access.exec) return cycles_of(access, lanes, dwords);
  // Moving all lanes by what they are aligned to only turns the banks.
  const uint64_t first = access.first();
  const uint32_t variant = uint32_t(first % kWidest) |
                           (access.shape.touch == Touch::Atomic ? kWidest : 0) |
                           (is_wide_read(access) ? 2 * kWidest : 0);
  auto look_up = [&](const LaneAccess& all) {
    const LdsCycles* found =
        known.look_up({all.at, all.exec, bytes, variant}, nullptr,
                      [&](LdsCycles& cycles) { cycles = cycles_of(all, lanes, dwords); });
    return found ? *found : cycles_of(all, lanes, dwords);
  };
  if (!access.row) return look_up(access);
  LaneAccess all = access;
  all.spell_out();
  return look_up(all);
}

}  // namespace model
}  // namespace vgpu
