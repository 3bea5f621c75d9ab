#include "requests.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kLine = calibration::kVectorLineBytes;
constexpr uint64_t kHalf = kLine / 2;
constexpr int kQuad = 4;

// Adds a touched half to the requests; lines met lately are looked at first.
void add_half(uint64_t half, Coalesced& out) {
  uint64_t line = half / 2;
  uint64_t bit = uint64_t(1) << (half & 1);
  for (uint32_t n = out.count; n-- > 0;)
    if (out.requests[n] >> 2 == line) {
      out.requests[n] |= bit;
      return;
    }
  out.requests[out.count++] = line << 2 | bit;
}

}  // namespace

void coalesce(const uint64_t* physical, uint64_t exec, uint32_t bytes, Coalesced& out) {
  out.count = out.quad_accesses = 0;
  for (int quad = 0; quad < kLanes; quad += kQuad) {
    uint64_t seen[2 * kQuad];
    int distinct = 0;
    for (int lane = quad; lane < quad + kQuad; ++lane) {
      if (!((exec >> lane) & 1)) continue;
      uint64_t last = (physical[lane] + bytes - 1) / kHalf;
      for (uint64_t half = physical[lane] / kHalf; half <= last; ++half) {
        if (std::find(seen, seen + distinct, half) != seen + distinct) continue;
        seen[distinct++] = half;
        add_half(half, out);
      }
    }
    out.quad_accesses += uint32_t(distinct);
  }
}

LdsCycles lds_cycles(const LaneAccess& access) {
  const uint32_t dwords = std::max<uint32_t>(1, access.shape.bytes / 4);
  const int lanes_at_once = std::max<int>(1, calibration::kLdsBanks / int(dwords));
  LdsCycles cycles;
  for (int first = 0; first < kLanes; first += lanes_at_once) {
    uint64_t held[calibration::kLdsBanks][kLanes];   // distinct dwords asked of each bank
    uint32_t depth[calibration::kLdsBanks] = {};
    uint32_t deepest = 1;
    for (int lane = first; lane < std::min(first + lanes_at_once, kLanes); ++lane) {
      if (!((access.exec >> lane) & 1)) continue;
      for (uint32_t d = 0; d < dwords; ++d) {
        uint64_t word = access.at[lane] / 4 + d;
        uint32_t bank = uint32_t(word % calibration::kLdsBanks);
        uint64_t* words = held[bank];
        bool shared = std::find(words, words + depth[bank], word) != words + depth[bank];
        if (shared && access.shape.touch != Touch::Atomic) continue;
        words[depth[bank]++] = word;
        deepest = std::max(deepest, depth[bank]);
      }
    }
    cycles.active += deepest;
    cycles.conflicts += deepest - 1;
  }
  return cycles;
}

}  // namespace model
}  // namespace vgpu
