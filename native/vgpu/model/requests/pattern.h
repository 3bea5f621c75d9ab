// Instructions in loops touch memory in the same pattern again and again, at other places. What
// follows from the pattern alone is worked out once and remembered.
#pragma once

#include <cstdint>
#include <vector>

#include "model/requests/lane_loops.h"

namespace vgpu {
namespace model {

// Where the lanes of an access lie, and what else a result depends on.
struct LanesAt {
  const uint64_t* at;
  uint64_t exec;   // not empty
  uint32_t bytes;  // per lane
  uint32_t variant;

  uint32_t hash() const {
    const uint32_t few = bytes * 0x85ebca6b ^ variant * 0xc2b2ae35;
    return lane_loops().hash(at, exec) + (uint32_t(exec) ^ uint32_t(exec >> 32) ^ few);
  }
};

// Where lanes lie relative to the first active one.
struct LanePattern {
  uint64_t exec = 0;  // empty: of nobody
  uint32_t bytes, variant;
  uint32_t distance[kLanes];  // 0 for lanes that are switched off

  // False when distances do not fit.
  bool take(const LanesAt& lanes) {
    exec = lanes.exec;
    bytes = lanes.bytes;
    variant = lanes.variant;
    const bool fits = lane_loops().distances(lanes.at, lanes.exec, distance);
    if (!fits) exec = 0;
    return fits;
  }
  bool is_of(const LanesAt& lanes) const {
    return exec == lanes.exec && bytes == lanes.bytes && variant == lanes.variant &&
           lane_loops().lie_at(lanes.at, exec, distance);
  }
};

template <class Result>
class PatternTable {
 public:
  // What `work_out(result)` finds of such lanes, or has found before; null when they are too far
  // apart. What an instruction asked for last in this variant is tried first: that needs no hash.
  template <class WorkOut>
  const Result* look_up(const LanesAt& lanes, const void* instruction, WorkOut work_out) {
    Entry* nothing = nullptr;
    Entry*& latest = instruction ? latest_of(instruction, lanes.variant) : nothing;
    if (latest && latest->pattern.is_of(lanes)) return &latest->result;
    latest = find(lanes, work_out);
    return latest ? &latest->result : nullptr;
  }

 private:
  static constexpr unsigned kTogether = 4;
  static constexpr int kBits = 6, kLatestBits = 8;
  struct alignas(64) Entry {
    LanePattern pattern;
    Result result;
  };
  struct Known {
    uint32_t hash[kTogether] = {};
    unsigned oldest = 0;
  };
  Entry*& latest_of(const void* instruction, uint32_t variant) {
    const uint32_t who = uint32_t(reinterpret_cast<uintptr_t>(instruction) / 64);
    return latest_[(who * 0x9e3779b1 + variant * 0x85ebca6b) >> (32 - kLatestBits)];
  }
  // A loop comes by some dozens of patterns: a few of them find place where one does.
  template <class WorkOut>
  Entry* find(const LanesAt& lanes, WorkOut work_out) {
    const uint32_t hash = lanes.hash();
    const size_t place = hash * 0x9e3779b1 >> (32 - kBits);
    Known& known = known_[place];
    Entry* const entries = &entries_[place * kTogether];
    for (unsigned n = 0; n < kTogether; ++n)
      if (known.hash[n] == hash && entries[n].pattern.is_of(lanes)) return &entries[n];
    const unsigned oldest = known.oldest++ % kTogether;
    Entry& entry = entries[oldest];
    known.hash[oldest] = hash;
    if (!entry.pattern.take(lanes)) return nullptr;
    work_out(entry.result);
    return &entry;
  }

  std::vector<Known> known_ = std::vector<Known>(size_t(1) << kBits);
  std::vector<Entry> entries_ = std::vector<Entry>(kTogether << kBits);
  std::vector<Entry*> latest_ = std::vector<Entry*>(size_t(1) << kLatestBits);
};

}  // namespace model
}  // namespace vgpu
