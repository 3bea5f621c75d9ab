// Lanes that lie one behind the other, the usual case: their requests follow from where the first
// one lies and from which lanes are active, without a look at single addresses.
#include <algorithm>

#include "model/requests/requests.h"

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kLine = calibration::kVectorLineBytes;
constexpr uint64_t kBlock = kLine / 2;
constexpr uint32_t kSectorsPerLine = kLine / kSectorBytes;
constexpr uint32_t kWidestLane = kBlock / kQuad;  // four lanes touch two blocks at most
constexpr uint64_t kAllLanes = ~uint64_t(0);

constexpr bool is_power_of_two(uint64_t number) { return (number & (number - 1)) == 0; }

void add_line(uint64_t line, uint32_t sectors, Coalesced& out) {
  out.sectors[out.count] = uint8_t(sectors);
  out.requests[out.count++] = line << 2 | ((sectors & 3) != 0) | ((sectors >> 2) != 0) << 1;
}

void add_lines_between(uint64_t first, uint64_t end, Coalesced& out) {
  for (uint64_t line = first / kLine; line * kLine < end; ++line) {
    uint64_t low = std::max(first, line * kLine) - line * kLine;
    uint64_t high = std::min(end, (line + 1) * kLine) - line * kLine - 1;
    add_line(line, (2u << high / kSectorBytes) - (1u << low / kSectorBytes), out);
  }
}

// The same with gaps; lane 0 of `lanes` is active and lies at `first`, a multiple of `bytes`.
void add_lines_with_gaps(uint64_t first, uint64_t lanes, uint32_t bytes, Coalesced& out) {
  const int shift = __builtin_ctz(bytes);  // no division: it is a power of two
  const uint32_t per_sector = kSectorBytes >> shift;
  uint64_t line = first / kLine;
  uint32_t sector = uint32_t(first % kLine / kSectorBytes), touched = 0;
  for (uint32_t room = per_sector - (uint32_t(first % kSectorBytes) >> shift); lanes;
       room = per_sector) {
    if (lanes & ((uint64_t(1) << room) - 1)) touched |= 1u << sector;
    lanes >>= room;
    if (++sector < kSectorsPerLine && lanes) continue;
    if (touched) add_line(line, touched, out);
    ++line;
    sector = touched = 0;
  }
}

// Blocks that some lanes touch together: at most two, so those of the first and the last of them.
// `first` is where lane 0 would lie.
uint32_t blocks_of(uint64_t first, uint32_t bytes, uint64_t lanes) {
  uint64_t low = first + uint64_t(__builtin_ctzll(lanes)) * bytes;
  uint64_t high = first + uint64_t(kLanes - __builtin_clzll(lanes)) * bytes - 1;
  return uint32_t(high / kBlock - low / kBlock + 1);
}

struct Blocks {
  uint32_t sum = 0, pairs = 0;  // pairs: two blocks of lanes that go together share one
};
Blocks blocks_in_groups(uint64_t first, uint32_t bytes, uint64_t exec, int lanes) {
  const uint64_t span = uint64_t(lanes) * bytes, groups = uint64_t(kLanes / lanes);
  // Masks instead of divisions: asked for every access.
  const bool fills_blocks = span <= kBlock && is_power_of_two(span);
  if (exec == kAllLanes && fills_blocks && (first & (span - 1)) == 0)
    return {uint32_t(groups), uint32_t(groups)};  // none of them crosses from block to block
  const uint64_t group = (uint64_t(1) << lanes) - 1;
  Blocks blocks;
  for (int lane = 0; lane < kLanes; lane += lanes) {
    if (!(exec >> lane & group)) continue;
    uint32_t touched = blocks_of(first + uint64_t(lane) * bytes, bytes, exec >> lane & group);
    blocks.sum += touched;
    blocks.pairs += (touched + 1) / 2;
  }
  return blocks;
}

// All lanes, over whole lines: the usual case needs no look at parts of them.
void coalesce_lines(uint64_t first, uint32_t bytes, Coalesced& out) {
  const bool narrow = bytes <= kCoalescedBytes;
  out.count = uint32_t(kLanes * bytes / kLine);
  for (uint32_t n = 0; n < out.count; ++n) {
    out.requests[n] = (first / kLine + n) << 2 | 3;
    out.sectors[n] = kAllSectors;
  }
  // Lanes that go together touch one block each time.
  out.tag_accesses = out.translations = uint32_t(kLanes / (narrow ? kCoalescedLanes : kQuad));
  out.lane_requests = uint32_t(narrow ? kLanes / kQuad : kLanes);
  out.conflicts = 0;
}

}  // namespace

bool coalesce_row(uint64_t first, uint64_t exec, uint32_t bytes, Coalesced& out) {
  const bool with_gaps = exec != kAllLanes;
  if (bytes > kWidestLane) return false;
  if (!with_gaps && first % kLine == 0 && bytes > 1 && is_power_of_two(bytes)) {
    coalesce_lines(first, bytes, out);
    return true;
  }
  if (with_gaps && (!is_power_of_two(bytes) || (first & (bytes - 1)) != 0)) return false;
  const int active = __builtin_ctzll(exec);
  out.count = 0;
  if (with_gaps) add_lines_with_gaps(first, exec >> active, bytes, out);
  else add_lines_between(first, first + uint64_t(kLanes) * bytes, out);
  const uint64_t lane_zero = first - uint64_t(active) * bytes;
  const bool narrow = bytes <= kCoalescedBytes;
  Blocks blocks = blocks_in_groups(lane_zero, bytes, exec, narrow ? kCoalescedLanes : kQuad);
  out.tag_accesses = blocks.sum;
  out.translations = blocks.pairs;
  out.conflicts = 0;  // no turn touches more than two blocks
  out.lane_requests = narrow ? blocks_in_groups(lane_zero, bytes, exec, kQuad).sum
                             : uint32_t(__builtin_popcountll(exec));
  return true;
}

}  // namespace model
}  // namespace vgpu
