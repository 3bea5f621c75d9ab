// Instructions in loops touch memory in the same pattern again and again, at other places. What
// follows from the pattern alone is worked out once and remembered.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "model/requests/lane_loops.h"

namespace vgpu {
namespace model {

// Where lanes lie relative to the first active one.
struct LanePattern {
  uint32_t distance[kLanes];  // 0 for lanes that are switched off
  uint64_t exec;
  uint32_t bytes;    // per lane
  uint32_t variant;  // what else the result depends on
  uint32_t hash;
  uint32_t unused = 0;

  bool operator==(const LanePattern& other) const {
    return hash == other.hash && std::memcmp(this, &other, sizeof *this) == 0;
  }
};
static_assert(sizeof(LanePattern) == (kLanes + 6) * 4, "compared as bytes: no padding");

// False when distances do not fit. `exec` is not empty.
inline bool make_pattern(const uint64_t* addresses, uint64_t exec, uint32_t bytes, uint32_t variant,
                         LanePattern& pattern) {
  uint32_t hash;
  if (!lane_loops().distances(addresses, exec, pattern.distance, hash)) return false;
  pattern.exec = exec;
  pattern.bytes = bytes;
  pattern.variant = variant;
  pattern.hash =
      hash + (uint32_t(exec) ^ uint32_t(exec >> 32) ^ bytes * 0x85ebca6b ^ variant * 0xc2b2ae35);
  return true;
}

template <class Result>
class PatternTable {
 public:
  struct Entry {
    LanePattern pattern;
    bool filled = false;
    bool second_is_older = false;  // of a pair, known to the first
    Result result;
  };

  // The place for a pattern, which holds its result if `filled` and the patterns are equal. Two
  // patterns whose places are the same have another one between them.
  Entry& place(const LanePattern& pattern) {
    Entry* const pair = &entries_[(pattern.hash * 0x9e3779b1 >> (32 - kBits)) * 2];
    for (int n = 0; n < 2; ++n)
      if (pair[n].filled && pair[n].pattern == pattern) {
        pair[0].second_is_older = n == 0;
        return pair[n];
      }
    pair[0].second_is_older = !pair[0].second_is_older;
    return pair[pair[0].second_is_older ? 0 : 1];
  }

 private:
  static constexpr int kBits = 7;
  std::vector<Entry> entries_ = std::vector<Entry>(size_t(2) << kBits);
};

}  // namespace model
}  // namespace vgpu
